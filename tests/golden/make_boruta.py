"""Write boruta.json: hits and decisions of boruta_py on data sets of scikit-learn.

Run it as ``python tests/golden/make_boruta.py`` where Boruta 0.4.3 and scikit-learn are installed.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
from sklearn import datasets
from sklearn.ensemble import RandomForestClassifier

MAX_ITER = 41  # 40 rounds
SEEDS = 8
DATA = {"wine": ("load_wine", 2), "breast_cancer": ("load_breast_cancer", 6)}


def make_data(name):
    """Return each k-th sample of a data set, with a shuffled copy of every feature."""
    loader, k = DATA[name]
    X, y = getattr(datasets, loader)(return_X_y=True)
    X, y = X[::k], y[::k]
    return np.hstack([X, np.random.default_rng(0).permuted(X, axis=0)]), y


def run_boruta(X, y, *, two_step, perc, seed):
    """Return the hits and the decisions after each round."""
    from boruta import BorutaPy

    rounds = []

    class Recorder(BorutaPy):
        def _do_tests(self, dec_reg, hit_reg, _iter):
            decisions = super()._do_tests(dec_reg, hit_reg, _iter)
            rounds.append((hit_reg.tolist(), decisions.tolist()))
            return decisions

    forest = RandomForestClassifier(max_depth=5, n_jobs=1)
    options = {"two_step": two_step, "perc": perc, "max_iter": MAX_ITER, "random_state": seed}
    Recorder(forest, n_estimators="auto", **options).fit(X, y)
    return rounds


def main():
    sequences, decisions = [], []
    for two_step, perc, seed in ((True, 100, 1), (False, 100, 2), (True, 60, 3)):
        X, y = make_data("breast_cancer")
        rounds = run_boruta(X, y, two_step=two_step, perc=perc, seed=seed)
        hits, decided = zip(*rounds, strict=True)
        sequences.append({"two_step": two_step, "hits": hits, "decisions": decided})
    for name in DATA:
        X, y = make_data(name)
        last = [run_boruta(X, y, two_step=True, perc=100, seed=s)[-1][1] for s in range(SEEDS)]
        table = np.array(last)
        counts = {key: (table == code).sum(axis=0).tolist() for key, code in
                  (("confirmed", 1), ("tentative", 0), ("rejected", -1))}  # fmt: skip
        decisions.append({"data": name, "seeds": SEEDS, "rounds": MAX_ITER - 1, **counts})
    document = {
        "software": f"Boruta {version('Boruta')}, scikit-learn {version('scikit-learn')}",
        "sequences": sequences,
        "decisions": decisions,
    }
    path = Path(__file__).with_name("boruta.json")
    path.write_text(json.dumps(document) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
