"""Stand-ins are listed where a feature takes another's place, and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import holdfast as hf
from benchmarks.claims._claim import Claim, Rows, share_error
from holdfast.judge import stand_ins
from holdfast.select import get_selector

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED = 1922
RESAMPLES, N, P, N_INFORMATIVE = 50, 60, 200, 8
MAX_FALSE, MIN_POWER = 0.05, 0.5
"""Share of data sets with a false row, and of swapped features with a row."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Twins of informative features, and a selector that takes both or one of each pair."""

    name: str
    swaps: bool
    noise: float = 0.3
    """Standard deviation of what a twin adds to its feature."""
    n_selected: int = 12
    share: float = 0.9


SETTINGS = (
    Setting(name="t-score, 12 selected", swaps=False),
    Setting(name="t-score, 6 selected", swaps=False, n_selected=6),
    Setting(name="t-score, 12 selected, halves", swaps=False, share=0.5),
    Setting(name="one of each twin pair, 8 selected", swaps=True, n_selected=8),
    Setting(name="one of each twin pair, 8 selected, halves", swaps=True, n_selected=8, share=0.5),
)


def _run(data_sets: int) -> Rows:
    return [_row(number, setting, data_sets) for number, setting in enumerate(SETTINGS)]


def _row(number: int, setting: Setting, data_sets: int) -> dict[str, object]:
    found = [_counts(setting, np.random.default_rng([SEED, number, at])) for at in range(data_sets)]
    rows, old_rows, false, swapped, shown = np.array(found, dtype=float).T
    return {
        "selector": setting.name,
        "swaps": "yes" if setting.swaps else "no",
        "correlated features selected in its absence": float(old_rows.mean()),
        "rows per study": float(rows.mean()),
        "studies with a false row": float((false > 0).mean()),
        "features swapped": float(swapped.sum()),
        "of these shown": float(shown.sum() / swapped.sum()) if swapped.sum() else np.nan,
        "studies": data_sets,
    }


def _counts(setting: Setting, rng: np.random.Generator) -> tuple[int, int, int, int, int]:
    """Return rows, correlated features seen in absence, false rows, swapped features, shown ones.

    A row is false where the selector cannot swap, or where its features are no twins. A feature is
    swapped where it is selected in 50% to 90% of the resamples, and its twin in most of the others.
    """
    X, y = _draw(setting.noise, rng)
    rows = [_subsample(y, setting.share, rng) for _ in range(RESAMPLES)]
    order = np.argsort(get_selector("t_score").kind().rank_resamples(X, y, rows).values, axis=1)
    chosen = [_select(one, setting) for one in order]
    table = stand_ins(hf.Subsets(chosen, n_features=P), X).table
    pairs = set(zip(table["feature"].astype(int), table["stand_in"].astype(int), strict=True))
    twins = {(f, _twin(f)) for f in range(2 * N_INFORMATIVE)}
    false = pairs - twins if setting.swaps else pairs
    swapped = {pair for pair in twins if _is_swapped(pair, chosen)} if setting.swaps else set()
    old = sum(_seen_in_absence(pair, chosen) for pair in twins)
    return len(pairs), old, len(false), len(swapped), len(swapped & pairs)


def _draw(noise: float, rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return data: informative features, their twins, then noise."""
    y = np.arange(N) % 2
    X = rng.normal(size=(N, P))
    X[:, :N_INFORMATIVE] += np.linspace(1.2, 0.6, N_INFORMATIVE) * y[:, None]
    first, second = slice(N_INFORMATIVE), slice(N_INFORMATIVE, 2 * N_INFORMATIVE)
    X[:, second] = X[:, first] + noise * X[:, second]
    return X, y


def _subsample(y: NDArray[np.intp], share: float, rng: np.random.Generator) -> NDArray[np.intp]:
    members = [np.flatnonzero(y == label) for label in (0, 1)]
    some = [rng.choice(own, round(share * len(own)), replace=False) for own in members]
    return np.sort(np.concatenate(some))


def _twin(feature: int) -> int:
    return feature + N_INFORMATIVE if feature < N_INFORMATIVE else feature - N_INFORMATIVE


def _select(order: NDArray[np.intp], setting: Setting) -> list[int]:
    """Take the best features; where the selector swaps, none whose twin is taken."""
    chosen: list[int] = []
    for feature in order.tolist():
        taken = setting.swaps and feature < 2 * N_INFORMATIVE and _twin(feature) in chosen
        if not taken:
            chosen.append(feature)
        if len(chosen) == setting.n_selected:
            break
    return chosen


def _is_swapped(pair: tuple[int, int], chosen: list[list[int]]) -> bool:
    there = [pair[0] in one for one in chosen]
    twins = [pair[1] in one for one, own in zip(chosen, there, strict=True) if not own]
    return 0.5 <= np.mean(there) <= 0.9 and np.mean(twins) > 0.5


def _seen_in_absence(pair: tuple[int, int], chosen: list[list[int]]) -> bool:
    often = np.mean([pair[0] in one for one in chosen]) >= 0.5
    return bool(often and any(pair[1] in one and pair[0] not in one for one in chosen))


def _missed(rows: Rows, slack: float) -> list[str]:
    missed = []
    for row in rows:
        false = row["studies with a false row"]
        if false > MAX_FALSE + slack * share_error(false, row["studies"]):
            missed.append(f"{row['selector']}: {false:.0%} of the studies have a false row.")
        shown = row["of these shown"]
        if np.isfinite(shown) and shown < MIN_POWER - slack * share_error(shown, row["studies"]):
            missed.append(f"{row['selector']}: {shown:.0%} of the swapped features are shown.")
    return missed


CLAIM = Claim(
    name="stand_ins",
    title="Stand-ins",
    about=(
        f"{N_INFORMATIVE} informative features of {P} have a twin (r about 0.96); {N} samples, "
        f"{RESAMPLES} subsamples. A t-score selects twins together, so no feature replaces "
        "another. A selector that takes one feature of each twin pair swaps them. Goals: false "
        "rows in at most 5% of the studies; at least half of the swapped features are shown."
    ),
    run=_run,
    missed=_missed,
    data_sets=200,
    few_data_sets=30,
)
