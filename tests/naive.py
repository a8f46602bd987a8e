"""The slow, obvious versions that the real ones are checked against."""

import itertools
import math
from fractions import Fraction

import numpy as np

NAN = float("nan")


def mean_over_pairs(score, items):
    values = [score(x, y) for x, y in itertools.combinations(items, 2)]
    return sum(values) / len(values)


def ratio(numerator, denominator):
    return numerator / denominator if abs(denominator) > 1e-12 else NAN


def jaccard(x, y, p):
    return ratio(len(x & y), len(x | y))


def dice(x, y, p):
    return ratio(2 * len(x & y), len(x) + len(y))


def ochiai(x, y, p):
    return ratio(len(x & y), math.sqrt(len(x) * len(y)))


def pog(x, y, p):
    return (ratio(len(x & y), len(x)) + ratio(len(x & y), len(y))) / 2


def anhd(x, y, p):
    return len(x ^ y) / p


def hamming(x, y, p):
    return sum((f in x) == (f in y) for f in range(p)) / p


def chance(x, y, p):
    return len(x) * len(y) / p


def kuncheva(x, y, p):
    d = len(x)
    return ratio(len(x & y) * p - d * d, d * (p - d)) if d == len(y) else NAN


def lustgarten(x, y, p):
    smallest, largest = max(0, len(x) + len(y) - p), min(len(x), len(y))
    return ratio(len(x & y) - chance(x, y, p), largest - smallest)


def wald(x, y, p):
    return ratio(len(x & y) - chance(x, y, p), min(len(x), len(y)) - chance(x, y, p))


def kappa(x, y, p):
    """Cohen's kappa from the two-by-two table of accepted and rejected features."""
    agreed = hamming(x, y, p)
    both = (len(x) * len(y) + (p - len(x)) * (p - len(y))) / p**2
    return ratio(agreed - both, 1 - both)


def unadjusted(x, y, p):
    e = chance(x, y, p)
    return ratio(len(x & y) - e, math.sqrt(len(x) * len(y)) - e)


def phi(x, y, p):
    u = np.isin(np.arange(p), list(x)).astype(float)
    v = np.isin(np.arange(p), list(y)).astype(float)
    if u.std() == 0 or v.std() == 0:
        return NAN
    return np.corrcoef(u, v)[0, 1]


def npog(x, y, p):
    e = chance(x, y, p)
    r = len(x & y)
    return (ratio(r - e, len(x) - e) + ratio(r - e, len(y) - e)) / 2


PAIRS = {
    f.__name__: f
    for f in (
        jaccard, dice, ochiai, pog, anhd, hamming, kuncheva,
        lustgarten, wald, kappa, unadjusted, phi, npog,
    )
}  # fmt: skip


def frequencies(sets, p):
    return [sum(f in s for s in sets) for f in range(p)]


def consistency(sets, p):
    h = [x for x in frequencies(sets, p) if x]
    return ratio(sum((x - 1) / (len(sets) - 1) for x in h), len(h))


def weighted_consistency(sets, p):
    h, q = frequencies(sets, p), sum(map(len, sets))
    return NAN if q == 0 else sum(x / q * (x - 1) / (len(sets) - 1) for x in h)


def frequency_vectors(p, m, q):
    """All ways to spread q selections over p features in m subsets, in descending order."""
    return (h for h in itertools.combinations_with_replacement(range(m, -1, -1), p) if sum(h) == q)


def relative(value_of, sets, p):
    """Rescale by the extremes over all frequency vectors with the same m, q and p."""
    m, q = len(sets), sum(map(len, sets))
    if q == 0:
        return NAN
    every = [value_of(h, m, q) for h in frequency_vectors(p, m, q)]
    low, high = min(every), max(every)
    value = value_of(frequencies(sets, p), m, q)
    return value if math.isclose(low, high) else (value - low) / (high - low)


def relative_weighted_consistency(sets, p):
    return relative(lambda h, m, q: sum(x * (x - 1) for x in h) / (q * (m - 1)), sets, p)


def relative_consistency(sets, p):
    def value(h, m, q):
        used = [x for x in h if x]
        return sum((x - 1) / (m - 1) for x in used) / len(used)

    return relative(value, sets, p)


def relative_anhd(sets, p):
    if not any(sets):
        return 0.0
    return relative(lambda h, m, q: sum(x * (m - x) for x in h) * 2 / (p * m * (m - 1)), sets, p)


def davis(sets, p):
    used = [x for x in frequencies(sets, p) if x]
    return ratio(sum(x / len(sets) for x in used), len(used))


def novovicova(sets, p):
    h, q = frequencies(sets, p), sum(map(len, sets))
    return ratio(sum(x * math.log2(x) for x in h if x), q * math.log2(len(sets)))


def entropy(sets, p):
    if len({len(s) for s in sets}) > 1:
        return NAN
    shares = [sum(s == t for t in sets) / len(sets) for s in set(map(frozenset, sets))]
    return -sum(x * math.log2(x) for x in shares)


def krizek(sets, p):
    if len({len(s) for s in sets}) > 1:
        return NAN
    most = math.log2(min(len(sets), math.comb(p, len(sets[0]))))
    return NAN if most == 0 else 1 - entropy(sets, p) / most


def nogueira(sets, p):
    z = np.array([[f in s for f in range(p)] for s in sets], dtype=float)
    k = z.sum(axis=1).mean()
    return 1 - ratio(z.var(axis=0, ddof=1).mean(), k / p * (1 - k / p))


SYSTEMS = {
    "consistency": consistency,
    "weighted_consistency": weighted_consistency,
    "relative_consistency": relative_consistency,
    "relative_weighted_consistency": relative_weighted_consistency,
    "relative_anhd": relative_anhd,
    "davis": davis,
    "novovicova": novovicova,
    "krizek": krizek,
    "krizek_entropy": entropy,
    "nogueira": nogueira,
}


def all_subsets(p, k):
    return [set(c) for c in itertools.combinations(range(p), k)]


def all_systems(p, sizes):
    return itertools.product(*(all_subsets(p, k) for k in sizes))


def union_probabilities(p, sizes):
    """Exact distribution of the union of random subsets, by inclusion and exclusion."""

    def inside(j):
        chances = (Fraction(math.comb(j, k), math.comb(p, k)) for k in sizes)
        return math.prod(chances, start=Fraction(1))

    return [
        math.comb(p, u) * sum((-1) ** (u - j) * math.comb(u, j) * inside(j) for j in range(u + 1))
        for u in range(p + 1)
    ]


# similarity-adjusted measures -------------------------------------------------------------------


def similar(x, y, s, threshold):
    return x != y and s[x, y] >= threshold


def with_partner(x, y, s, threshold):
    """Features of x outside y that have a similar one in y outside x, with their partners."""
    found = {f: [g for g in y - x if similar(f, g, s, threshold)] for f in x - y}
    return {f: partners for f, partners in found.items() if partners}


def largest_matching(x, y, s, threshold):
    """Try every way: the first feature stays alone or takes any of its partners."""
    if not x:
        return 0
    first, rest = min(x), x - {min(x)}
    best = largest_matching(rest, y, s, threshold)
    for g in y:
        if similar(first, g, s, threshold):
            best = max(best, 1 + largest_matching(rest, y - {g}, s, threshold))
    return best


def greedy_matching(x, y, s, threshold):
    edges = [(s[f, g], f, g) for f in x - y for g in y - x if similar(f, g, s, threshold)]
    used, size = set(), 0
    for _, f, g in sorted(edges, reverse=True):
        if f not in used and g not in used:
            used |= {f, g}
            size += 1
    return size


def mean_to_partners(x, y, s, threshold):
    return sum(
        np.mean([s[f, g] for g in partners])
        for f, partners in with_partner(x, y, s, threshold).items()
    )


def adjusted(name, x, y, s, threshold):
    """Adjusted intersection size of one pair, before any correction for chance."""
    r = len(x & y)
    forth, back = with_partner(x, y, s, threshold), with_partner(y, x, s, threshold)
    if name == "intersection_mbm":
        return r + largest_matching(x - y, y - x, s, threshold)
    if name == "intersection_greedy":
        return r + greedy_matching(x, y, s, threshold)
    if name == "intersection_count":
        return r + min(len(forth), len(back))
    if name == "intersection_mean":
        return r + min(mean_to_partners(x, y, s, threshold), mean_to_partners(y, x, s, threshold))
    if name == "yu":
        return r + (len(forth) + len(back)) / 2
    gain = sum(s[f, g] for f in x for g in y - x if similar(f, g, s, threshold)) / max(len(y), 1)
    gain += sum(s[f, g] for f in y for g in x - y if similar(f, g, s, threshold)) / max(len(x), 1)
    return ratio(r + gain, len(x | y))


def best_possible(name, a, b):
    return {"yu": (a + b) / 2, "zucknick": 1.0}.get(name, math.sqrt(a * b))


def sechidis(sets, p, s, threshold):
    z = np.array([[f in v for f in range(p)] for v in sets], dtype=float)
    c = np.where(s >= threshold, s, 0.0)
    np.fill_diagonal(c, 1.0)
    covariance = np.cov(z.T)
    k = z.sum(axis=1)
    null = np.full((p, p), ((k**2).mean() - k.mean()) / (p * p - p) - (k.mean() / p) ** 2)
    np.fill_diagonal(null, k.mean() / p * (1 - k.mean() / p))
    return 1 - np.trace(c @ covariance) / np.trace(c @ null)


# rankings ---------------------------------------------------------------------------------------


def overlaps_of_tops(lists, sizes):
    return [[[len(set(a[:k]) & set(b[:k])) for b in lists] for a in lists] for k in sizes]


def first_ranks(values):
    return [1 + sum(other < value for other in values) for value in values]


def rbo(x, y, persistence):
    """Rank-biased overlap by its definition, ties at the first rank of the tie."""
    x, y = first_ranks(x), first_ranks(y)
    p = len(x)
    agreement = []
    for depth in range(1, p + 1):
        s = {f for f in range(p) if x[f] <= depth}
        t = {f for f in range(p) if y[f] <= depth}
        agreement.append(2 * len(s & t) / (len(s) + len(t)))
    total = sum(a * persistence**d for d, a in enumerate(agreement, start=1))
    return (1 - persistence) / persistence * total + agreement[-1] * persistence**p


def savage(ranks):
    """Savage scores; tied features share the mean over their places."""
    p = len(ranks)
    score = [sum(1 / t for t in range(place, p + 1)) for place in range(1, p + 1)]
    first = first_ranks(ranks)
    number = [list(ranks).count(rank) for rank in ranks]
    return [sum(score[f - 1 : f - 1 + n]) / n for f, n in zip(first, number, strict=True)]


# groups -----------------------------------------------------------------------------------------


def best_matching(weights):
    """Largest sum over all ways to match the smaller side, divided by its size."""
    weights = np.asarray(weights)
    if weights.shape[0] > weights.shape[1]:
        weights = weights.T
    rows, columns = weights.shape
    sums = (
        sum(weights[i, j] for i, j in enumerate(chosen))
        for chosen in itertools.permutations(range(columns), rows)
    )
    return max(sums) / rows


def match_with_all(one, other, k, weight):
    """Best matching of the first k groups of one result with all groups of the other."""
    return best_matching([[weight(g, h) for h in other] for g in one[:k]])
