"""All papers whose experiments can be run again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from holdfast._text import did_you_mean
from holdfast.errors import UnknownNameError
from holdfast.papers._library import Library
from holdfast.papers.dernoncourt2014 import DERNONCOURT2014
from holdfast.papers.kalousis2005 import KALOUSIS2005
from holdfast.papers.saeys2008 import SAEYS2008
from holdfast.papers.somol2008 import SOMOL2008
from holdfast.papers.yu2008 import YU2008

if TYPE_CHECKING:
    import os

    from holdfast.papers._record import Paper

PAPERS: dict[str, Paper] = {
    paper.name: paper for paper in (KALOUSIS2005, DERNONCOURT2014, SOMOL2008, YU2008, SAEYS2008)
}


def get_paper(name: str) -> Paper:
    """Return the record of a paper."""
    if name not in PAPERS:
        known = [*PAPERS, "all"]
        raise UnknownNameError(f"no paper is called {name!r}.{did_you_mean(name, known)}")
    return PAPERS[name]


def list_papers(data: str | os.PathLike[str] | None = None) -> pd.DataFrame:
    """List the papers' tables and figures, and whether their data sets are at hand.

    Parameters
    ----------
    data : path, optional
        The folder of data sets; by default the one that ``HOLDFAST_DATA`` names.

    Returns
    -------
    pandas.DataFrame
        One row for each experiment: ``paper``, ``experiment``, ``title``, the data sets ``at_hand``
        and ``missing`` (both empty where the experiment simulates), the number of ``claims``
        that are checked, and the full ``reference``.

    Examples
    --------
    >>> from holdfast.papers import list_papers
    >>> table = list_papers().set_index(["paper", "experiment"])
    >>> table.loc[("somol2008", "table"), "at_hand"]
    ('wine',)
    """
    library = Library(data)
    rows = [
        {
            "paper": paper.name,
            "experiment": one.name,
            "title": one.title,
            "at_hand": tuple(name for name in one.data if library.source(name) is not None),
            "missing": tuple(name for name in one.data if library.source(name) is None),
            "claims": len(one.claims),
            "reference": paper.reference,
        }
        for paper in PAPERS.values()
        for one in paper.experiments
    ]
    return pd.DataFrame(rows)
