"""Pure noise: how often is a feature called likely to be found again?

``python -m benchmarks.calibration.noise [--data-sets 500] [--write FILE]`` draws data sets without
any signal, with independent and with correlated features, and prints for each selector the largest
chance that a feature is given. Goal: no feature called *likely* (0.7 or more) in 99% of the data
sets.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np

import holdfast as hf
from benchmarks.calibration.populations import Simulated

SHAPES = ((40, 200, 5), (60, 300, 10), (80, 1000, 20), (100, 100, 10), (60, 30, 5))
"""Samples, features, size of the list."""
SELECTORS = ("t_score", "relieff", "information_gain")
PAIRS = 30


def largest_chances(data_sets):
    """Return the largest chance in each data set: shape (data sets, selectors)."""
    found = np.zeros((data_sets, len(SELECTORS)))
    for number in range(data_sets):
        n, p, size = SHAPES[number % len(SHAPES)]
        layout = ("independent", "blocks")[number // len(SHAPES) % 2]
        rng = np.random.default_rng([4, number])
        X, y, _ = Simulated("none", p, layout).draw(n, rng)
        for place, selector in enumerate(SELECTORS):
            table = hf.replication(
                selector, X, y, size=size, n_pairs=PAIRS, random_state=number
            ).features
            found[number, place] = table["found_again"].max()
    return found


def main():
    """Run, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=500)
    parser.add_argument("--write", type=Path)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    found = largest_chances(asked.data_sets)
    rows = {
        selector: {
            "median": float(np.median(own)),
            "largest": float(own.max()),
            "likely": int((own >= 0.7).sum()),
            "uncertain": int(((own >= 0.3) & (own < 0.7)).sum()),
        }
        for selector, own in zip(SELECTORS, found.T, strict=True)
    }
    any_likely = int((found >= 0.7).any(axis=1).sum())
    for selector, row in rows.items():
        print(selector, row)
    print(f"data sets {len(found)}, with any feature called likely by any selector: {any_likely}")
    if asked.write:
        document = {
            "date": time.strftime("%Y-%m-%d"),
            "data_sets": len(found),
            "any_likely": any_likely,
            "selectors": rows,
        }
        asked.write.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
