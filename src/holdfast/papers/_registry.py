"""All papers, and the list of their experiments."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from holdfast._registry import Registry, Row
from holdfast.papers._dataset_locator import DatasetLocator

if TYPE_CHECKING:
    import pandas as pd

    from holdfast.papers._record import Paper

ALL_PAPERS = "all"


def _describe(paper: Paper) -> Row:
    experiments = [
        {
            "experiment": experiment.name,
            "title": experiment.title,
            "data": list(experiment.data),
            "claims": len(experiment.claims),
        }
        for experiment in paper.experiments
    ]
    return {"experiments": experiments, "reference": paper.reference}


PAPERS: Registry[Paper] = Registry("paper", describe=_describe, suggestions=(ALL_PAPERS,))


def paper_rows(data: str | os.PathLike[str] | None = None) -> list[dict[str, Any]]:
    """Return one row per experiment, with which of its data sets are available; see `list_papers`.

    Parameters
    ----------
    data : path, optional
        The folder of data sets; by default the one that ``HOLDFAST_DATA`` names.
    """
    locator = DatasetLocator(data)

    def make_row(paper: Row, experiment: Row) -> dict[str, Any]:
        available = {name: locator.source(name) is not None for name in experiment["data"]}
        return {
            "paper": paper["name"],
            "experiment": experiment["experiment"],
            "title": experiment["title"],
            "at_hand": tuple(name for name in available if available[name]),
            "missing": tuple(name for name in available if not available[name]),
            "claims": experiment["claims"],
            "reference": paper["reference"],
        }

    return [
        make_row(paper, experiment)
        for paper in PAPERS.rows()
        for experiment in paper["experiments"]
    ]


def list_papers(data: str | os.PathLike[str] | None = None) -> pd.DataFrame:
    """List the papers' tables and figures, and whether their data sets are available.

    Parameters
    ----------
    data : path, optional
        The folder of data sets; by default the one that ``HOLDFAST_DATA`` names.

    Returns
    -------
    pandas.DataFrame
        One row per experiment: ``paper``, ``experiment``, ``title``, the data sets ``at_hand``
        and ``missing`` (both empty where data are simulated), the number of ``claims``, and the
        full ``reference``.

    Examples
    --------
    >>> from holdfast.papers import list_papers
    >>> table = list_papers().set_index(["paper", "experiment"])
    >>> table.loc[("somol2008", "table"), "at_hand"]
    ('wine',)
    """
    import pandas as pd

    return pd.DataFrame(paper_rows(data))
