"""Subsets: which features were selected, stored as indices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from holdfast._text import plural
from holdfast.preferences._base import Preferences, frozen
from holdfast.preferences._features import Features
from holdfast.preferences._read_subsets import read_subsets

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas as pd
    from numpy.typing import NDArray


class Subsets(Preferences):
    """m selected subsets of p features.

    Stored as sorted indices, never as an m x p table: a thousand selections of 500 out of ten
    million features take 2 MB.

    Parameters
    ----------
    data : sequence, array, frame, sparse matrix or sequence of fitted selectors
        One of: a sequence of sequences of feature indices or of feature names; a two-dimensional
        boolean array or sparse matrix, one row a selection; a pandas or polars frame of booleans
        or of 0 and 1, one column a feature; a sequence of fitted scikit-learn selectors (anything
        with ``get_support``). A row may be empty. Whole numbers in plain arrays and lists are
        always indices: make a 0/1 array boolean first.
    n_features : int, optional
        Number of features that could have been selected, p. Taken from the data where they tell;
        None leaves it unknown, which many measures cannot do with.
    feature_names : iterable of str, optional
        Names of all p features.

    Raises
    ------
    InvalidInputError
        A feature twice in one selection, an index outside 0..p-1, an unknown name, rows of
        different kinds, no rows.

    Examples
    --------
    >>> import holdfast as hf
    >>> s = hf.Subsets([[0, 3, 7], [0, 3, 9]], n_features=2000)
    >>> s.sizes, s[1]
    (array([3, 3]), array([0, 3, 9], dtype=int32))
    >>> hf.Subsets([["TP53", "MYC"], ["TP53"]], n_features=20000).frequencies()
    TP53    1.0
    MYC     0.5
    Name: frequency, dtype: float64
    """

    __slots__ = ("_indices", "_indptr")
    form = "subset"

    def __init__(
        self,
        data: Any,  # noqa: ANN401  (many containers; the docstring lists them)
        *,
        n_features: int | None = None,
        feature_names: Iterable[object] | None = None,
    ) -> None:
        read = read_subsets(data, Features.of(n_features, feature_names))
        self._set(*read)

    def _set(
        self, indptr: NDArray[np.int64], indices: NDArray[np.integer], features: Features
    ) -> None:
        self._indptr = frozen(indptr)
        self._indices = frozen(indices)
        self._features = features

    @classmethod
    def _of(
        cls, indptr: NDArray[np.int64], indices: NDArray[np.integer], features: Features
    ) -> Self:
        """Build from arrays that are known to be valid."""
        new = cls.__new__(cls)
        new._set(indptr, indices, features)
        return new

    @property
    def indices(self) -> NDArray[np.integer]:
        """Selected features of all preferences behind each other, ascending in each."""
        return self._indices

    @property
    def indptr(self) -> NDArray[np.int64]:
        """Preference i is ``indices[indptr[i]:indptr[i + 1]]``."""
        return self._indptr

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of features in each preference."""
        return np.diff(self._indptr)

    def frequencies(self) -> pd.Series[float]:
        """Share of preferences that hold a feature, for those selected at all, highest first."""
        import pandas as pd  # noqa: PLC0415  (kept out of the import of the nouns)

        union, counts = np.unique(self._indices, return_counts=True)
        order = np.lexsort((union, -counts))
        labels = self._features.labels(union[order])
        index = pd.Index(labels.tolist())
        return pd.Series(counts[order] / len(self), index=index, name="frequency")

    def to_frame(self) -> pd.DataFrame:
        """Return a table with one row per selected feature: preference, feature."""
        import pandas as pd  # noqa: PLC0415

        preference = np.repeat(np.arange(len(self)), self.sizes)
        labels = self._features.labels(self._indices).tolist()
        return pd.DataFrame({"preference": preference, "feature": labels})

    def __len__(self) -> int:
        return len(self._indptr) - 1

    def _one(self, index: int) -> NDArray[np.integer]:
        return self._indices[self._indptr[index] : self._indptr[index + 1]]

    def _some(self, indices: NDArray[np.intp]) -> Self:
        return self._of(*stacked([self._one(i) for i in indices]), self._features)

    @classmethod
    def _joined(cls, parts: Sequence[Self]) -> Self:
        return cls._of(*stacked([row for part in parts for row in part]), parts[0]._features)

    def _same_results(self, other: Self) -> bool:
        return np.array_equal(self._indptr, other._indptr) and np.array_equal(
            self._indices, other._indices
        )

    def _summary(self) -> tuple[str, str]:
        sizes, known = self.sizes, self.n_features
        low, high = int(sizes.min()), int(sizes.max())
        size = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        total = "an unknown number of features" if known is None else plural(known, "feature")
        return (
            f"{plural(len(self), 'selection')} of {size} out of {total}",
            'hf.measure(["nogueira", "jaccard"], subsets)',
        )


def stacked(
    rows: Sequence[NDArray[np.integer]],
) -> tuple[NDArray[np.int64], NDArray[np.integer]]:
    """Put index arrays behind each other; return where each begins, and all of them."""
    indptr = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([len(row) for row in rows], out=indptr[1:])
    return indptr, np.concatenate(rows)
