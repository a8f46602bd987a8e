"""Tables turned round."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def side_by_side(
    table: pd.DataFrame, keys: list[str], column: str, values: str = "value"
) -> pd.DataFrame:
    """Return one row for each keys and one column for each entry of a column, in their order."""
    rows = table[keys].drop_duplicates()
    names = list(dict.fromkeys(table[column]))
    wide = table.set_index([*keys, column])[values].unstack(column)[names]
    return rows.merge(wide.rename_axis(columns=None).reset_index(), on=keys, how="left")
