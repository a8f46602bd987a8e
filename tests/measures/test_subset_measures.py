"""Measures of subsets against their naive twins, worked examples and their own docstrings."""

import math
import re
import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import holdfast as hf
from holdfast.errors import InvalidInputError, UndefinedMeasureWarning
from holdfast.measures._consistency import square_bounds
from holdfast.measures._registry import MEASURES
from holdfast.measures._subset_tables import SubsetTables, Totals, expected_of_union
from tests import naive
from tests.measures.edge_cases import DATA, EDGE_CASES, GROUPS, RANKINGS, WEIGHTS
from tests.measures.strategies import subset_lists

SUBSET_MEASURES = sorted(name for name, record in MEASURES.items() if record.form == "subset")


def silent(name, subsets, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMeasureWarning)
        return hf.measure(name, subsets, **options)


@pytest.mark.parametrize("name", sorted(naive.PAIRS))
@given(system=subset_lists())
def test_pair_measures_equal_their_naive_twins(name, system):
    p, rows = system
    sets = [set(row) for row in rows]
    expected = naive.mean_over_pairs(lambda x, y: naive.PAIRS[name](x, y, p), sets)
    got = silent(name, hf.Subsets(rows, n_features=p))
    assert got == pytest.approx(expected, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("name", sorted(naive.SYSTEMS))
@given(data=st.data())
def test_system_measures_equal_their_naive_twins(name, data):
    equal = "equal_sizes" in MEASURES[name].needs and data.draw(st.booleans())
    p, rows = data.draw(subset_lists(most=4, equal=equal).filter(lambda system: system[0] <= 8))
    expected = naive.SYSTEMS[name]([set(row) for row in rows], p)
    got = silent(name, hf.Subsets(rows, n_features=p))
    assert got == pytest.approx(expected, abs=1e-9, nan_ok=True)


@given(system=subset_lists())
def test_relative_hamming_distance_is_one_minus_cw_rel(system):
    p, rows = system
    subsets = hf.Subsets(rows, n_features=p)
    q = sum(map(len, rows))
    low, high = square_bounds(Totals(np.array([len(rows)]), np.array([q]), np.zeros(1)), p)
    assume(low < high)  # where the bounds are equal both fall back to their plain forms
    relative = hf.measure("relative_weighted_consistency", subsets)
    assert hf.measure("relative_anhd", subsets) == pytest.approx(1 - relative)


@pytest.mark.parametrize("name", SUBSET_MEASURES)
def test_docstring_tabulates_the_edge_cases_truly(name):
    record = MEASURES[name]
    options = {"similarity": np.eye(10)} if "similarity" in record.needs else {}
    for label, rows in EDGE_CASES.items():
        value = silent(name, hf.Subsets(rows, n_features=10), **options)
        assert value == pytest.approx(stated(record, label), abs=5e-5, nan_ok=True), label


def stated(record, label):
    """Return the value that the docstring gives for an edge case."""
    found = re.search(rf"^{re.escape(label)} +(\S+)$", record.__doc__, re.MULTILINE)
    return math.nan if found[1] == "undefined" else float(found[1])


@pytest.mark.parametrize("name", sorted(MEASURES.keys() - set(SUBSET_MEASURES)))
def test_docstrings_of_other_forms_tabulate_theirs(name):
    record = MEASURES[name]
    cases, make = {
        "ranking": (RANKINGS, hf.Rankings),
        "weights": (WEIGHTS, hf.Weights),
        "groups": (GROUPS, hf.Groups),
    }[record.form]
    options = {"data": DATA} if "data" in record.needs else {}
    for label, rows in cases.items():
        value = silent(name, make(rows), **options)
        assert value == pytest.approx(stated(record, label), abs=5e-5, nan_ok=True), label


# worked by hand: three subsets of five features, h = (3, 2, 1, 0, 0), q = 6
HAND = hf.Subsets([[0, 1], [0, 1], [0, 2]], n_features=5)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("consistency", (2 / 2 + 1 / 2 + 0 / 2) / 3),
        ("weighted_consistency", 3 / 6 * 2 / 2 + 2 / 6 * 1 / 2),
        # D = 6 mod 5 = 1: least = (36 - 25 - 1) / (5 * 6 * 2) = 1/6; H = 0: most = 1
        ("relative_weighted_consistency", (2 / 3 - 1 / 6) / (1 - 1 / 6)),
        # union of at most 5 and at least 2 features: C between 1/10 and 1
        ("relative_consistency", (1 / 2 - 1 / 10) / (1 - 1 / 10)),
        # one subset twice, one once: entropy log2(3) - 2/3; at most log2(3)
        ("krizek_entropy", math.log2(3) - 2 / 3),
        ("krizek", 2 / 3 / math.log2(3)),
        ("anhd", (0 + 2 / 5 + 2 / 5) / 3),
        ("kuncheva", (1 + 2 * (1 * 5 - 4) / (2 * 3)) / 3),
    ],
)
def test_worked_examples(name, value):
    assert hf.measure(name, HAND) == pytest.approx(value, abs=1e-12)


def test_ati_pa_worked_by_hand():
    """Sizes 2 and 1 of p = 3: J = 1/2 or 0; E = 2/3 * 1/2 = 1/3; most = 1/2."""
    assert hf.measure("ati_pa", hf.Subsets([[0, 1], [0]], n_features=3)) == pytest.approx(1.0)
    apart = hf.Subsets([[0, 1], [2]], n_features=3)
    assert hf.measure("ati_pa", apart) == 0.0
    assert hf.measure("ati_pa", apart, clip=False) == pytest.approx((0 - 1 / 3) / (1 / 2 - 1 / 3))


@given(system=subset_lists(least_size=1))
def test_twins_under_correction(system):
    """Corrected Dice and Hamming are kappa, corrected Ochiai is the unadjusted measure."""
    p, rows = system
    subsets = hf.Subsets(rows, n_features=p)
    for base, twin in (("dice", "kappa"), ("hamming", "kappa"), ("ochiai", "unadjusted")):
        got = silent(base, subsets, corrected=True)
        assert got == pytest.approx(silent(twin, subsets), abs=1e-9, nan_ok=True)


@given(system=subset_lists(equal=True, least_size=1))
def test_measures_that_agree_for_equal_sizes(system):
    p, rows = system
    subsets = hf.Subsets(rows, n_features=p)
    expected = silent("kuncheva", subsets)
    for name in ("wald", "kappa", "unadjusted", "phi", "npog", "nogueira"):
        assert silent(name, subsets) == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_reference_replaces_pairs():
    reference = hf.Subsets([[0, 1]], n_features=5)
    values = [1.0, 1.0, 1 / 3]
    row = hf.measure(["jaccard"], HAND, reference=reference, confidence=0.5).loc["jaccard"]
    assert row["value"] == pytest.approx(np.mean(values))
    error = np.std(values, ddof=1) / np.sqrt(3)
    student = 0.816496580927726  # upper quartile with 2 degrees of freedom
    assert row["high"] - row["low"] == pytest.approx(2 * student * error)
    with pytest.raises(InvalidInputError, match="whole system"):
        hf.measure("nogueira", HAND, reference=reference)
    with pytest.raises(InvalidInputError, match="one preference"):
        hf.measure("jaccard", HAND, reference=HAND)


def test_pairwise_is_the_table_behind_the_mean():
    table = hf.pairwise("jaccard", HAND)
    assert table == pytest.approx(np.array([[1, 1, 1 / 3], [1, 1, 1 / 3], [1 / 3, 1 / 3, 1]]))
    off = ~np.eye(3, dtype=bool)
    assert table[off].mean() == pytest.approx(hf.measure("jaccard", HAND))


def random_subsets(seed, m, p, sizes):
    rng = np.random.default_rng(seed)
    core = rng.permutation(p)[: max(sizes)]
    rows = []
    for size in rng.choice(sizes, m):
        half = rng.choice(core, size // 2, replace=False)
        rest = rng.choice(np.setdiff1d(np.arange(p), half), size - size // 2, replace=False)
        rows.append(np.concatenate((half, rest)))
    return hf.Subsets(rows, n_features=p)


def test_blocks_and_cached_tables_give_the_same(monkeypatch):
    subsets = random_subsets(0, 60, 300, [10, 15, 20])
    names = ["jaccard", "phi", "ati_pa"]
    whole = hf.measure(names, subsets)
    monkeypatch.setattr("holdfast.measures._subset_tables.MAX_CACHED_SUBSETS", 1)
    monkeypatch.setattr("holdfast.measures._subset_tables.PAIRS_PER_BLOCK", 700)
    assert hf.measure(names, subsets).equals(whole)


def test_overlaps_do_not_depend_on_how_features_are_split():
    """Frequent features are multiplied dense, rare ones sparse; both against sets."""
    subsets = random_subsets(1, 40, 500, [30, 31])
    table = SubsetTables(subsets).overlaps(slice(None))
    sets = [set(row.tolist()) for row in subsets]
    assert table.tolist() == [[len(x & y) for y in sets] for x in sets]


def test_dense_chunks_and_chunks_of_size_pairs_do_not_matter(monkeypatch):
    subsets = random_subsets(2, 30, 200, [5, 9, 17, 20])
    names = ["jaccard", "dice", "ati_pa"]
    whole = hf.measure(names, subsets)
    monkeypatch.setattr("holdfast.measures._subset_tables.DENSE_CELLS_PER_CHUNK", 100)
    monkeypatch.setattr("holdfast.measures._subset_tables.OVERLAPS_PER_CHUNK", 7)
    assert hf.measure(names, subsets).equals(whole)


def test_very_many_features_overflow_nothing():
    rows = [[0, 1, 2], [0, 1, 3], [0, 1, 2]] * 40
    for p in (10**12, 2**53):
        subsets = hf.Subsets(rows, n_features=p)
        expected = hf.measure("phi", subsets)
        assert hf.measure("nogueira", subsets) == pytest.approx(expected, rel=1e-9)
        assert 0.6 < hf.measure("relative_weighted_consistency", subsets) < 1


def test_one_nearly_full_subset_in_a_large_system_leaks_no_warning():
    subsets = hf.Subsets([list(range(999))] + [[i] for i in range(300)], n_features=1000)
    level = hf.measure(["consistency"], subsets).loc["consistency", "chance"]
    assert 0 < level < 0.01


@pytest.mark.parametrize("p", [50, 5_000_000])
def test_union_by_counting_and_by_sorting(p):
    subsets = hf.Subsets([[4, 9], [9, 30], []], n_features=p)
    tables = SubsetTables(subsets)
    assert tables.union.tolist() == [4, 9, 30]
    assert tables.counts.tolist() == [1, 2, 1]
    assert tables.sums_by_subset(np.array([1, 10, 100])).tolist() == [11, 110, 0]


def test_ten_million_features_fit_in_a_few_megabytes():
    rng = np.random.default_rng(0)
    p = 10_000_000
    subsets = hf.Subsets([rng.choice(p, 500, replace=False) for _ in range(200)], n_features=p)
    assert subsets.indices.nbytes + subsets.indptr.nbytes < 500_000
    table = hf.measure(["nogueira", "jaccard"], subsets)
    assert abs(table.loc["nogueira", "value"]) < 1e-3


@pytest.mark.parametrize(("p", "sizes"), [(7, [2, 3, 4]), (13, [2] * 5), (6, [6, 2]), (9, [0, 3])])
def test_union_law_equals_inclusion_and_exclusion(p, sizes):
    chances = naive.union_probabilities(p, sizes)
    expected = sum(float(c) / u for u, c in enumerate(chances) if u)
    assert expected_of_union(p, np.array(sizes), lambda u: 1 / u) == pytest.approx(expected)


@pytest.mark.parametrize(("p", "k", "m"), [(400, 10, 120), (3000, 40, 100), (100, 3, 150)])
def test_normal_union_law_is_close_to_the_exact_one(p, k, m, monkeypatch):
    sizes = np.full(m, k)
    monkeypatch.setattr("holdfast.measures._subset_tables.MAX_EXACT_STEPS", 10**9)
    exact = expected_of_union(p, sizes, lambda u: 1 / u)
    monkeypatch.setattr("holdfast.measures._subset_tables.MAX_EXACT_STEPS", 0)
    assert expected_of_union(p, sizes, lambda u: 1 / u) == pytest.approx(exact, rel=1e-6)


def test_unknown_number_of_features():
    subsets = hf.Subsets([[0, 1], [0, 2], [1, 2]])
    row = hf.measure(["jaccard"], subsets).loc["jaccard"]
    assert np.isnan(row["chance"])
    assert "needs n_features" in row["note"]
    with pytest.raises(InvalidInputError, match="n_features"):
        hf.measure("kuncheva", subsets)
    with pytest.raises(InvalidInputError, match="n_features"):
        hf.measure("jaccard", subsets, corrected=True)


def test_warning_names_the_culprits():
    subsets = hf.Subsets([[0], [], [1], [0, 1, 2]], n_features=3)
    with pytest.warns(UndefinedMeasureWarning, match=r"1 \(empty\), 3 \(all features\)"):
        hf.measure("phi", subsets)
    with pytest.warns(UndefinedMeasureWarning, match=r"of preference 1 \(empty\)"):
        hf.measure("ochiai", subsets)
    odd = r"have 1 features, because of preferences 1 \(empty\), 3 \(all features\)"
    with pytest.warns(UndefinedMeasureWarning, match=odd):
        hf.measure("krizek", subsets)
    with pytest.warns(UndefinedMeasureWarning, match=r"reference against preferences 0, 1, 2"):
        hf.measure("phi", subsets[[0, 2, 0]], reference=subsets[1:2])
