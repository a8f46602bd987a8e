"""The effects of selected features are not inflated, and their intervals hold the true ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.claims._claim import Claim, Rows, share_error
from holdfast.judge import effect_sizes, shrunken_effects

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

SEED = 2011
LEAST, MOST = 0.90, 0.98
"""Share of the true effects that intervals are to hold."""
BIAS = 0.15
"""By how much the mean estimate may miss the mean of the true effects."""
LABELS = ("a", "b", "c")


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A population of normal features, and how many are selected by their observed effect.

    The classes after the first differ from it by the true effect, in standard deviations.
    """

    truth: str
    n: int = 60
    p: int = 2000
    n_classes: int = 2
    n_selected: int = 10
    correlation: float = 0.0
    block: int = 50

    def draw_effects(self, rng: np.random.Generator) -> Array:
        """Return the true effects."""
        effects = np.zeros(self.p)
        if self.truth == "20 of 0.8":
            effects[:20] = 0.8
        elif self.truth == "50 from 1.2 to 0.2":
            effects[:50] = np.linspace(1.2, 0.2, 50)
        elif self.truth == "all N(0, 0.3²)":
            effects = rng.normal(0, 0.3, self.p)
        return rng.permutation(effects)

    def draw(self, rng: np.random.Generator) -> tuple[Array, NDArray[np.intp], Array]:
        """Return data, classes and the true effects: of the second class against the others."""
        effects, codes = self.draw_effects(rng), np.arange(self.n) % self.n_classes
        X = np.sqrt(1 - self.correlation) * rng.normal(size=(self.n, self.p))
        if self.correlation:
            common = rng.normal(size=(self.n, -(-self.p // self.block)))
            X += np.sqrt(self.correlation) * np.repeat(common, self.block, axis=1)[:, : self.p]
        return X + (codes == 1)[:, None] * effects, codes, effects

    def towards(self, effects: Array, direction: NDArray[np.object_]) -> Array:
        """Return true effects towards classes: the others have the second among their rest."""
        share = 1 / (self.n_classes - 1)
        return np.where(direction == LABELS[1], effects, -effects * share)


SETTINGS = (
    *(
        Setting(truth=truth, n=n)
        for n in (60, 200)
        for truth in ("nothing", "20 of 0.8", "50 from 1.2 to 0.2", "all N(0, 0.3²)")
    ),
    Setting(truth="nothing", correlation=0.7),
    Setting(truth="20 of 0.8", correlation=0.7),
    Setting(truth="20 of 0.8", n=90, n_classes=3),
    Setting(truth="all N(0, 0.3²)", p=20, n_selected=5),
)


def _run(data_sets: int) -> Rows:
    return [_row(number, setting, data_sets) for number, setting in enumerate(SETTINGS)]


def _row(number: int, setting: Setting, data_sets: int) -> dict[str, object]:
    draws = [_selected(setting, [SEED, number, at]) for at in range(data_sets)]
    observed, effect, low, high, plain_low, plain_high, truth = np.array(draws).transpose(1, 0, 2)
    held = (low - 1e-9 <= truth) & (truth <= high + 1e-9)
    covered = float(held.mean())
    between_sets = float(held.mean(axis=1).std()) / np.sqrt(data_sets)
    features = "independent"
    if setting.correlation:
        features = f"blocks of {setting.block}, r = {setting.correlation:g}"
    return {
        "true effects": setting.truth,
        "samples": setting.n,
        "classes": setting.n_classes,
        "features": f"{setting.p:,}, {features}",
        "observed": float(observed.mean()),
        "estimated": float(effect.mean()),
        "true": float(truth.mean()),
        "covered": covered,
        "standard error": max(between_sets, share_error(covered, held.size)),
        "width": float((high - low).mean()),
        "plain covered": float(((plain_low <= truth) & (truth <= plain_high)).mean()),
        "plain width": float((plain_high - plain_low).mean()),
        "error of the estimate": float((effect.mean(axis=1) - truth.mean(axis=1)).std())
        / np.sqrt(data_sets),
    }


def _selected(setting: Setting, seed: list[int]) -> list[Array]:
    """Select the features of the highest observed effects; return what is said and what is true."""
    X, codes, effects = setting.draw(np.random.default_rng(seed))
    labels = LABELS[: setting.n_classes]
    top = np.argsort(-effect_sizes(X, codes, labels)["effect"])[: setting.n_selected].to_numpy()
    plain = effect_sizes(X, codes, labels).iloc[top]
    found = shrunken_effects(X, codes, labels, random_state=seed[-1]).iloc[top]
    said = [found[name] for name in ("observed", "effect", "low", "high")]
    truth = setting.towards(effects[top], found["direction"].to_numpy())
    return [np.asarray(one) for one in (*said, plain["low"], plain["high"], truth)]


def _missed(rows: Rows, slack: float) -> list[str]:
    missed = []
    for row in rows:
        name = f"{row['true effects']}, {row['samples']} samples, {row['features']} features"
        covered, error = row["covered"], slack * row["standard error"]
        if covered < LEAST - error:
            missed.append(f"{name}: intervals contain {covered:.0%} of the true effects.")
        if covered > MOST + error and row["width"] >= row["plain width"]:
            missed.append(f"{name}: intervals contain {covered:.1%} and are wider than plain ones.")
        apart = abs(row["estimated"] - row["true"])
        if apart > BIAS + slack * row["error of the estimate"]:
            missed.append(f"{name}: the estimate is off by {apart:.2f}.")
    return missed


CLAIM = Claim(
    name="effects",
    title="Effects of selected features",
    about=(
        "The ten features (five of 20) with the highest observed effects are selected, and their "
        "effects are estimated from the same data. Goals: 95% intervals contain 90 to 98% of the "
        "true effects, more only if they are shorter than the plain intervals of Hedges and "
        f"Olkin; the mean estimate is off by at most {BIAS}. If nothing has an effect, nearly all "
        "intervals contain 0, as they should."
    ),
    run=_run,
    missed=_missed,
    data_sets=100,
    few_data_sets=8,
)
