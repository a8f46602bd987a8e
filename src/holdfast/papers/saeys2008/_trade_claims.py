"""What the paper states about accuracy and robustness together: Table 4."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.papers._claims import Claim, Unchecked
from holdfast.papers.saeys2008._accurate_claims import by_classifier
from holdfast.papers.saeys2008._selectors import ENSEMBLE, RF, SELECTORS
from holdfast.papers.saeys2008._wide import first_of, gains, over, pairs_of, wide

if TYPE_CHECKING:
    from holdfast.papers._claims import Seen

ALMOST_ALL = 0.8
"""Bar, where the paper gives none."""


def ensembles_trade_better(seen: Seen) -> tuple[bool, str]:
    """Ensembles have the higher RPT in almost all cases."""
    table = wide(seen)
    up = {one: int((gains(table, one) > 0).sum()) for one in SELECTORS}
    count, size = sum(up.values()), len(table) * len(SELECTORS)
    each = ", ".join(f"{one} {number}" for one, number in up.items())
    text = f"higher in {count} of {size} cases (of {len(table)} each: {each}) {over(table)}"
    return count / size >= ALMOST_ALL, text


def forests_trade_best(seen: Seen) -> tuple[bool, str]:
    """Ensembles of forests have the highest mean RPT with every classifier."""
    found, where = by_classifier(seen)
    texts, held = [], True
    for name, rest in found.items():
        ours = rest.pop((RF, ENSEMBLE))
        best = first_of(rest)
        held &= ours > rest[best]
        texts.append(f"{name}: {ours:.2f}, best other {rest[best]:.2f} ({' '.join(best)})")
    return held, f"{'; '.join(texts)} {where}"


def best_depends_on_data(seen: Seen) -> tuple[bool, str]:
    """Not one selector has the best RPT on all data sets."""
    winners = {
        str(data): first_of({pair: float(own[pair].max()) for pair in pairs_of(own)})
        for data, own in wide(seen).groupby("data", sort=False)
    }
    if len(winners) < 2:
        raise Unchecked("it takes more than one data set")
    texts = [f"{data}: {' '.join(winner)}" for data, winner in winners.items()]
    return len(set(winners.values())) > 1, ", ".join(texts)


CLAIMS = (
    Claim("Ensembles have the higher RPT in almost all cases (bar: 80%).", ensembles_trade_better),
    Claim(
        "Ensembles of forests have the highest mean RPT with every classifier.", forests_trade_best
    ),
    Claim("Which selector has the best RPT depends on the data set.", best_depends_on_data),
)
