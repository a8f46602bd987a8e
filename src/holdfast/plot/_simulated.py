"""Pictures of simulated figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.plot._simulated_effects import draw_other_filters, draw_scores, draw_selection
from holdfast.plot._simulated_sweeps import (
    draw_correlated,
    draw_errors,
    draw_ratios,
    draw_stability,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from holdfast.plot._picture import Picture
    from holdfast.plot._style import Style

DRAWN = {
    3: (draw_scores, ("points", "means")),
    4: (draw_selection, ("frequencies", "curves")),
    5: (draw_other_filters, ("curves",)),
    6: (draw_stability, ("stability",)),
    7: (draw_correlated, ("stability",)),
    8: (draw_errors, ("errors",)),
    9: (draw_ratios, ("stability",)),
}
"""How each figure is drawn, and the tables that it needs."""


def simulated_figure(
    number: int, tables: Mapping[str, pd.DataFrame], *, style: Style = "light"
) -> Picture:
    """Draw a figure of Dernoncourt et al. (2014), section 4, from its tables.

    Parameters
    ----------
    number : int
        The figure, 3 to 9.
    tables : mapping from str to pandas.DataFrame
        What :func:`holdfast.simulate.figure_tables` returns for it.
    style : {"light", "dark"}, default "light"
        The page that the picture stands on.

    Returns
    -------
    Picture
        A figure of its own, with one or more panels.

    References
    ----------
    Dernoncourt, Hanczar and Zucker (2014), Figures 3 to 9.

    Examples
    --------
    >>> from holdfast.plot import simulated_figure
    >>> from holdfast.simulate import figure_tables
    >>> simulated_figure(4, figure_tables(4))
    <Picture: How often features are selected, by true effect. Next: .save("picture.svg")>
    """
    if number not in DRAWN:
        raise UnknownNameError(f"figure must be one of {list(DRAWN)}; received {number!r}.")
    draw, needed = DRAWN[number]
    lacking = [name for name in needed if name not in tables]
    if lacking:
        raise InvalidInputError(
            f"figure {number} needs the tables {', '.join(needed)}; missing: "
            f"{', '.join(lacking)}. Make them: holdfast.simulate.figure_tables({number})."
        )
    return draw(tables, style)
