"""What a plotting function returns: the picture, and the numbers that it shows."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl

from holdfast._text import shortened
from holdfast.errors import InvalidInputError
from holdfast.plot._quiet import quiet
from holdfast.plot._svg import polished

if TYPE_CHECKING:
    import os

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RESOLUTION = 200
FORMATS = ("svg", "png", "pdf")
SETTINGS: Any = {"svg.fonttype": "none", "svg.hashsalt": "holdfast", "pdf.fonttype": 42}


@dataclass(frozen=True, eq=False, repr=False)
class Picture:
    """A picture, the numbers that it shows, and what it shows in words.

    Notebooks show it by themselves; elsewhere, save it.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The figure that was drawn into.
    axes : tuple of matplotlib.axes.Axes
        The parts of it that hold the picture, the main one first.
    numbers : pandas.DataFrame
        What is drawn, with names unabridged.
    title : str
        A heading; it is not drawn.
    description : str
        What is to be seen, in a sentence or two, for those who cannot see it.

    Examples
    --------
    >>> import holdfast as hf, pandas as pd
    >>> table = pd.DataFrame({"feature": ["TP53", "MYC"], "frequency": [0.9, 0.4]})
    >>> picture = hf.plot.frequencies(table)
    >>> picture
    <Picture: How often features are selected. Next: .save("picture.svg")>
    >>> picture.svg()[:4]
    '<svg'
    """

    figure: Figure
    axes: tuple[Axes, ...]
    numbers: pd.DataFrame
    title: str
    description: str

    @property
    def ax(self) -> Axes:
        """The main part of the picture, to change it further."""
        return self.axes[0]

    def svg(self, *, background: bool = False) -> str:
        """Return the picture as an ``<svg>`` element that can stand in a web page.

        Text stays text, equal pictures give equal bytes, and nothing in the element depends on
        what else is on the page: identifiers are its own. Title and description are in it.

        Parameters
        ----------
        background : bool, default False
            Paint the background of the figure; else the page shows through.
        """
        stream = io.StringIO()
        with quiet(), mpl.rc_context(SETTINGS):
            self.figure.savefig(
                stream, format="svg", dpi=RESOLUTION, transparent=not background,
                metadata={"Date": None},
            )  # fmt: skip
        return polished(stream.getvalue(), self.title, self.description)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the picture to a file; the ending says how: ``.svg``, ``.png`` or ``.pdf``."""
        target = Path(path)
        kind = target.suffix.lower().removeprefix(".")
        if kind not in FORMATS:
            raise InvalidInputError(
                f"{target}: pictures are saved as {shortened(f'.{one}' for one in FORMATS)}, got "
                f"the ending {target.suffix!r}."
            )
        if kind == "svg":
            target.write_text(self.svg(background=True) + "\n", encoding="utf-8")
        else:
            self._render(target, kind)
        return target

    def _render(self, target: Path, kind: str) -> None:
        nothing = {"png": {"Software": None}, "pdf": {"CreationDate": None}}
        with quiet(), mpl.rc_context(SETTINGS):
            self.figure.savefig(target, format=kind, dpi=RESOLUTION, metadata=nothing[kind])

    def __repr__(self) -> str:
        return f'<Picture: {self.title}. Next: .save("picture.svg")>'

    def _repr_svg_(self) -> str:
        return self.svg(background=True)
