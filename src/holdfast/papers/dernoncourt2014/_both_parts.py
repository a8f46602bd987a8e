"""Table 2 read another way: each training set beside the samples that it leaves out.

The paper compares training sets, as it says; but where it discusses bias, it has data split into
two subsets, 200 times. Compared in this way, most of its numbers are met.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import holdfast as hf

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from holdfast.io import Dataset
    from holdfast.papers._workshop import Workshop

SCORE, SIGNED = "t_score", "signed"


@dataclass
class BothParts:
    """A splitter: each training set, and then the samples that it leaves out, the other way round.

    Attributes
    ----------
    n_pairs : int
        Training sets.
    train_size : int
        Their size.
    random_state : int, optional
        Seed; a study gives its own.
    """

    n_pairs: int
    train_size: int
    random_state: int | None = None

    def split(
        self,
        X: NDArray[Any],  # noqa: ARG002  (as scikit-learn has it)
        y: NDArray[Any],
        groups: NDArray[Any] | None = None,  # noqa: ARG002
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield rows for training and for testing."""
        drawn = hf.Subsampling(self.n_pairs, self.train_size)
        for resample in drawn.draw(y, random_state=self.random_state or 0):
            yield resample.train, resample.test
            yield resample.test, resample.train


def signed_t(X: NDArray[np.float64], y: NDArray[Any]) -> NDArray[np.float64]:
    """Return t-scores with their signs."""
    first = y == np.unique(y)[0]
    signs = np.sign(X[first].mean(axis=0) - X[~first].mean(axis=0))
    return np.asarray(signs * hf.TScore().fit(X, y).scores_)


def between_parts(
    shop: Workshop, what: str, data: Dataset, n: int, *, runs: int, size: int
) -> dict[str, float]:
    """Return the stability between training sets and what they leave out, averaged over pairs."""
    result = shop.study(
        f"table2 {what} both parts",
        {SCORE: hf.TScore(), SIGNED: hf.AnySelector(signed_t)},
        data,
        protocol=BothParts(runs, n),
        sizes=[size],
        classifiers=(),
        measures=["relative_weighted_consistency", "spearman", "pearson"],
        impute="median",
    )
    subsets, weights = result.preferences[SCORE, size], result.preferences[SCORE]
    signed = result.preferences[SIGNED]
    return {
        "CW_rel": over_pairs("relative_weighted_consistency", subsets),
        "ATI_PA": max(0.0, over_pairs("ati_pa", subsets, clip=False)),
        "S_R": over_pairs("spearman", weights),
        "S_W": over_pairs("pearson", signed),
    }


def over_pairs(measure: str, preferences: Any, **options: Any) -> float:  # noqa: ANN401
    """Measure the stability of each two neighbours, and average."""
    pairs = (preferences[start : start + 2] for start in range(0, len(preferences), 2))
    return float(np.mean([hf.measure(measure, pair, **options) for pair in pairs]))
