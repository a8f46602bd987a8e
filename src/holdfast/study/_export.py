"""The tables of a result as files that any program reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from holdfast.study._cohorts import has_cohorts
from holdfast.study._feature_chances import why_none
from holdfast.study._folder import made_folder
from holdfast.study._predicted import no_predictions, prediction_frames
from holdfast.study._tables import appearing, writer_of
from holdfast.study._view import OWN, View, cut

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from holdfast.study._result import Result
    from holdfast.study._view import FeatureGroup

TABLES: dict[str, Callable[[Result], Iterable[pd.DataFrame]]] = {
    "features": lambda result: [result.features],
    "replication": lambda result: [result.replication],
    "cohorts": lambda result: [result.cohorts],
    "stability": lambda result: [result.stability],
    "errors": lambda result: [result.errors],
    "frequencies": lambda result: [result.frequencies],
    "selections": lambda result: selection_frames(View(result.store)),
    "groups": lambda result: group_frames(View(result.store)),
    "values": lambda result: [result.values],
    "predictions": lambda result: _predictions(View(result.store)),
    "failures": lambda result: [result.failures],
    "resamples": lambda result: [result.resamples],
    "timings": lambda result: [result.timings],
}


def export(
    result: Result,
    folder: str | os.PathLike[str],
    format: Literal["csv", "parquet"] = "csv",  # noqa: A002
) -> list[Path]:
    r"""Write the tables of a result to files: one observation a row, one variable a column.

    Parameters
    ----------
    result : Result
        What to write.
    folder : path
        Where to; made if need be. Tables that are there are replaced, each when it is whole.
    format : {"csv", "parquet"}, default "csv"
        CSV is UTF-8 with ``\n`` line ends, missing values empty. Parquet needs pyarrow; there a
        selector's own size, ``own`` in CSV, is a missing number.

    Returns
    -------
    list of Path
        The files: features (each one's chance to be found again), replication and cohorts
        (where the study has them), stability, errors, frequencies, selections (the features that
        each selector chose on each resample, by rank), groups (where selectors find any: each
        member of each group), values (where searches say what their subsets are worth),
        predictions, failures, resamples, timings. All but the timings have the same bytes
        whenever the same study is exported.

    Raises
    ------
    StoreError
        The folder cannot be written to.

    Examples
    --------
    >>> import tempfile
    >>> import holdfast as hf
    >>> study = hf.Study("f_score", protocol=hf.Subsampling(10, 0.9), sizes=[2], classifiers=())
    >>> result = study.run(hf.io.read_data("@wine"), n_jobs=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = hf.export(result, folder)
    >>> [path.name for path in paths][:3]
    ['features.csv', 'replication.csv', 'stability.csv']
    """
    write = writer_of(format)
    target = made_folder(folder)
    view = View(result.store)
    there = {
        "groups": any(map(view.finds_groups, view.selectors)),
        "cohorts": has_cohorts(view),
        "replication": not why_none(view),
        "features": not why_none(view),
        "values": len(result.values) > 0,
    }
    paths = []
    for name, frames in TABLES.items():
        if not there.get(name, True):
            continue
        path = target / f"{name}.{format}"
        with appearing(path) as partial:
            write(partial, frames(result))
        paths.append(path)
    return paths


def selection_frames(view: View) -> Iterator[pd.DataFrame]:
    """Yield who selected what, selector by selector; features without an order have no rank."""
    yield _selections(view, "", [], [], ranked=True)
    for selector, name in enumerate(view.selectors):
        found = view.choices(selector)
        if found:
            most = view.sizes(selector)[-1]
            rows = cut(list(found.values()), most)
            yield _selections(view, name, list(found), rows, ranked=most != OWN)


def _selections(
    view: View, name: str, numbers: list[int], rows: list[NDArray[Any]], *, ranked: bool
) -> pd.DataFrame:
    lengths = [len(row) for row in rows]
    ranks = np.concatenate([np.arange(0), *(np.arange(1, n + 1) for n in lengths)])
    features = np.concatenate([np.arange(0), *rows])
    roles = np.array([view.parts[number].role for number in numbers], dtype=object)
    rank = (
        pd.array(ranks, dtype="Int64") if ranked else pd.array([None] * len(ranks), dtype="Int64")
    )
    return pd.DataFrame(
        {
            "selector": np.full(len(ranks), name, dtype=object),
            "resample": np.repeat(np.array(numbers, dtype=np.int64), lengths),
            "role": np.repeat(roles, lengths),
            "rank": rank,
            "feature": view.feature_names[features],
        }
    )


def group_frames(view: View) -> Iterator[pd.DataFrame]:
    """Yield the members of the groups that each selector found, as many groups as were asked."""
    for selector, name in enumerate(view.selectors):
        if view.finds_groups(name):
            found = view.feature_groups(selector)
            rows = cut(list(found.values()), view.sizes(selector)[-1])
            for number, groups in zip(found, rows, strict=True):
                yield _groups(view, name, number, groups)


def _groups(view: View, name: str, number: int, groups: list[FeatureGroup]) -> pd.DataFrame:
    lengths = [len(group.members) for group in groups]
    stands = np.array([group.representative for group in groups], dtype=np.intp)
    members = np.concatenate([np.arange(0), *(group.members for group in groups)])
    return pd.DataFrame(
        {
            "selector": name,
            "resample": number,
            "role": view.parts[number].role,
            "group": np.repeat(np.arange(1, len(groups) + 1), lengths),
            "representative": view.feature_names[np.repeat(stands, lengths)],
            "feature": view.feature_names[members],
        }
    )


def _predictions(view: View) -> Iterator[pd.DataFrame]:
    yield no_predictions(view)  # the columns, even if there are no rows
    yield from prediction_frames(view)
