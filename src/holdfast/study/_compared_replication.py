"""The table of tests: which selector replicates better in new studies?"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from holdfast.errors import InvalidInputError
from holdfast.judge import compare_replication
from holdfast.judge._tests import check_correction, corrected
from holdfast.study._replication import replicated_of

if TYPE_CHECKING:
    from holdfast.judge import Replication
    from holdfast.judge._tests import Correction
    from holdfast.study._measured import Data
    from holdfast.study._view import View

COLUMNS = [
    *("selector_a", "selector_b", "size", "measure", "n_samples"),
    *("replication_a", "replication_b", "difference", "low", "high"),
    *("standard_error", "p_value", "p_corrected"),
]


def compared_replication(
    view: View, data: Data, *, size: int | None, measure: str | None, correction: Correction
) -> pd.DataFrame:
    """Compare the replication stability of all pairs of selectors at a size."""
    check_correction(correction)
    found: dict[str, Replication] = {}
    reasons = []
    for name in view.selectors:
        try:
            found[name] = replicated_of(view, data, name, size, measure)
        except InvalidInputError as error:
            reasons.append(str(error))
    if not found:
        raise InvalidInputError(next(iter(reasons), "the study has no selector."))
    rows = []
    for first, second in combinations(found, 2):
        told = compare_replication(found[first], found[second])
        sizes = dict.fromkeys(str(found[name].size or "own") for name in (first, second))
        rows.append(
            {
                "selector_a": first,
                "selector_b": second,
                "size": ", ".join(sizes),
                "measure": told.measure,
                "n_samples": told.n_samples,
                "replication_a": told.first,
                "replication_b": told.second,
                "difference": told.difference,
                "low": told.low,
                "high": told.high,
                "standard_error": told.standard_error,
                "p_value": told.p_value,
            }
        )
    table = pd.DataFrame(rows, columns=COLUMNS[:-1])
    p_values = table["p_value"].to_numpy(dtype=np.float64)
    return table.assign(p_corrected=corrected(p_values, correction))
