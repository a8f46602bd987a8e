"""Words that need an explanation: marked where a section first uses them."""

from __future__ import annotations

import re
from itertools import count
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

TERM = Markup(
    '<a class="term" href="#{entry}" aria-describedby="{tip}">{word}</a>'
    '<span class="tip" role="tooltip" id="{tip}">{meaning}</span>'
)


class Terms:
    """The glossary of a page.

    Parameters
    ----------
    glossary : mapping
        What each term means, in a sentence.

    Examples
    --------
    >>> mark = Terms({"stability": "How alike the selections are."}).section()
    >>> mark("Stability of <b>")
    Markup('<a class="term" href="#term-1" aria-describedby="tip-1">Stability</a><span
    class="tip" role="tooltip" id="tip-1">How alike the selections are.</span> of &lt;b&gt;')
    >>> mark("the stability")
    Markup('the stability')
    """

    def __init__(self, glossary: Mapping[str, str]) -> None:
        self.glossary = glossary
        self.entries = {term: f"term-{place}" for place, term in enumerate(glossary, 1)}
        self._lowered = {term.lower(): term for term in glossary}
        self._numbers = count(1)
        self._pattern = _pattern(glossary)

    def section(self) -> Callable[[str], Markup]:
        """Return a function that marks each term once, and escapes all the rest."""
        seen: set[str] = set()

        def mark(text: str) -> Markup:
            pieces = self._pattern.split(text) if self._lowered else [text]
            return Markup("").join(self._piece(piece, seen) for piece in pieces)

        return mark

    def _piece(self, piece: str, seen: set[str]) -> Markup:
        term = self._known(piece)
        if term is None or term in seen:
            return escape(piece)
        seen.add(term)
        return TERM.format(
            entry=self.entries[term],
            tip=f"tip-{next(self._numbers)}",
            word=piece,
            meaning=self.glossary[term],
        )

    def _known(self, piece: str) -> str | None:
        word = piece.lower()
        return self._lowered.get(word) or self._lowered.get(word.removesuffix("s"))


def _pattern(glossary: Mapping[str, str]) -> re.Pattern[str]:
    # the longest first: "selection frequency" is not "frequency"
    terms = sorted(glossary, key=lambda term: (-len(term), term))
    return re.compile(rf"(?<!\w)((?:{'|'.join(map(re.escape, terms))})s?)(?!\w)", re.IGNORECASE)
