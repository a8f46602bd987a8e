"""Make knockpy.json: distances of knockoffs and thresholds of the knockoff filter.

Run with knockpy 1.3.5 installed: ``python tools/make_knockpy_values.py``.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np


def correlations() -> dict[str, np.ndarray]:
    """Return small correlation matrices, rounded so that JSON holds them exactly."""
    rng = np.random.default_rng(0)
    distance = np.abs(np.subtract.outer(np.arange(8), np.arange(8)))
    factors = rng.normal(size=(12, 3))
    covariance = factors @ factors.T + np.diag(rng.uniform(0.5, 2.0, 12))
    scale = np.sqrt(np.diag(covariance))
    blocks = np.kron(np.eye(3), np.full((4, 4), 0.7))
    np.fill_diagonal(blocks, 1.0)
    matrices = {
        "autoregressive": 0.6**distance,
        "equal": np.full((6, 6), 0.3) + 0.7 * np.eye(6),
        "blocks": blocks,
        "factors": covariance / np.outer(scale, scale),
        "independent": np.eye(5),
    }
    return {name: matrix.round(6) for name, matrix in matrices.items()}


def main() -> None:
    """Compute and write."""
    from knockpy.knockoff_stats import data_dependent_threshhold
    from knockpy.mrc import _solve_mvr_ungrouped
    from knockpy.smatrix import compute_smatrix

    np.random.seed(0)  # noqa: NPY002  (knockpy shuffles the coordinates)
    rows = []
    for name, matrix in correlations().items():
        equal = compute_smatrix(matrix, method="equicorrelated", tol=1e-10, num_iter=60)
        # the solver itself: around it knockpy multiplies its solution by 1023 / 1024
        least = _solve_mvr_ungrouped(
            matrix, num_iter=500, converge_tol=1e-14, choldate_warning=False
        )
        rows.append(
            {
                "name": name,
                "correlation": matrix.tolist(),
                "equicorrelated": np.diag(equal).tolist(),
                "mvr": np.diag(least).tolist(),
            }
        )
    thresholds = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        W = rng.normal(size=60)
        W[: 5 * (seed % 4)] += 3.0
        W = W.round(6)
        for fdr in (0.05, 0.1, 0.2, 0.5):
            for offset in (0, 1):
                value = float(data_dependent_threshhold(W, fdr=fdr, offset=offset))
                thresholds.append(
                    {
                        "W": W.tolist(),
                        "fdr": fdr,
                        "offset": offset,
                        "threshold": value if np.isfinite(value) else None,
                    }
                )
    path = Path(__file__).parents[1] / "tests" / "golden" / "knockpy.json"
    document = {"knockpy": "1.3.5", "distances": rows, "thresholds": thresholds}
    path.write_text(json.dumps(document) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
