"""Write tests/golden/ipss.json with the package ipss (1.1.13).

Run it with a Python that has that package::

    python tools/make_ipss_values.py

The file holds stability paths with what ipss makes of them: random paths of several kinds, and
those of its runs on the breast cancer data of scikit-learn, whose q-values come from its public
function.
"""

from __future__ import annotations

import itertools
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import ipss
import numpy as np
from ipss import helpers, processing
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer

FloatArray: TypeAlias = NDArray[np.float64]
Case: TypeAlias = "dict[str, object]"


def integrate(
    paths: FloatArray, alphas: FloatArray, n_pairs: int, function: str, delta: float, cutoff: float
) -> Case:
    """Return scores, bound and stop of ipss, and the values that follow from them."""
    selected = paths.sum(axis=1)
    scores, bound, _, stop = processing.ipss_scores(
        paths, n_pairs, alphas, selected, function, delta, cutoff
    )
    efp = np.round(bound / np.maximum(scores, bound / paths.shape[1]), decimals=8)
    q_values = helpers.compute_qvalues(dict(enumerate(efp)))
    return {
        "paths": paths.tolist(),
        "alphas": alphas.tolist(),
        "n_pairs": n_pairs,
        "function": function,
        "delta": delta,
        "cutoff": cutoff,
        "stop": int(stop),
        "scores": scores.tolist(),
        "bound": float(bound),
        "efp": efp.tolist(),
        "q_values": [q_values[feature] for feature in range(len(efp))],
    }


def random_cases() -> Iterator[Case]:
    """Yield integrals of random rising paths, with and without a cut."""
    generator = np.random.default_rng(2025)
    for function, delta, cutoff in itertools.product(
        ("h1", "h2", "h3"), (0.0, 0.6, 1.0, 1.25), (0.004, 0.05)
    ):
        n_pairs, steps, p = 10, 12, 15
        ends = generator.beta(0.4, 2.0, size=p)
        ends[:3] = generator.uniform(0.8, 1.0, size=3)
        rise = np.sort(generator.uniform(size=(steps, p)), axis=0)
        rise[0] = 0.0
        paths = np.round(rise * ends * 2 * n_pairs) / (2 * n_pairs)
        alphas = np.logspace(np.log10(3.0), np.log10(0.02), steps)
        yield integrate(paths, alphas, n_pairs, function, delta, cutoff)


def real_case(selector: str) -> Case:
    """Return the paths of a run on the breast cancer data, and the q-values it returned."""
    captured = []
    scores = processing.ipss_scores

    def capture(*arguments: object) -> object:
        paths, n_pairs, alphas, _, *rest = arguments
        captured.append((paths, alphas, n_pairs, *rest))
        return scores(*arguments)

    X, y = load_breast_cancer(return_X_y=True)
    np.random.seed(1)  # noqa: NPY002  (ipss draws from the global generator)
    processing.ipss_scores = capture
    output = ipss.main.ipss(X, y, selector=selector, preselect=False)
    processing.ipss_scores = scores
    case = integrate(*captured[0])
    case["selector"] = selector
    case["efp"] = [float(output["efp_scores"][feature]) for feature in range(X.shape[1])]
    case["q_values"] = [float(output["q_values"][feature]) for feature in range(X.shape[1])]
    return case


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    cases = {"random": list(random_cases()), "real": [real_case("l1"), real_case("rf")]}
    path = Path(__file__).parents[1] / "tests" / "golden" / "ipss.json"
    path.write_text(json.dumps(cases) + "\n", encoding="utf-8")
