"""Laws of random subsets against scipy and against listing everything."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from holdfast._kernels.overlaps import overlap_distributions, poisson_binomial, union_distribution
from tests import naive


@given(p=st.integers(1, 60), data=st.data())
def test_overlap_law_equals_scipy(p, data):
    sizes = st.lists(st.integers(0, p), min_size=1, max_size=4)
    a = np.array(data.draw(sizes))
    b = np.array(data.draw(st.permutations(a.tolist())))
    start, overlap, pmf = overlap_distributions(p, a, b)
    for i in range(len(a)):
        own = slice(start[i], start[i + 1])
        law = scipy.stats.hypergeom(p, a[i], b[i])
        assert pmf[own] == pytest.approx(law.pmf(overlap[own]), rel=1e-9, abs=1e-18)
        assert pmf[own].sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(("p", "a", "b"), [(10**7, 500, 500), (10**6, 5 * 10**5, 3 * 10**5)])
def test_overlap_law_of_many_features(p, a, b):
    _, overlap, pmf = overlap_distributions(p, np.array([a]), np.array([b]))
    assert (pmf * overlap).sum() == pytest.approx(a * b / p, rel=1e-12)
    variance = (pmf * (overlap - a * b / p) ** 2).sum()
    assert variance == pytest.approx(scipy.stats.hypergeom.var(p, a, b), rel=1e-9)


@given(chances=st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_poisson_binomial_equals_all_outcomes(chances):
    expected = np.zeros(len(chances) + 1)
    for outcome in itertools.product((0, 1), repeat=len(chances)):
        expected[sum(outcome)] += math.prod(
            c if z else 1 - c for c, z in zip(chances, outcome, strict=True)
        )
    assert poisson_binomial(np.array(chances)) == pytest.approx(expected, abs=1e-12)


@given(p=st.integers(1, 9), data=st.data())
def test_union_law_equals_inclusion_and_exclusion(p, data):
    sizes = data.draw(st.lists(st.integers(0, p), min_size=1, max_size=4))
    expected = [float(chance) for chance in naive.union_probabilities(p, sizes)]
    got = union_distribution(p, np.array(sizes))
    assert got == pytest.approx(expected[: len(got)], abs=1e-12)
    assert sum(expected[len(got) :]) == 0
