"""Print the table of docs/replication.md: coverage of the intervals of replication stability.

Run it after a change to the design, the interval or one of the selectors::

    python docs/scripts/make_replication_tables.py [data sets] [index of a setting ...]

It takes about 8 minutes on one core for 200 data sets per setting. Each row is printed when it is
ready. The columns for subsamples and the bootstrap use a fifth of the data sets.
"""

import sys
from dataclasses import dataclass

import numpy as np

import holdfast as hf

PAIRS = 40
RESAMPLES = 50
"""Number of resamples for the columns of subsamples and the bootstrap."""
SLOW_SELECTORS = ("relieff", "svm_rfe")
"""Selectors that run on a quarter of the data sets."""
HEAD = (
    *("selector", "n", "p", "k", "features", "measure"),
    *("data sets", "truth, n/2", "mean estimate", "coverage", "mean width"),
    *("truth, n", "90% subsamples", "coverage", "bootstrap", "coverage"),
)


@dataclass(frozen=True)
class Setting:
    """Two Gaussian classes of n/2 samples with means of ± effect in some features."""

    selector: str
    n: int
    p: int
    informative: int
    effect: float
    size: int
    layout: str = "independent"
    measure: str = "nogueira"

    def draw(self, rng, n):
        """Return n samples; blocks are 10 features with correlations of 0.5."""
        X, y = rng.standard_normal((n, self.p)), np.arange(n) % 2
        if self.layout != "independent":
            shared = np.repeat(rng.standard_normal((n, self.p // 10)), 10, axis=1)
            X = np.sqrt(0.5) * (X + shared)
        step = 10 if self.layout == "blocks, one each" else 1
        X[:, : step * self.informative : step] += self.effect * np.where(y == 1, 1, -1)[:, None]
        return X, y

    def preferences(self, X, y, rows):
        """Return the preferences on resamples, in the form that the measure takes."""
        ranks = hf.select.get_selector(self.selector).kind().rank_resamples(X, y, rows)
        return ranks if self.measure == "spearman" else ranks.top(self.size)

    def truth(self, n, repeats, rng):
        """Return the agreement of selections from independent samples of n."""
        drawn = (self.draw(rng, n) for _ in range(repeats))
        found = [self.preferences(X, y, [np.arange(n)]) for X, y in drawn]
        return hf.measure(self.measure, hf.preferences.concat(found))

    def setting_cells(self):
        """Return the cells that describe the setting."""
        effects = f"{self.informative} of ±{self.effect:g}" if self.informative else "none of use"
        features = f"{effects}, {self.layout}"
        return [self.selector, self.n, self.p, self.size, features, self.measure]


SETTINGS = [
    Setting("t_score", 80, 500, 20, 0.35, 20),
    Setting("t_score", 40, 200, 10, 0.6, 10),
    Setting("t_score", 100, 2000, 50, 0.3, 50),
    Setting("t_score", 200, 500, 20, 0.35, 20),
    Setting("t_score", 200, 1000, 100, 0.15, 50),
    Setting("t_score", 100, 500, 0, 0.0, 20),
    Setting("t_score", 80, 500, 20, 0.35, 20, "blocks, filled"),
    Setting("t_score", 80, 500, 20, 0.35, 20, "blocks, one each"),
    Setting("t_score", 60, 2000, 20, 0.7, 20, "blocks, filled"),
    Setting("t_score", 200, 200, 10, 0.5, 10, "blocks, filled"),
    Setting("t_score", 100, 300, 60, 0.25, 30, "blocks, filled"),
    Setting("t_score", 80, 500, 20, 0.5, 20, "blocks, filled", "jaccard"),
    Setting("t_score", 80, 200, 40, 0.4, 200, "independent", "spearman"),
    Setting("relieff", 40, 200, 10, 0.6, 10),
    Setting("relieff", 80, 500, 20, 0.5, 20, "blocks, filled"),
    Setting("relieff", 100, 1000, 20, 0.5, 20, "blocks, one each"),
    Setting("svm_rfe", 40, 200, 10, 0.8, 10),
    Setting("svm_rfe", 80, 500, 20, 0.5, 20, "blocks, filled"),
    Setting("svm_rfe", 100, 200, 20, 0.5, 20, "blocks, one each"),
]


def format_coverage(low, high, truth):
    """Return the percentage of intervals that contain the truth."""
    return f"{100 * np.mean((np.array(low) <= truth) & (truth <= np.array(high))):.0f}%"


def estimate_replication(setting, n_sets, rng):
    """Return value, low and high of replication stability on each of many data sets."""
    found = []
    for seed in range(n_sets):
        X, y = setting.draw(rng, setting.n)
        one = hf.replication(
            setting.selector, X, y, size=setting.size, measure=setting.measure, n_pairs=PAIRS,
            random_state=seed,
        )  # fmt: skip
        found.append((one.value, one.low, one.high))
    return np.array(found).T


def estimate_over_resamples(setting, protocol, n_sets, rng):
    """Return value, low and high of the stability over resamples of each data set."""
    found = []
    for seed in range(n_sets):
        X, y = setting.draw(rng, setting.n)
        rows = [one.train for one in protocol.draw(y, random_state=seed)]
        table = hf.measure([setting.measure], setting.preferences(X, y, rows))
        found.append(table[["value", "low", "high"]].to_numpy()[0])
    return np.array(found).T


def setting_row(setting, number, n_sets):
    """Return the cells of a setting."""
    rng = np.random.default_rng(number)
    slow = setting.selector in SLOW_SELECTORS
    n_sets = n_sets // 4 if slow else n_sets
    repeats = 300 if slow or setting.measure != "nogueira" else 1000
    half, whole = (setting.truth(n, repeats, rng) for n in (setting.n // 2, setting.n))
    values, low, high = estimate_replication(setting, n_sets, rng)
    cells = [n_sets, f"{half:.2f}", f"{values.mean():.2f}", format_coverage(low, high, half)]
    cells += [f"{np.mean(high - low):.2f}", f"{whole:.2f}"]
    for protocol in (hf.Subsampling(RESAMPLES, 0.9), hf.Bootstrap(RESAMPLES)):
        values, low, high = estimate_over_resamples(setting, protocol, n_sets // 5, rng)
        cells += [f"{values.mean():.2f}", format_coverage(low, high, whole)]
    return [*setting.setting_cells(), *cells]


def write_row(cells):
    """Write a row of a Markdown table."""
    sys.stdout.write("| " + " | ".join(map(str, cells)) + " |\n")
    sys.stdout.flush()


def main(n_sets, numbers):
    """Write the table."""
    write_row(HEAD)
    write_row(["---", *["--:"] * 3, "---", "---", *["--:"] * 10])
    for number, setting in enumerate(SETTINGS):
        if not numbers or number in numbers:
            write_row(setting_row(setting, number, n_sets))


if __name__ == "__main__":
    arguments = [int(text) for text in sys.argv[1:]]
    main(arguments[0] if arguments else 200, set(arguments[1:]))
