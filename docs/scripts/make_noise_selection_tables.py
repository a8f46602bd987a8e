"""Print the tables of docs/stability_selection.md: what is selected of features without effect.

The arguments are ``ipss`` or ``stabl``, and the number of data sets per row; 60 take five minutes
or less::

    python docs/scripts/make_noise_selection_tables.py ipss 60
    python docs/scripts/make_noise_selection_tables.py stabl 60

A cell has the share of data sets with a selection, and the mean number of selected features.
"""

import sys

import numpy as np

import holdfast as hf
from holdfast.select import integrate_stability_paths

SETTINGS = ((60, 200), (60, 1000), (200, 200))
TARGETS = (("q-value", 0.1), ("q-value", 0.2), ("efp", 1.0))
BASES = {"L1 path": None, "forest": hf.ImpurityForest(max_features=0.1)}
SEED = 2025


def draw_noise(n, p, seed):
    """Return normal features without effect, and two classes of equal size."""
    return np.random.default_rng([SEED, n, p, seed]).normal(size=(n, p)), np.arange(n) % 2


def ipss_counts(base, n, p, seed):
    """Yield function, target and number of selected features for one data set of noise."""
    fitted = hf.IntegratedPathSelection(base, random_state=seed).fit(*draw_noise(n, p, seed))
    delta = 1.0 if base is None else 1.25
    for function in ("h1", "h2", "h3"):
        paths = integrate_stability_paths(
            fitted.stability_paths_, fitted.path_steps_, 50, function=function, delta=delta
        )
        for kind, target in TARGETS:
            values = paths.q_values if kind == "q-value" else paths.efp_scores
            yield (function, kind, target), int((values <= target).sum())


def ipss_rows(count):
    """Yield the lines of the table of IPSS, in Markdown."""
    titles = [f"{kind} at most {target:g}" for kind, target in TARGETS]
    yield "| base | samples x features | function | " + " | ".join(titles) + " |"
    yield "| --- | --- | --- |" + " --- |" * len(TARGETS)
    for name, base in BASES.items():
        for n, p in SETTINGS:
            rows = [dict(ipss_counts(base, n, p, seed)) for seed in range(count)]
            for function in ("h1", "h2", "h3"):
                cells = [[row[function, kind, target] for row in rows] for kind, target in TARGETS]
                texts = " | ".join(as_text(cell) for cell in cells)
                yield f"| {name} | {n} x {p:,} | {function} | {texts} |"


def stabl_rows(count):
    """Yield the lines of the table of synthetic features, in Markdown."""
    limits = (None, 0.2, 0.1)
    yield "| base | samples x features | max_fdp=None | max_fdp=0.2 | max_fdp=0.1 |"
    yield "| --- | --- | --- | --- | --- |"
    for name in ("t_score", "l1_path"):
        for n, p in SETTINGS:
            cells = [[] for _ in limits]
            for seed in range(count):
                selector = hf.SyntheticFeatureSelection(name, max_fdp=None, random_state=seed)
                selector.fit(*draw_noise(n, p, seed))
                for limit, cell in zip(limits, cells, strict=True):
                    passes = limit is None or selector.fdp_ <= limit
                    cell.append(int(selector.support_.sum()) if passes else 0)
            texts = " | ".join(as_text(cell) for cell in cells)
            yield f"| {name} | {n} x {p:,} | {texts} |"


def as_text(counts):
    """Return the share of counts above 0, and their mean."""
    return f"{np.mean(np.array(counts) > 0):.0%}, {np.mean(counts):.2f}"


if __name__ == "__main__":
    rows = {"ipss": ipss_rows, "stabl": stabl_rows}[sys.argv[1]]
    for line in rows(int(sys.argv[2])):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
