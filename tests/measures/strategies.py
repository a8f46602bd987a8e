"""Random systems of preferences for every form, with the options a measure cannot do without."""

import numpy as np
from hypothesis import strategies as st

import holdfast as hf


@st.composite
def subset_lists(draw, *, least=2, most=6, equal=False, least_size=0):
    """Return p and a list of subsets of range(p)."""
    p = draw(st.integers(max(2, least_size), 12))
    m = draw(st.integers(least, most))
    size = draw(st.integers(least_size, p))
    rows = []
    for _ in range(m):
        k = size if equal else draw(st.integers(least_size, p))
        rows.append(sorted(draw(st.permutations(range(p)))[:k]))
    return p, rows


@st.composite
def similarities(draw, p):
    """Return a symmetric matrix with distinct similarities, so that greedy matching has no ties."""
    pairs = p * (p - 1) // 2
    order = np.array(draw(st.permutations(range(pairs))), dtype=float)
    upper = np.zeros((p, p))
    upper[np.triu_indices(p, 1)] = (order + 1) / (pairs + 1)
    return upper + upper.T + np.eye(p)


@st.composite
def systems(draw, record, *, least=2):
    """Return preferences that a measure takes, and its necessary options."""
    if record.form == "subset":
        equal = "equal_sizes" in record.needs
        p, rows = draw(subset_lists(least=least, equal=equal, least_size=1))
        options = {}
        if "similarity" in record.needs:
            options = {"similarity": draw(similarities(p)), "threshold": 0.6}
            if "correction" in record.options:
                options |= {"correction": "simulate", "n_simulations": 20}
        return hf.Subsets(rows, n_features=p), options
    m, p = draw(st.integers(least, 5)), draw(st.integers(2, 9))
    if record.form == "groups":
        return _groups(draw, record, m, p)
    low, high = draw(st.sampled_from([(0, 2), (0, 100)]))  # many ties, or few
    numbers = st.lists(st.integers(low, high), min_size=p, max_size=p)
    rows = [draw(numbers) for _ in range(m)]
    weights = hf.Weights(np.array(rows, dtype=float))
    return (weights if record.form == "weights" else weights.to_rankings(ties="average")), {}


def _groups(draw, record, m, p):
    group = st.sets(st.integers(0, p - 1), min_size=1, max_size=p).map(sorted)
    results = [draw(st.lists(group, min_size=1, max_size=4)) for _ in range(m)]
    options = {}
    if "data" in record.needs:
        seed = draw(st.integers(0, 2**16))
        options = {"data": np.random.default_rng(seed).normal(size=(6, p))}
    return hf.Groups(results, n_features=p), options


def relabelled(preferences, order, options):
    """Return the same preferences with features renumbered, and options to match."""
    order = np.asarray(order)
    back = np.argsort(order)
    options = dict(options)
    if "similarity" in options:
        options["similarity"] = options["similarity"][np.ix_(order, order)]
    if "data" in options:
        options["data"] = options["data"][:, order]
    if isinstance(preferences, hf.Subsets):
        rows = [back[row] for row in preferences]
        return hf.Subsets(rows, n_features=preferences.n_features), options
    if isinstance(preferences, hf.Groups):
        rows = [[back[group] for group in result] for result in preferences]
        return hf.Groups(rows, n_features=preferences.n_features), options
    return type(preferences)(preferences.values[:, order]), options
