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
from collections import Counter
from pathlib import Path

import numpy as np

import holdfast as hf
from benchmarks.calibration.populations import Simulated
from holdfast.report import conclude

SHAPES = ((40, 200, 5), (60, 300, 10), (80, 1000, 20), (100, 100, 10), (60, 30, 5))
"""Samples, features, size of the list."""
SELECTORS = ("t_score", "relieff", "information_gain")
PAIRS = 30
PAGE_SIZES, RESAMPLES = (5, 20), 20
"""Of the studies whose page is looked at."""


def draw(number):
    """Return a data set without signal, and the size of the list."""
    n, p, size = SHAPES[number % len(SHAPES)]
    layout = ("independent", "blocks")[number // len(SHAPES) % 2]
    X, y, _ = Simulated("none", p, layout).draw(n, np.random.default_rng([4, number]))
    return X, y, size


def largest_chances(data_sets):
    """Return the largest chance in each data set: shape (data sets, selectors)."""
    found = np.zeros((data_sets, len(SELECTORS)))
    for number in range(data_sets):
        X, y, size = draw(number)
        for place, selector in enumerate(SELECTORS):
            table = hf.replication(
                selector, X, y, size=size, n_pairs=PAIRS, random_state=number
            ).features
            found[number, place] = table["found_again"].max()
    return found


def page_grades(data_sets):
    """Count what the page of a study says of its list, over the data sets."""
    study = hf.Study(
        list(SELECTORS), protocol=hf.Subsampling(RESAMPLES, 0.9), sizes=list(PAGE_SIZES),
        classifiers=["knn3"], replication=PAIRS,
    )  # fmt: skip
    from distributed import Client

    counts = Counter()
    # one worker for all studies: starting one takes longer than a study
    with Client(n_workers=1, threads_per_worker=1, dashboard_address=None) as client:
        for number in range(data_sets):
            X, y, _ = draw(number)
            verdict, _ = conclude(study.run(X, y, client=client))
            counts[verdict["grade"]] += 1
    return dict(counts)


def grade_part(data_sets):
    """Return how high the chances are on noise."""
    found = largest_chances(data_sets)
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
    return {"data_sets": data_sets, "any_likely": any_likely, "selectors": rows}


def page_part(data_sets):
    """Return what pages say on noise."""
    return {"page_data_sets": data_sets, "page_grades": page_grades(data_sets)}


def main():
    """Run, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=500)
    parser.add_argument("--grades", action="store_true")
    parser.add_argument("--pages", action="store_true")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    both = options.grades == options.pages
    document = {}
    if options.write and options.write.exists() and not both:
        document = json.loads(options.write.read_text(encoding="utf-8"))
    document["date"] = time.strftime("%Y-%m-%d")
    if both or options.grades:
        document |= grade_part(options.data_sets)
    if both or options.pages:
        document |= page_part(options.data_sets)
    text = json.dumps(document, indent=1)
    print(text)
    if options.write:
        options.write.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
