"""Data to resample: classes of some sizes, with and without subjects."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from holdfast.resample import (
    Bootstrap,
    ComplementaryHalves,
    CrossValidation,
    DisjointParts,
    Nested,
    Subsampling,
)

SEEDS = st.integers(0, 2**32)


@st.composite
def classes(draw, least=6, most=20):
    """Classes of two to four kinds, in random order."""
    sizes = draw(st.lists(st.integers(least, most), min_size=2, max_size=4))
    labels = np.repeat([f"class {i}" for i in range(len(sizes))], sizes)
    return np.random.default_rng(draw(SEEDS)).permutation(labels)


@st.composite
def subjects(draw, least=6, most=10):
    """Classes and subjects of two to four samples each, every subject of one class."""
    y = draw(classes(least, most))
    generator = np.random.default_rng(draw(SEEDS))
    names = np.array([f"subject {i}" for i in generator.permutation(len(y))])
    counts = generator.integers(2, 5, len(y))
    order = generator.permutation(counts.sum())
    return np.repeat(y, counts)[order], np.repeat(names, counts)[order]


def sampling():
    """Protocols that change which samples there are."""
    stratify = st.just(True)
    sizes = st.floats(0.5, 0.95)
    flat = st.one_of(
        st.builds(Subsampling, st.integers(1, 8), sizes, stratify),
        st.builds(CrossValidation, st.integers(3, 6), st.integers(1, 3), stratify, st.booleans()),
        st.builds(Bootstrap, st.integers(1, 8), st.floats(0.7, 1.0), stratify),
        st.builds(ComplementaryHalves, st.integers(1, 4), stratify),
        st.builds(DisjointParts, st.integers(1, 4), st.integers(2, 3), stratify),
    )
    outer = st.sampled_from([CrossValidation(3), Subsampling(4, 0.8)])
    inner = st.sampled_from([CrossValidation(3), Subsampling(4, 0.8), Bootstrap(3)])
    return st.one_of(flat, st.builds(Nested, outer, inner))


def same(some, others):
    """Whether two lists of resamples are equal."""
    return len(some) == len(others) and all(map(_same, some, others))


def _same(one, other):
    features = (one.features is None) == (other.features is None) and (
        one.features is None or np.array_equal(one.features, other.features)
    )
    return (
        np.array_equal(one.train, other.train)
        and np.array_equal(one.test, other.test)
        and (one.role, one.outer, one.noise, one.draw)
        == (other.role, other.outer, other.noise, other.draw)
        and features
    )
