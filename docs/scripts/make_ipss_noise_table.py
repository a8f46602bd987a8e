"""Print the table of docs/stability_selection.md: what IPSS selects of features without effect.

The argument is the number of data sets per row; 60 take five minutes or less::

    python docs/scripts/make_ipss_noise_table.py 60
"""

import sys

import numpy as np

import holdfast as hf
from holdfast.select import integrate_stability_paths

SETTINGS = ((60, 200), (60, 1000), (200, 200))
TARGETS = (("q-value", 0.1), ("q-value", 0.2), ("efp", 1.0))
BASES = {"L1 path": None}
SEED = 2025


def select_noise(base, n, p, seed):
    """Yield function, target and number of selected features for one data set of noise."""
    X = np.random.default_rng([SEED, n, p, seed]).normal(size=(n, p))
    fitted = hf.IntegratedPathSelection(base, random_state=seed).fit(X, np.arange(n) % 2)
    delta = 1.0 if base is None else 1.25
    for function in ("h1", "h2", "h3"):
        paths = integrate_stability_paths(
            fitted.stability_paths_, fitted.path_steps_, 50, function=function, delta=delta
        )
        for kind, target in TARGETS:
            values = paths.q_values if kind == "q-value" else paths.efp_scores
            yield (function, kind, target), int((values <= target).sum())


def table_rows(count):
    """Yield the share of data sets with a selection, and the mean number selected, in Markdown."""
    titles = [f"{kind} at most {target:g}" for kind, target in TARGETS]
    yield "| base | samples x features | function | " + " | ".join(titles) + " |"
    yield "| --- | --- | --- |" + " --- |" * len(TARGETS)
    for name, base in BASES.items():
        for n, p in SETTINGS:
            rows = [dict(select_noise(base, n, p, seed)) for seed in range(count)]
            for function in ("h1", "h2", "h3"):
                cells = [
                    np.array([row[function, kind, target] for row in rows])
                    for kind, target in TARGETS
                ]
                texts = [f"{(cell > 0).mean():.0%}, {cell.mean():.2f}" for cell in cells]
                yield f"| {name} | {n} x {p:,} | {function} | " + " | ".join(texts) + " |"


if __name__ == "__main__":
    for line in table_rows(int(sys.argv[1])):
        sys.stdout.write(f"{line}\n")
