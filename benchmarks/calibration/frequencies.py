"""What chances to be found again are compared with: how often halves of the data select a feature.

``python -m benchmarks.calibration.frequencies DEVELOPMENT HOLD_OUT CONFIRMATION [--write FILE]``
reads the folders that ``benchmarks.calibration.collect`` filled and prints, for each selector, the
calibration error of these frequencies, taken for chances. The file also says how many features each
setting has. Nothing is estimated, so this takes seconds.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.calibration.evaluate import calibration_error, reliability
from benchmarks.calibration.settings import LISTS


@dataclass(frozen=True, eq=False)
class Frequencies:
    """One data set: how often halves of it select the listed features, and the truth."""

    resample_frequency: np.ndarray
    truth: np.ndarray


def frequencies(path):
    """Return the number of features of a collected file, and the frequencies of its data sets."""
    found = []
    with np.load(path) as stored:
        size = int(stored["k"])
        for number in range(int(stored["data_sets"])):
            listed = stored[f"full{number}"][0] < size
            counts = stored[f"truth{number}"]
            halves = (stored[f"half{number}"] < size).mean(axis=0)
            found.append(Frequencies(halves[listed], (counts[:-1] / counts[-1])[listed]))
        return int(stored["p"]), found


def tables(cache, settings):
    """Return the reliability of the frequencies by selector, and the features of each setting."""
    by_selector, features = defaultdict(list), {}
    for setting in settings:
        for selector in setting.selectors:
            path = cache / f"{selector}__{setting.name}.npz"
            if path.exists():
                features[setting.name], own = frequencies(path)
                by_selector[selector] += own
    every = [one for own in by_selector.values() for one in own]
    rows = {name: reliability(own, "resample_frequency") for name, own in by_selector.items()}
    return {
        "reliability": {"all": reliability(every, "resample_frequency"), **rows},
        "features": features,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("caches", type=Path, nargs=len(LISTS), metavar="CACHE")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    lists = zip(LISTS.items(), options.caches, strict=True)
    found = {kind: tables(cache, settings) for (kind, settings), cache in lists}
    for kind, own in found.items():
        for selector, rows in own["reliability"].items():
            print(f"{kind:12} {selector:20} ECE {calibration_error(rows):.3f}")
    if options.write:
        document = {"date": time.strftime("%Y-%m-%d"), **found}
        options.write.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
