"""Pictures of a result: its tables, handed to those who draw."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from holdfast._object_spec import snake_case
from holdfast.errors import InvalidInputError
from holdfast.measures import get_measure
from holdfast.select._adapter import as_selector
from holdfast.select._registry import SELECTORS
from holdfast.study._storage._serialization import serialize_object

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.io import Dataset
    from holdfast.judge import Recommendation, Replication, SelectorSimilarity, StabilityProfile
    from holdfast.plot import Picture
    from holdfast.preferences import Subsets
    from holdfast.study._storage._reader import StudyPreferences, View
    from holdfast.study._storage._serialization import JSON


OFTEN = 0.5
"""Share of resamples from which on a feature counts as often selected."""


class SelectorAtSize(NamedTuple):
    """A selector at a size."""

    selector: str
    size: int | str


class Pictures:
    """The pictures of a result, a method each.

    Without a selector or a size, the recommended ones are shown. Each method passes ``ax`` and
    ``style`` (``"light"`` or ``"dark"``) on to the function of :mod:`holdfast.plot` that draws,
    and returns a `Picture`, which holds the numbers and can be saved.
    """

    if TYPE_CHECKING:  # what the result has, that pictures are made from
        _view: View
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
        """Draw which features each resample selected; outer resamples stand apart.

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
        from holdfast.plot import stripes  # noqa: PLC0415  (matplotlib takes its time)

        cell = self._cell(selector, size)
        subsets = self.preferences[cell]
        return stripes(subsets, outer=self._outer(cell.selector), truth=self.truth, **how)

    def plot_profiles(self, **how: Any) -> Picture:
        """Draw stability against the number of features, with knots, for all selectors.

        Parameters
        ----------
        **how
            ``ax`` and ``style`` of :func:`holdfast.plot.profiles`; all else goes to ``profile``.

        Returns
        -------
        Picture
        """
        from holdfast.plot import profiles  # noqa: PLC0415

        drawing = _pop_options(how, "ax", "style")
        found = self.profile(**how)
        table = found.table[found.table["measure"] == found.measure]
        return profiles(table, found.knots, measure=_measure_title(found.measure), **drawing)

    def plot_replication(
        self, selector: str | None = None, size: int | str | None = None, **how: Any
    ) -> Picture:
        """Draw replication stability against the number of samples, as estimated and predicted.

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
            ``ax`` and ``style`` of :func:`holdfast.plot.plane`; all else goes to ``recommend``.

        Returns
        -------
        Picture
        """
        from holdfast.plot import plane  # noqa: PLC0415

        drawing = _pop_options(how, "ax", "style")
        found = self.recommend(**how)
        drawing["maximum"] = _maximum(found.measure)
        table = found.table if found.supported else found.table.assign(recommended=False)
        return plane(table, measure=_measure_title(found.measure), **drawing)

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
        from holdfast.plot import frequencies  # noqa: PLC0415

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
        from holdfast.plot import rank_ranges  # noqa: PLC0415

        return rank_ranges(self._frequencies(selector, size), **how)

    def plot_similarity(self, **how: Any) -> Picture:
        """Draw how alike the selections of each two selectors are.

        Parameters
        ----------
        **how
            ``ax`` and ``style`` of :func:`holdfast.plot.similarity`; all else goes to
            ``similarity``.

        Returns
        -------
        Picture
        """
        from holdfast.plot import similarity  # noqa: PLC0415

        drawing = _pop_options(how, "ax", "style")
        found = self.similarity(**how)
        return similarity(found.matrix, measure=_measure_title(found.measure), **drawing)

    def plot_upset(
        self, size: int | str | None = None, *, often: float = OFTEN, **how: Any
    ) -> Picture:
        """Draw how many features selectors share, of those that each selects often.

        Parameters
        ----------
        size : int, optional
            A size of the study; by default the recommended one. Selectors that choose the number
            of features themselves take part with what they chose.
        often : float, default 0.5
            Share of the resamples that must select a feature.
        **how
            ``most``, ``ax`` and ``style`` of :func:`holdfast.plot.upset`.

        Returns
        -------
        Picture
        """
        from holdfast.plot import upset  # noqa: PLC0415

        size = self.recommend().size if size is None else size
        table = self.frequencies
        table = table[table["size"].isin([size, "own"]) & (table["frequency"] >= often)]
        sets = {name: table["feature"][table["selector"] == name] for name in self.selectors}
        return upset({name: list(features) for name, features in sets.items()}, **how)

    def plot_truth(
        self, selector: str | None = None, size: int | str | None = None, **how: Any
    ) -> Picture:
        """Draw how often features were selected against their true effects, if these are known.

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
            The truth about the data is not known: they were not simulated.
        """
        from holdfast.plot import truth  # noqa: PLC0415

        if self.truth is None:
            raise InvalidInputError(
                "the truth about these data is not known: they were not simulated, or the data "
                "are not at hand. plot_frequencies() shows what was selected."
            )
        return truth(self._against_truth(self.preferences[self._cell(selector, size)]), **how)

    def plot_ensemble_sizes(
        self, measure: str | None = None, size: int | str | None = None, **how: Any
    ) -> Picture:
        """Draw stability against the number of bags, for ensembles equal in all else.

        Parameters
        ----------
        measure : str, optional
            A measure of the study; by default the recommended one.
        size : int, optional
            A size of the study, where the measure is one of subsets; by default the recommended
            one.
        **how
            ``ax`` and ``style`` of :func:`holdfast.plot.ensemble_sizes`.

        Returns
        -------
        Picture
            A line for all ensembles of one base; the base by itself, or else an ensemble without
            bags, stands at 1.

        Raises
        ------
        InvalidInputError
            No two ensembles of the study differ by ``n_bags`` alone, nor is there one with its
            base, or the study did not measure what is asked for.

        Examples
        --------
        >>> import holdfast as hf
        >>> selectors = [f"ensemble:base=f_score,n_bags={count}" for count in (2, 10)]
        >>> study = hf.Study(selectors, protocol=hf.Subsampling(5, 0.9), sizes=[2], classifiers=())
        >>> result = study.run(hf.io.read_data("@wine"), n_jobs=1)
        >>> result.plot_ensemble_sizes("jaccard", 2).numbers["n_bags"].tolist()
        [2, 10]
        """
        from holdfast.plot import ensemble_sizes  # noqa: PLC0415

        curves = ensemble_curves(self._view.plan)
        if measure is None:
            measure = self.recommend().measure or self._view.plan["measures"][0]
        values = self._measured(measure, size)
        table = curves.merge(values, on="selector").drop(columns="selector")
        return ensemble_sizes(
            table.rename(columns={"curve": "selector"}), measure=_measure_title(measure), **how
        )

    def _measured(self, measure: str, size: int | str | None) -> pd.DataFrame:
        """Return the rows of the table of stability of one measure, and of one size if it has."""
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

    def _cell(self, selector: str | None, size: int | str | None) -> SelectorAtSize:
        """Fill in what is recommended, where nothing is asked for."""
        if selector is not None and size is not None:
            return SelectorAtSize(selector, size)
        found = self.recommend()
        return SelectorAtSize(selector or found.selector, found.size if size is None else size)

    def _frequencies(self, selector: str | None, size: int | str | None) -> pd.DataFrame:
        cell = self._cell(selector, size)
        _ = self.preferences[cell]  # says what is wrong with the names, if anything is
        table = self.frequencies
        table = table[(table["selector"] == cell.selector) & (table["size"] == cell.size)]
        if self.truth is None:
            return table
        return table.assign(informative=table["feature"].isin(self.truth))

    def _outer(self, selector: str) -> list[int] | None:
        """Return the outer resample of each inner one; None where there is no outer one."""
        view = self._view
        numbers = view.counted(view.choices(view.selectors.index(selector)))
        outer = [view.parts[number].outer for number in numbers]
        return None if None in outer else [one for one in outer if one is not None]

    def _against_truth(self, subsets: Subsets) -> pd.DataFrame:
        names = np.array(subsets.feature_names, dtype=object)
        counts = np.bincount(subsets.indices, minlength=len(names))
        table = pd.DataFrame({"feature": names, "value": counts / len(subsets)})
        table["informative"] = table["feature"].isin(self.truth or ())
        generator = None if self.dataset is None else self.dataset.generator
        return table if generator is None else table.assign(effect=generator.draw(0).effects)


def _pop_options(options: dict[str, Any], *names: str) -> dict[str, Any]:
    """Take options out of others."""
    return {name: options.pop(name) for name in names if name in options}


def _maximum(measure: str | None) -> float:
    return 1.0 if measure is None else get_measure(measure).maximum


def _measure_title(measure: str | None) -> str:
    return "stability" if measure is None else get_measure(measure).title


# The ensembles of a study that differ by their number of bags alone.

ENSEMBLE = "holdfast.select:Ensemble"
SET_BY_STUDY = {"random_state", "n_features_to_select"}
NONE, ALONE = 0, -1
"""Instead of a number of bags: there are none, or there is no ensemble."""


def ensemble_curves(plan: JSON) -> pd.DataFrame:
    """Find the ensembles that are equal but for the number of bags.

    Parameters
    ----------
    plan : JSON
        The plan of a study.

    Returns
    -------
    pandas.DataFrame
        Columns ``selector``, its name in the study; ``curve``, what equal ones are called, by
        their base if this tells them apart; ``n_bags``, 1 where there are no bags, and for the
        base by itself, where the study has it, too.
    """
    curves: dict[str, dict[int, str]] = defaultdict(dict)
    bases: dict[str, str] = {}
    alone = {_essence(one["object"]): one["name"] for one in plan["selectors"]}
    for one in plan["selectors"]:
        if isinstance(one["object"], dict) and one["object"].get("class") == ENSEMBLE:
            rest = dict(one["object"]["parameters"])
            n_bags, base = rest.pop("n_bags"), rest.pop("base")
            key = json.dumps({**rest, "base": _essence(base)}, sort_keys=True)
            curves[key][NONE if n_bags is None else n_bags] = one["name"]
            bases.setdefault(key, _format_base_name(base))
            if _essence(base) in alone:
                curves[key][ALONE] = alone[_essence(base)]
    single = {key: _one_at_one(own) for key, own in curves.items()}
    return _table({key: own for key, own in single.items() if len(own) > 1}, bases)


def _one_at_one(own: Mapping[int, str]) -> dict[int, str]:
    """Let one selector stand at 1: the base by itself, else an ensemble without bags."""
    bags = {n_bags: name for n_bags, name in own.items() if n_bags > 0}
    without = own.get(ALONE, own.get(NONE))
    return bags if without is None else {**bags, 1: without}


def _table(curves: Mapping[str, Mapping[int, str]], bases: Mapping[str, str]) -> pd.DataFrame:
    if not curves:
        raise InvalidInputError(
            "no two ensembles of this study differ by n_bags alone, so there is no line to draw; "
            "give the study some, as hf.Ensemble('relieff', n_bags=5) and with n_bags=40."
        )
    used = [bases[key] for key in curves]
    names = {
        key: bases[key] if used.count(bases[key]) == 1 else own[min(own)]
        for key, own in curves.items()
    }
    rows = [
        {"selector": selector, "curve": names[key], "n_bags": n_bags}
        for key, own in curves.items()
        for n_bags, selector in sorted(own.items())
    ]
    return pd.DataFrame(rows)


def _essence(spelling: Any) -> str:  # noqa: ANN401
    """Return what a selector comes down to, whether it is given by name or as an object."""
    if spelling is None or (isinstance(spelling, str) and not spelling.startswith("(")):
        spelling = serialize_object(as_selector(spelling or "f_score"))
    if isinstance(spelling, dict) and "parameters" in spelling:
        kept = {k: v for k, v in spelling["parameters"].items() if k not in SET_BY_STUDY}
        spelling = {**spelling, "parameters": kept}
    return json.dumps(spelling, sort_keys=True)


def _format_base_name(base: Any) -> str:  # noqa: ANN401
    """Return what the base of an ensemble is called, from its spelling."""
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
