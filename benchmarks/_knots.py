"""How often knots are found where they should be, on simulated data.

Figures, not goals: they say what to expect of a knot. The rule and its constants were chosen among
several on most of the Gaussian designs below, with other draws; so these figures are a little kind
to it, but for the last ones, which were not looked at before.
``python -m benchmarks._knots`` prints them alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks._record import SEED
from holdfast.judge import find_knot
from holdfast.select import get_selector
from holdfast.simulate import Microarray

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks._inputs import Labelled
    from holdfast.judge import Knot

SETS = 30  # data sets of each setting
RESAMPLES = 20
BLOCK = 10  # features that correlate with each other
NEAR = 0.2  # relative error up to which a knot counts as right
STRONG, MODERATE, MIXED = (2.0, 3.0), (1.0, 2.0), (0.5, 3.0)


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Gaussian data in which the first features differ between two classes, and a protocol."""

    name: str
    selector: str
    informative: int
    share: float
    effects: tuple[float, float] = STRONG
    n: int = 60
    p: int = 1000
    correlation: float = 0.0

    def draw(self, rng: np.random.Generator) -> Labelled:
        """Return a data set; features correlate in blocks, informative ones with others."""
        y = np.arange(self.n) % 2
        common = np.repeat(rng.normal(size=(self.n, self.p // BLOCK)), BLOCK, axis=1)
        own = rng.normal(size=(self.n, self.p))
        X = np.sqrt(self.correlation) * common + np.sqrt(1 - self.correlation) * own
        X = X[:, rng.permutation(self.p)]
        X[:, : self.informative] += y[:, None] * rng.uniform(*self.effects, self.informative)
        return X, y


class Arrays(Setting):
    """Data of the bundled generator: many small effects, correlated modules."""

    def draw(self, rng: np.random.Generator) -> Labelled:
        """Return a data set."""
        generator = Microarray(n_samples=self.n, n_features=self.p, n_informative=self.informative)
        data = generator.draw(int(rng.integers(2**31)))
        return data.X, (data.y == data.y[0]).astype(int)


GAIN = "information_gain"
FEW: dict[str, Any] = {"selector": "t_score", "informative": 30}
GAINS: dict[str, Any] = {"selector": GAIN, "informative": 30}
CORRELATED: dict[str, Any] = {"name": "noise, correlation 0.9", "informative": 0}
NOISE: dict[str, Any] = {"name": "noise", "informative": 0}
WIDE: dict[str, Any] = {"selector": "t_score", "share": 0.9, "n": 100, "p": 2000}
SETTINGS = (
    Setting(name="strong effects", share=0.9, **FEW),
    Setting(name="strong effects", share=0.5, **FEW),
    Setting(name="moderate effects", share=0.9, effects=MODERATE, **FEW),
    Setting(name="moderate effects", share=0.5, effects=MODERATE, n=100, **FEW),
    Setting(name="weak to strong effects", informative=50, effects=MIXED, **WIDE),
    Setting(name="strong effects", share=0.9, **GAINS),
    Setting(name="strong effects", share=0.5, **GAINS),
    Setting(name="moderate effects", share=0.9, effects=MODERATE, n=100, **GAINS),
    Arrays(name="Microarray, most effects small", informative=40, **WIDE),
    Setting(selector="t_score", share=0.9, **NOISE),
    Setting(selector="t_score", share=0.5, **NOISE),
    Setting(selector=GAIN, share=0.9, **NOISE),
    Setting(selector=GAIN, share=0.5, **NOISE),
    # not looked at while the rule was chosen
    Setting(name="strong effects", selector="relieff", informative=20, share=0.9, n=80, p=500),
    Setting(name="correlation 0.6, strong effects", share=0.9, n=80, correlation=0.6, **FEW),
    Setting(selector="relieff", share=0.9, n=80, p=500, **NOISE),
    Setting(selector="t_score", share=0.9, n=80, correlation=0.9, **CORRELATED),
)


def knot_lines() -> list[str]:
    """Return a line for each setting: how often a knot is claimed, how near the truth."""
    lines = []
    for number, setting in enumerate(SETTINGS):
        rng = np.random.default_rng([SEED, number])
        lines.append(_line(setting, [_found(setting, rng) for _ in range(SETS)]))
    return lines


def _found(setting: Setting, rng: np.random.Generator) -> Knot:
    """Draw a data set, rank its features on subsamples of each class, find the knot."""
    X, y = setting.draw(rng)
    rows = [_subsample(y, setting.share, rng) for _ in range(RESAMPLES)]
    ranks = get_selector(setting.selector).kind().rank_resamples(X, y, rows)
    return find_knot(np.argsort(ranks.values, axis=1), X.shape[1])


def _subsample(y: NDArray[np.int64], share: float, rng: np.random.Generator) -> NDArray[np.intp]:
    members = [np.flatnonzero(y == label) for label in (0, 1)]
    some = [rng.choice(own, round(share * len(own)), replace=False) for own in members]
    return np.sort(np.concatenate(some))


def _line(setting: Setting, knots: list[Knot]) -> str:
    found = [knot for knot in knots if knot.size is not None]
    protocol = f"{RESAMPLES} subsamples of {setting.share:.0%}"
    what = f"knots, {setting.name}, {setting.selector}, {protocol}"
    claimed = f"claimed on {len(found)} of {len(knots)} data sets"
    if setting.informative == 0:
        sizes = sorted(knot.size or 0 for knot in found)
        where = f", at {sizes[0]} to {sizes[-1]} features" if sizes else ""
        return f"{what}, n={setting.n} p={setting.p:,}: {claimed}{where}"
    truth = setting.informative
    error = np.array([(knot.size or 0) / truth - 1 for knot in found] or [np.nan])
    near = np.sum(np.abs(error) <= NEAR) / len(knots)
    covered = sum(knot.low <= truth <= knot.high for knot in found) / len(knots)
    return (
        f"{what}, {truth} informative of {setting.p:,}, n={setting.n}: {claimed}, "
        f"within {NEAR:.0%} of the truth {near:.0%}, interval holds it {covered:.0%}, "
        f"error median {np.median(error):+.0%}, root mean square {_rms(error):.0%}"
    )


def _rms(error: NDArray[np.float64]) -> float:
    return float(np.sqrt(np.mean(np.square(error))))


if __name__ == "__main__":
    print("\n".join(knot_lines()))
