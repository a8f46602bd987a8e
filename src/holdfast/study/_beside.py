"""Resamples beside those of the protocol: disjoint parts of the data, and its cohorts.

They tell what a second study would find, whatever the protocol; nothing is tested on them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.errors import InvalidInputError
from holdfast.resample import CohortDesign, ReplicationDesign
from holdfast.resample._replication import FULL, ROLES
from holdfast.resample._units import Units
from holdfast.study._seeds import COHORTS, REPLICATION, seed_of

if TYPE_CHECKING:
    from holdfast.io import Dataset
    from holdfast.resample import Resample

DISJOINT = ROLES
"""Roles of the resamples that replication stability is estimated from."""
OF_COHORTS = ("cohort", "shuffled")
"""Roles of the resamples that compare cohorts."""
DRAWN = "each resample is an independent sample already"
"""Why there are no disjoint parts where data sets are drawn."""
BESIDE = (*DISJOINT, FULL, *OF_COHORTS)
LEAST, MOST = 10, 50
"""Fewest and most pairs of halves where nobody says how many."""
SHARE = 0.3
"""So many pairs for each resample of the protocol: some half of its work more."""


def disjoint_parts(
    data: Dataset, pairs: int | None, protocol: list[Resample], seed: int
) -> tuple[list[Resample], str]:
    """Draw disjoint parts of the data; if there are none, say why.

    Parameters
    ----------
    data : Dataset
        The data.
    pairs : int or None
        How many pairs of halves; 0 for none, None as many as go with the protocol.
    protocol : list of Resample
        The resamples of the protocol.
    seed : int
        The study's seed.
    """
    if pairs == 0:
        return [], "it was not asked for"
    if any(one.draw >= 0 for one in protocol):
        return [], DRAWN
    count = pairs or min(MOST, max(LEAST, round(SHARE * len(protocol))))
    try:
        drawn = ReplicationDesign(count).draw_units(
            Units.of(data.y, data.groups), seed_of(seed, REPLICATION)
        )
    except InvalidInputError as error:
        if pairs is not None:
            raise
        return [], str(error)
    return drawn, ""


def cohort_parts(data: Dataset, seed: int) -> list[Resample]:
    """Draw the cohorts of the data, and samples dealt anew to cohorts; none without cohorts."""
    if data.cohorts is None:
        return []
    units = Units.of(data.y, data.groups)
    return CohortDesign().draw_units(units, data.cohorts, seed_of(seed, COHORTS))
