"""Selectors that choose the size, and selectors of groups: are their chances calibrated?

``python -m benchmarks.calibration.subsets`` prints, for an L1 model that keeps as many features as
it likes and for clusters of features, what was said and what was true of the selected features
(groups: a study selects at least half of the members). A small check, on simulated data.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression

import holdfast as hf
from benchmarks.calibration.populations import Simulated

POPULATIONS = (
    Simulated("graded", 100, "independent"),
    Simulated("graded", 100, "modules"),
    Simulated("none", 100, "blocks"),
)
SAMPLES, DATA_SETS, STUDIES, PAIRS, GROUPS = 80, 5, 60, 20, 5


def own_size():
    """Return a selector that chooses the size."""
    return SelectFromModel(LogisticRegression(penalty="l1", solver="liblinear", C=0.2))


def selected_by(kind, X, y):
    """Return whether each feature is selected (in a selected group)."""
    if kind == "own size":
        return own_size().fit(X, y).get_support()
    return hf.KMeansGroups(n_groups=GROUPS, output="members", random_state=0).fit(X, y).support_


def main():
    """Print a line for each kind of selector and population."""
    warnings.simplefilter("ignore")
    for kind in ("own size", "groups"):
        for place, population in enumerate(POPULATIONS):
            rng = np.random.default_rng([5, place])
            studies = np.array(
                [selected_by(kind, *population.draw(SAMPLES, rng)[:2]) for _ in range(STUDIES)]
            )
            said, true = [], []
            for number in range(DATA_SETS):
                X, y, _ = population.draw(SAMPLES, rng)
                size = None if kind == "own size" else GROUPS
                selector = own_size() if size is None else "kmeans_groups"
                table = hf.replication(
                    selector, X, y, size=size, n_pairs=PAIRS, random_state=number
                ).features.query("selected")
                said += table["found_again"].tolist()
                groups = table["members"] if size else table["feature"]
                for name in groups:
                    members = [int(one[1:]) for one in name.split(", ")]
                    true.append((studies[:, members].mean(axis=1) >= 0.5).mean())
            said, true = np.array(said), np.array(true)
            high = said >= 0.7
            rate = f"{true[high].mean():.2f}" if high.any() else "-"
            print(
                f"{kind:9} {population.effects}-{population.layout}: {len(said)} selected, "
                f"said {said.mean():.2f}, true {true.mean():.2f}, "
                f"mean squared error {((said - true) ** 2).mean():.3f}; "
                f"likely or more: {high.sum()}, true {rate}",
                flush=True,
            )


if __name__ == "__main__":
    main()
