"""Words that need an explanation: marked where a section first uses them."""

from __future__ import annotations

import re
from itertools import count
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from holdfast.report._names import NAME, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

TIP = '<span class="tip" role="tooltip" id="{tip}">{meaning}</span>'
LINK = Markup('<a class="term" href="#{entry}" aria-describedby="{tip}">{word}</a>' + TIP)
# in a frame of a notebook, a link to a place in the page would load the notebook instead
WORD = Markup('<span class="term" tabindex="0" aria-describedby="{tip}">{word}</span>' + TIP)
APART = Markup("<bdi>{}</bdi>")


class Terms:
    """The glossary of a page.

    Parameters
    ----------
    glossary : mapping
        What each term means, in a sentence.
    names : collection of str
        Terms that are explained only where they are names, such as those of selectors.
    links : bool, default True
        Whether terms lead to the glossary.

    Examples
    --------
    >>> mark = Terms({"stability": "How alike the selections are."}).section()
    >>> mark("Stability of <b>")
    Markup('<a class="term" href="#term-1" aria-describedby="tip-1">Stability</a><span
    class="tip" role="tooltip" id="tip-1">How alike the selections are.</span> of &lt;b&gt;')
    >>> mark("the stability")
    Markup('the stability')
    """

    def __init__(
        self, glossary: Mapping[str, str], names: Collection[str] = (), *, links: bool = True
    ) -> None:
        self.glossary = glossary
        self.entries = {term: f"term-{place}" for place, term in enumerate(glossary, 1)}
        self._names = {name for name in names if name in glossary}
        words = [term for term in glossary if term not in self._names]
        self._lowered = {term.lower(): term for term in words}
        self._numbers = count(1)
        self._pattern = _pattern(words)
        self._shape = LINK if links else WORD

    def section(self) -> Callable[[str], Markup]:
        """Return a function that marks each term once, and escapes all the rest."""
        seen: set[str] = set()

        def mark(text: str) -> Markup:
            parts = enumerate(NAME.split(text))
            return Markup("").join(
                self._name(part[1:-1], seen) if at % 2 else self._words(part, seen)
                for at, part in parts
            )

        return mark

    def _words(self, text: str, seen: set[str]) -> Markup:
        pieces = self._pattern.split(text) if self._lowered else [text]
        return Markup("").join(self._piece(piece, self._known(piece), seen) for piece in pieces)

    def _name(self, name: str, seen: set[str]) -> Markup:
        """Set a name apart; it is explained if it is that of a selector, never by its words."""
        return APART.format(self._piece(name, name if name in self._names else None, seen))

    def _piece(self, piece: str, term: str | None, seen: set[str]) -> Markup:
        if term is None or term in seen:
            return escape(visible(piece))
        seen.add(term)
        return self._shape.format(
            entry=self.entries[term],
            tip=f"tip-{next(self._numbers)}",
            word=visible(piece),
            meaning=visible(self.glossary[term]),
        )

    def _known(self, piece: str) -> str | None:
        word = piece.lower()
        return self._lowered.get(word) or self._lowered.get(word.removesuffix("s"))


def told(text: str) -> Markup:
    """Return a sentence whose names are set apart, without explanations."""
    return Terms({}).section()(text)


def _pattern(words: Collection[str]) -> re.Pattern[str]:
    # the longest first: "selection frequency" is not "frequency"
    terms = sorted(words, key=lambda term: (-len(term), term))
    return re.compile(rf"(?<!\w)((?:{'|'.join(map(re.escape, terms))})s?)(?!\w)", re.IGNORECASE)
