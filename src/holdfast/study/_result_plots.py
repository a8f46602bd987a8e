"""Plotting methods of `Result`."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from holdfast._object_spec import snake_case
from holdfast._typing import JSON, SelectorLike
from holdfast.errors import InvalidInputError
from holdfast.io import Dataset
from holdfast.judge import Recommendation, Replication, SelectorSimilarity, StabilityProfile
from holdfast.measures import get_measure
from holdfast.preferences import Subsets
from holdfast.select import SELECTORS, as_selector
from holdfast.study._storage._serialization import serialize_object

if TYPE_CHECKING:
    from holdfast.plot import Picture
    from holdfast.study._storage._reader import StudyPreferences, StudyReader


MIN_OFTEN_SHARE = 0.5
"""Share of resamples from which a feature counts as often selected; chosen by hand."""


class SelectorAtSize(NamedTuple):
    """A selector at a size."""

    selector: str
    size: int | str


class ResultPlots:
    """The plots of a result, one method each.

    Selector and size default to the recommended ones. Each method passes ``ax`` and ``style``
    (``"light"`` or ``"dark"``) to the function of :mod:`holdfast.plot` that draws, and returns a
    `Picture`, which holds the numbers and can be saved.
    """

    if TYPE_CHECKING:  # provided by Result
        _reader: StudyReader
        recommend: Callable[..., Recommendation]
        replicated: Callable[..., Replication]
        profile: Callable[..., StabilityProfile]
        similarity: Callable[..., SelectorSimilarity]

        @property
        def selectors(self) -> tuple[str, ...]: ...
        @property
        def preferences(self) -> StudyPreferences: ...
        @property
        def frequencies(self) -> pd.DataFrame: ...
        @property
        def stability(self) -> pd.DataFrame: ...
        @property
        def dataset(self) -> Dataset | None: ...
        @property
        def truth(self) -> tuple[str, ...] | None: ...

    def plot_stripes(
        self, selector: str | None = None, size: int | str | None = None, **how: Any
    ) -> Picture:
        """Draw which features each resample selected; outer resamples are separated.

        Parameters
        ----------
        selector : str, optional
            A selector of the study; by default the recommended one.
        size : int or "own", optional
            The number of features; by default the recommended one.
        **how
            ``order``, ``ax`` and ``style`` of :func:`holdfast.plot.stripes`.

        Returns
        -------
        Picture

        Examples
        --------
        >>> import holdfast as hf
        >>> study = hf.Study("f_score", protocol=hf.Subsampling(10, 0.9), sizes=[2])
        >>> result = study.run(hf.io.read_data("@wine"), n_jobs=1)
        >>> result.plot_stripes("f_score", 2)
        <Picture: Which features each resample selected. Next: .save("picture.svg")>
        """
        from holdfast.plot import stripes

        cell = self._candidate(selector, size)
        subsets = self.preferences[cell]
        return stripes(subsets, outer=self._outer_resamples(cell.selector), truth=self.truth, **how)

    def plot_profiles(self, **how: Any) -> Picture:
        """Draw stability against the number of features, with knots, for all selectors.

        Parameters
        ----------
        **how
            ``ax`` and ``style`` of :func:`holdfast.plot.profiles`; other options go to ``profile``.

        Returns
        -------
        Picture
        """
        from holdfast.plot import profiles

        drawing = _pop_options(how, "ax", "style")
        profile = self.profile(**how)
        table = profile.table[profile.table["measure"] == profile.measure]
        return profiles(table, profile.knots, measure=_measure_title(profile.measure), **drawing)

    def plot_replication(
        self, selector: str | None = None, size: int | str | None = None, **how: Any
    ) -> Picture:
        """Draw estimated and predicted replication stability against the number of samples.

        Parameters
        ----------
        selector : str, optional
            A selector of the study; by default the recommended one.
        size : int or "own", optional
            The number of features; by default the recommended one.
        **how
            ``ax`` and ``style`` of :func:`holdfast.plot.replication`; ``measure`` goes to
            ``replicated``.

        Returns
        -------
        Picture
        """
        drawing = _pop_options(how, "ax", "style")
        return self.replicated(selector, size, **how).plot(**drawing)

    def plot_plane(self, **how: Any) -> Picture:
        """Draw all pairs of selector and classifier by accuracy and stability.

        Parameters
        ----------
        **how
            ``ax`` and ``style`` of :func:`holdfast.plot.plane`; ``selectors``, those to draw, by
            default all; other options go to ``recommend``.

        Returns
        -------
        Picture
        """
        from holdfast.plot import plane

        drawing = _pop_options(how, "ax", "style")
        selectors = how.pop("selectors", self.selectors)
        best = self.recommend(**how)
        drawing["maximum"] = 1.0 if best.measure is None else get_measure(best.measure).maximum
        table = best.table if best.supported else best.table.assign(recommended=False)
        table = table[table["selector"].isin(selectors)]
        return plane(table, measure=_measure_title(best.measure), **drawing)

    def plot_frequencies(
        self, selector: str | None = None, size: int | str | None = None, **how: Any
    ) -> Picture:
        """Draw how often features were selected, with intervals.

        Parameters
        ----------
        selector : str, optional
            A selector of the study; by default the recommended one.
        size : int or "own", optional
            A size of the study; by default the recommended one.
        **how
            ``most``, ``ax`` and ``style`` of :func:`holdfast.plot.frequencies`.

        Returns
        -------
        Picture
        """
        from holdfast.plot import frequencies

        return frequencies(self._frequencies(selector, size), **how)

    def plot_ranks(
        self, selector: str | None = None, size: int | str | None = None, **how: Any
    ) -> Picture:
        """Draw the ranges of ranks of the features that were selected.

        Parameters
        ----------
        selector : str, optional
            A selector of the study; by default the recommended one.
        size : int, optional
            A size of the study; by default the recommended one.
        **how
            ``most``, ``ax`` and ``style`` of :func:`holdfast.plot.rank_ranges`.

        Returns
        -------
        Picture
        """
        from holdfast.plot import rank_ranges

        return rank_ranges(self._frequencies(selector, size), **how)

    def plot_similarity(self, **how: Any) -> Picture:
        """Draw the similarity of the selections of each two selectors.

        Parameters
        ----------
        **how
            ``ax`` and ``style`` of :func:`holdfast.plot.similarity`; other options go to
            ``similarity``.

        Returns
        -------
        Picture
        """
        from holdfast.plot import similarity

        drawing = _pop_options(how, "ax", "style")
        matrix = self.similarity(**how)
        return similarity(matrix.matrix, measure=_measure_title(matrix.measure), **drawing)

    def plot_upset(
        self,
        size: int | str | None = None,
        *,
        often: float = MIN_OFTEN_SHARE,
        selectors: Sequence[str] | None = None,
        **how: Any,
    ) -> Picture:
        """Draw how many of their often-selected features the selectors share.

        Parameters
        ----------
        size : int, optional
            A size of the study; by default the recommended one. Selectors that choose the number
            of features are shown at the size they choose.
        often : float, default 0.5
            Share of the resamples that must select a feature.
        selectors : sequence of str, optional
            Selectors of the study; by default all.
        **how
            ``most``, ``ax`` and ``style`` of :func:`holdfast.plot.upset`.

        Returns
        -------
        Picture
        """
        from holdfast.plot import upset

        size = self.recommend().size if size is None else size
        table = self.frequencies
        table = table[table["size"].isin([size, "own"]) & (table["frequency"] >= often)]
        names = self.selectors if selectors is None else selectors
        sets = {name: table["feature"][table["selector"] == name] for name in names}
        return upset({name: list(features) for name, features in sets.items()}, **how)

    def plot_truth(
        self, selector: str | None = None, size: int | str | None = None, **how: Any
    ) -> Picture:
        """Draw how often features were selected against their true effects, if known.

        Parameters
        ----------
        selector : str, optional
            A selector of the study; by default the recommended one.
        size : int or "own", optional
            The number of features; by default the recommended one.
        **how
            ``ax`` and ``style`` of :func:`holdfast.plot.truth`.

        Returns
        -------
        Picture

        Raises
        ------
        InvalidInputError
            The true effects are unknown: the data were not simulated.
        """
        from holdfast.plot import truth

        if self.truth is None:
            raise InvalidInputError(
                "the true effects are unknown: the data were not simulated, or are not available. "
                "plot_frequencies() shows what was selected."
            )
        return truth(self._truth_table(self.preferences[self._candidate(selector, size)]), **how)

    def plot_ensemble_sizes(
        self, measure: str | None = None, size: int | str | None = None, **how: Any
    ) -> Picture:
        """Draw stability against the number of bags, for ensembles that are otherwise equal.

        Parameters
        ----------
        measure : str, optional
            A measure of the study; by default the recommended one.
        size : int, optional
            A size of the study, for measures of subsets; by default the recommended one.
        **how
            ``ax`` and ``style`` of :func:`holdfast.plot.ensemble_sizes`.

        Returns
        -------
        Picture
            One line for all ensembles of one base; the base alone, or an ensemble without bags,
            is shown at 1.

        Raises
        ------
        InvalidInputError
            No two ensembles of the study differ in ``n_bags`` alone, and no base is in the study
            with its ensemble; or the study has no such measure or size.

        Examples
        --------
        >>> import holdfast as hf
        >>> selectors = [f"ensemble:base=f_score,n_bags={count}" for count in (2, 10)]
        >>> study = hf.Study(selectors, protocol=hf.Subsampling(5, 0.9), sizes=[2], classifiers=())
        >>> result = study.run(hf.io.read_data("@wine"), n_jobs=1)
        >>> result.plot_ensemble_sizes("jaccard", 2).numbers["n_bags"].tolist()
        [2, 10]
        """
        from holdfast.plot import ensemble_sizes

        curves = ensemble_curves(self._reader.plan)
        if measure is None:
            measure = self.recommend().measure or self._reader.plan["measures"][0]
        values = self._stability_rows(measure, size)
        table = curves.merge(values, on="selector").drop(columns="selector")
        return ensemble_sizes(
            table.rename(columns={"curve": "selector"}), measure=_measure_title(measure), **how
        )

    def _stability_rows(self, measure: str, size: int | str | None) -> pd.DataFrame:
        """Return the stability by one measure, and at one size if the measure depends on it."""
        table = self.stability[self.stability["measure"] == get_measure(measure).name]
        if get_measure(measure).form in ("subset", "groups"):
            size = self.recommend().size if size is None else size
            table = table[table["size"] == size]
        if table.empty:
            raise InvalidInputError(
                f"this study did not measure {measure} at the size {size}; result.stability holds "
                "what it measured."
            )
        return table

    def _candidate(self, selector: str | None, size: int | str | None) -> SelectorAtSize:
        """Return selector and size; the recommended ones by default."""
        if selector is not None and size is not None:
            return SelectorAtSize(selector, size)
        best = self.recommend()
        return SelectorAtSize(selector or best.selector, best.size if size is None else size)

    def _frequencies(self, selector: str | None, size: int | str | None) -> pd.DataFrame:
        cell = self._candidate(selector, size)
        _ = self.preferences[cell]  # raises if selector or size are unknown
        table = self.frequencies
        table = table[(table["selector"] == cell.selector) & (table["size"] == cell.size)]
        if self.truth is None:
            return table
        return table.assign(informative=table["feature"].isin(self.truth))

    def _outer_resamples(self, selector: str) -> list[int] | None:
        """Return the outer resample of each inner one; None if there are no outer ones."""
        reader = self._reader
        numbers = reader.compared(reader.selected_features(reader.selectors.index(selector)))
        outer = [reader.resamples[number].outer for number in numbers]
        return None if None in outer else [number for number in outer if number is not None]

    def _truth_table(self, subsets: Subsets) -> pd.DataFrame:
        names = np.array(subsets.feature_names, dtype=object)
        counts = np.bincount(subsets.indices, minlength=len(names))
        table = pd.DataFrame({"feature": names, "value": counts / len(subsets)})
        table["informative"] = table["feature"].isin(self.truth or ())
        generator = None if self.dataset is None else self.dataset.generator
        return table if generator is None else table.assign(effect=generator.draw(0).effects)


def _pop_options(options: dict[str, Any], *names: str) -> dict[str, Any]:
    """Remove options by name and return them."""
    return {name: options.pop(name) for name in names if name in options}


def _measure_title(measure: str | None) -> str:
    return "stability" if measure is None else get_measure(measure).title


# Ensembles of a study that differ in the number of bags alone.

ENSEMBLE = "holdfast.select:Ensemble"
SET_BY_STUDY = {"random_state", "n_features_to_select"}
NO_BAGS, NO_ENSEMBLE = 0, -1
"""In place of a number of bags: an ensemble without bags, or the base alone."""


def ensemble_curves(plan: JSON) -> pd.DataFrame:
    """Find the ensembles that are equal except for the number of bags.

    Parameters
    ----------
    plan : JSON
        The plan of a study.

    Returns
    -------
    pandas.DataFrame
        Columns ``selector``, its name in the study; ``curve``, the common name, that of the base
        if it is unique; ``n_bags``, 1 for ensembles without bags and for the base alone.
    """
    curves: dict[str, dict[int, str]] = defaultdict(dict)
    bases: dict[str, str] = {}
    names = {_comparable_text(entry["object"]): entry["name"] for entry in plan["selectors"]}
    for entry in plan["selectors"]:
        if isinstance(entry["object"], dict) and entry["object"].get("class") == ENSEMBLE:
            rest = dict(entry["object"]["parameters"])
            n_bags, base = rest.pop("n_bags"), rest.pop("base")
            key = json.dumps({**rest, "base": _comparable_text(base)}, sort_keys=True)
            curves[key][NO_BAGS if n_bags is None else n_bags] = entry["name"]
            bases.setdefault(key, _format_base_name(base))
            if _comparable_text(base) in names:
                curves[key][NO_ENSEMBLE] = names[_comparable_text(base)]
    for key, points in curves.items():
        # one selector is shown at 1: the base alone, else an ensemble without bags
        without_bags = points.get(NO_ENSEMBLE, points.get(NO_BAGS))
        curves[key] = {n_bags: name for n_bags, name in points.items() if n_bags > 0}
        if without_bags is not None:
            curves[key][1] = without_bags
    return _curve_table({key: points for key, points in curves.items() if len(points) > 1}, bases)


def _curve_table(curves: Mapping[str, Mapping[int, str]], bases: Mapping[str, str]) -> pd.DataFrame:
    if not curves:
        raise InvalidInputError(
            "no two ensembles of this study differ in n_bags alone, so there is no line to draw; "
            "add some, such as hf.Ensemble('relieff', n_bags=5) and with n_bags=40."
        )
    used = [bases[key] for key in curves]
    names = {
        key: bases[key] if used.count(bases[key]) == 1 else points[min(points)]
        for key, points in curves.items()
    }
    rows = [
        {"selector": selector, "curve": names[key], "n_bags": n_bags}
        for key, points in curves.items()
        for n_bags, selector in sorted(points.items())
    ]
    return pd.DataFrame(rows)


def _comparable_text(document: JSON) -> str:
    """Return a selector as text for comparisons, whether given by name or as an object."""
    if document is None or (isinstance(document, str) and not document.startswith("(")):
        document = serialize_object(as_selector(document or "f_score"))
    if isinstance(document, dict) and "parameters" in document:
        kept = {k: v for k, v in document["parameters"].items() if k not in SET_BY_STUDY}
        document = {**document, "parameters": kept}
    return json.dumps(document, sort_keys=True)


def _format_base_name(base: SelectorLike) -> str:
    """Return the name of the base of an ensemble from its serialized form."""
    if base is None:
        return "f_score"
    if isinstance(base, str):
        return base
    parts = base.get("tuple") if isinstance(base, dict) else base
    if isinstance(parts, list):
        return " + ".join(map(_format_base_name, parts))
    path = base.get("class") or base.get("function") or base.get("opaque")
    kind = str(path).rpartition(":")[2]
    known = {record.kind.__name__: name for name, record in SELECTORS.items()}
    return known.get(kind, snake_case(kind))
