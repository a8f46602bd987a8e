"""Seeded inputs of the sizes that benchmarks ask for."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pandas as pd
import scipy.sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

Rows: TypeAlias = "list[NDArray[np.int64]]"


def selections(
    rng: np.random.Generator, *, m: int, p: int, sizes: tuple[int, int], core: int
) -> Rows:
    """Draw m selections: half of each from a core of likely features, the rest at random.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of chance.
    m, p : int
        Number of selections and of features.
    sizes : tuple of int
        Smallest and largest size; sizes are uniform between them.
    core : int
        Number of likely features.
    """
    likely = rng.choice(p, core, replace=False)
    return [
        _selection(rng, p, int(size), likely)
        for size in rng.integers(sizes[0], sizes[1], size=m, endpoint=True)
    ]


def _selection(
    rng: np.random.Generator, p: int, size: int, likely: NDArray[np.int64]
) -> NDArray[np.int64]:
    some = rng.choice(likely, size // 2, replace=False)
    pool = rng.choice(p, size + len(likely), replace=False)
    rest = pool[~np.isin(pool, likely)][: size - len(some)]
    return np.concatenate((some, rest))


def correlation_blocks(rng: np.random.Generator, p: int, width: int = 10) -> NDArray[np.float64]:
    """Return absolute correlations of data in which blocks of features are near copies.

    Most of the correlations inside a block exceed 0.9.
    """
    hidden = np.repeat(rng.normal(size=(100, -(-p // width))), width, axis=1)[:, :p]
    data = hidden + rng.normal(scale=0.3, size=hidden.shape)
    table = np.abs(np.corrcoef(data[:, rng.permutation(p)], rowvar=False))
    np.fill_diagonal(table, 1.0)
    return np.minimum(table, 1.0)


def neighbours(rng: np.random.Generator, p: int, degree: int = 20) -> scipy.sparse.csr_array:
    """Return sparse similarities from 0.9 to 1 in which each feature has `degree` neighbours.

    Features sit on a ring in random order; the nearest on both sides are the neighbours.
    """
    ring, steps = rng.permutation(p), range(1, degree // 2 + 1)
    left = np.tile(ring, len(steps))
    right = np.concatenate([np.roll(ring, step) for step in steps])
    half = scipy.sparse.csr_array((rng.uniform(0.9, 1, len(left)), (left, right)), shape=(p, p))
    return scipy.sparse.csr_array(half + half.T + scipy.sparse.eye_array(p))


def mapped_weights(rng: np.random.Generator, *, m: int, p: int) -> np.memmap[Any, Any]:
    """Write m weight vectors, a common signal plus noise, to a temporary file and map it."""
    folder = Path(tempfile.mkdtemp())  # the parent process empties it
    path = folder / "weights.f64"
    signal = rng.normal(size=p)
    with path.open("wb") as file:
        for _ in range(m):
            (signal + rng.normal(size=p)).tofile(file)
    return np.memmap(path, dtype=np.float64, mode="r", shape=(m, p))


Labelled: TypeAlias = "tuple[NDArray[Any], NDArray[np.int64]]"


def labelled(rng: np.random.Generator, *, n: int, p: int) -> Labelled:
    """Return noise with two classes of equal size."""
    return rng.normal(size=(n, p)), np.arange(n) % 2


def predictable(rng: np.random.Generator, *, n: int, p: int) -> Labelled:
    """Return data whose first five features help to predict one of two classes."""
    X = rng.normal(size=(n, p))
    return X, (X[:, :5].sum(axis=1) + 2 * rng.normal(size=n) > 0).astype(int)


def resampled(rng: np.random.Generator, *, n: int, p: int, m: int) -> tuple[Labelled, Rows]:
    """Return noise with two classes, and bootstrap resamples of its rows."""
    return labelled(rng, n=n, p=p), [rng.integers(n, size=n) for _ in range(m)]


DATA = Path(os.environ.get("HOLDFAST_DATA", ""))
COLON = DATA / "colon.parquet"


def real(rng: np.random.Generator, *, name: str, n: int, p: int) -> Labelled:
    """Return a data set of the papers, or noise of its size where it is not available.

    Of the noise each ten features are alike.
    """
    path = DATA / f"{name}.parquet"
    if not path.is_file():
        X, y = labelled(rng, n=n, p=p)
        return X + np.repeat(rng.normal(scale=2, size=(n, -(-p // 10))), 10, axis=1)[:, :p], y
    table = pd.read_parquet(path)
    y = np.unique(table.pop("class"), return_inverse=True)[1]
    return table.to_numpy(), y


def resampled_colon(rng: np.random.Generator, *, m: int) -> tuple[Labelled, Rows]:
    """Return the colon data, or noise of their size if they are missing, and bootstraps."""
    X, y = real(rng, name="colon", n=62, p=2000)
    return (X, y), [rng.integers(len(y), size=len(y)) for _ in range(m)]


def mapped_labelled(rng: np.random.Generator, *, n: int, p: int) -> Labelled:
    """Return noise in single precision, mapped from a temporary file."""
    path = Path(tempfile.mkstemp(suffix=".data")[1])
    written = np.memmap(path, dtype=np.float32, mode="w+", shape=(n, p))
    for row in written:
        row[:] = rng.standard_normal(p, dtype=np.float32)
    written.flush()
    return np.memmap(path, dtype=np.float32, mode="r", shape=(n, p)), np.arange(n) % 2
