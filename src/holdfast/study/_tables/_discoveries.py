"""Features discovered from the disjoint halves of a study, at a false discovery rate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from holdfast._formatting import format_list
from holdfast._typing import FloatArray
from holdfast.errors import InvalidInputError
from holdfast.select import HalfEffects, discover
from holdfast.study._storage._reader import StudyReader
from holdfast.study._storage._store import SIGNED, to_floats
from holdfast.study._tables._replication import why_none

DISCOVERY_COLUMNS = ["selector", "feature", "inclusion_rate", "agreement", "statistic"]


def discoveries_table(
    reader: StudyReader, selectors: Sequence[str] | None, fdr: float, offset: int
) -> pd.DataFrame:
    """List the features discovered by selectors that rank by a signed statistic.

    Parameters
    ----------
    reader : StudyReader
        The study.
    selectors : sequence of str or None
        Names; None: all selectors whose statistics are stored.
    fdr, offset
        As for `discover`.
    """
    if why := why_none(reader):
        raise InvalidInputError(f"discoveries need disjoint halves of the data: {why}")
    statistics = {
        name: read_half_statistics(reader, reader.selector_index(name))
        for name in (reader.selectors if selectors is None else selectors)
    }
    known = {name: halves for name, halves in statistics.items() if len(halves)}
    if not known or (selectors is not None and len(known) < len(statistics)):
        missing = [name for name in statistics if name not in known]
        raise InvalidInputError(
            f"signed statistics on both halves of a split are stored for selectors that rank by a "
            f"t statistic of two classes, not for {format_list(missing)}. Add t_score to the "
            "study, or fit DataSplitting to its data."
        )
    tables = [_discoveries_of(reader, name, halves, fdr, offset) for name, halves in known.items()]
    return pd.concat(tables, ignore_index=True)


def read_half_statistics(reader: StudyReader, selector: int) -> FloatArray:
    """Return the stored statistics of the splits whose halves are both done.

    Parameters
    ----------
    reader : StudyReader
        The study.
    selector : int
        Position of the selector in the plan.

    Returns
    -------
    ndarray of shape (splits, 2, p)
        Without a split if nothing is stored.
    """
    stored = dict(reader.stored_data(selector, SIGNED))
    pairs = [
        (to_floats(stored[one]), to_floats(stored[other]))
        for one, other in reader.replication_pairs.halves.tolist()
        if one in stored and other in stored
    ]
    return np.array(pairs).reshape(len(pairs), 2, reader.n_features)


def _discoveries_of(
    reader: StudyReader, name: str, halves: FloatArray, fdr: float, offset: int
) -> pd.DataFrame:
    """Return the discoveries of one selector, those of the highest inclusion rate first."""
    first, second = halves[:, 0], halves[:, 1]
    effects = HalfEffects(np.sign(first) * np.sign(second), np.abs(first), np.abs(second))
    found = discover(effects.mirror_statistics("sum"), fdr, offset)
    statistic = halves.mean(axis=(0, 1))
    features = np.flatnonzero(found.support)
    # of equal rates those with the larger statistic come first, then those of earlier columns
    order = np.lexsort((features, -np.abs(statistic[features]), -found.inclusion_rates[features]))
    features = features[order]
    return pd.DataFrame(
        {
            "selector": pd.Series([name] * len(features), dtype=object),
            "feature": pd.Series(reader.feature_names[features], dtype=object),
            "inclusion_rate": found.inclusion_rates[features],
            "agreement": (effects.agreement[:, features] > 0).mean(axis=0),
            "statistic": statistic[features],
        },
        columns=DISCOVERY_COLUMNS,
    )
