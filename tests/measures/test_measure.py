"""The front door: names, options, tables, comparisons."""

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InvalidInputError, UndefinedMeasureError, UnknownNameError

SUBSETS = hf.Subsets([[0, 1, 2], [0, 1, 3], [0, 1, 2], [0, 2, 4]], n_features=30)
OTHERS = hf.Subsets([[0, 1, 2], [5, 6, 3], [9, 1, 2], [0, 7, 8]], n_features=30)


def test_one_name_gives_a_float_and_several_a_table():
    value = hf.measure("jaccard", SUBSETS)
    assert isinstance(value, float)
    table = hf.measure(["jaccard", "kuncheva"], SUBSETS)
    assert table.index.tolist() == ["jaccard", "kuncheva"]
    assert table.loc["jaccard", "value"] == value
    assert table.columns.tolist() == [
        "value", "low", "high", "interval", "chance", "chance_error", "minimum", "maximum", "note",
    ]  # fmt: skip
    assert hf.measure("tanimoto", SUBSETS) == hf.measure("ati", SUBSETS) == value


def test_jackknife_interval_by_hand():
    """The mean over pairs without i, for each i; then its spread."""
    pairs = hf.pairwise("jaccard", SUBSETS)
    without = []
    for i in range(4):
        kept = [j for j in range(4) if j != i]
        block = pairs[np.ix_(kept, kept)]
        without.append((block.sum() - np.trace(block)) / 6)
    error = np.sqrt(3 / 4 * np.square(without - np.mean(without)).sum())
    row = hf.measure(["jaccard"], SUBSETS, confidence=0.9).loc["jaccard"]
    assert row["high"] - row["value"] == pytest.approx(1.6448536269514722 * error)
    assert row["value"] - row["low"] == pytest.approx(1.6448536269514722 * error)
    assert row["interval"] == "jackknife"


@pytest.mark.parametrize("seed", range(3))
def test_jackknife_covers_what_repeating_the_protocol_gives(seed):
    """With independent preferences the interval must cover the true mean nine times in ten."""
    rng = np.random.default_rng(seed)
    chances = np.array([0.95] * 5 + [0.3] * 15)
    systems = rng.random((400, 40, 20)) < chances
    truth = np.mean([hf.measure("dice", hf.Subsets(system)) for system in systems])
    hits = 0
    for system in systems[:200]:
        row = hf.measure(["dice"], hf.Subsets(system), confidence=0.9).loc["dice"]
        hits += row["low"] <= truth <= row["high"]
    assert 0.83 <= hits / 200 <= 0.96


def test_ranges_follow_the_correction():
    plain = hf.measure(["jaccard"], SUBSETS).loc["jaccard"]
    corrected = hf.measure(["jaccard"], SUBSETS, corrected=True).loc["jaccard"]
    assert (plain["minimum"], plain["maximum"]) == (0, 1)
    assert (corrected["minimum"], corrected["maximum"]) == (-np.inf, 1)
    assert corrected["chance"] == 0
    raw = hf.measure(["yu"], SUBSETS, corrected=False, similarity=np.eye(30)).loc["yu"]
    assert (raw["minimum"], raw["maximum"]) == (0, np.inf)
    free = hf.measure(["ati_pa"], OTHERS, clip=False).loc["ati_pa"]
    assert (free["minimum"], free["maximum"]) == (-np.inf, 1)
    assert raw["chance"] == pytest.approx(9 / 30)


def test_notes_speak_plainly():
    table = hf.measure(["anhd", "nogueira"], SUBSETS)
    assert table.loc["anhd", "note"] == "a distance: lower is more stable"
    assert "so few preferences" in table.loc["nogueira", "note"]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: hf.measure("jacard", SUBSETS), UnknownNameError, "Did you mean 'jaccard'"),
        (lambda: hf.measure("xyz", SUBSETS), UnknownNameError, "Known: anhd"),
        (lambda: hf.measure("jaccard", SUBSETS, penalty=1), InvalidInputError, "Known: corrected"),
        (lambda: hf.measure("kappa", SUBSETS, graph=1), InvalidInputError, "graph: no such option"),
        (lambda: hf.measure("jaccard", SUBSETS, confidence=95), InvalidInputError, "confidence"),
        (lambda: hf.measure("jaccard", SUBSETS, undefined="skip"), InvalidInputError, "undefined"),
        (lambda: hf.measure("jaccard", SUBSETS, undefined=np.nan), InvalidInputError, "undefined"),
        (lambda: hf.measure("jaccard", SUBSETS[:1]), InvalidInputError, "at least two"),
        (lambda: hf.measure("spearman", SUBSETS), InvalidInputError, "takes Rankings, got Subsets"),
        (lambda: hf.measure("jaccard", [[0], [1]]), InvalidInputError, "got list; wrap them"),
        (lambda: hf.measure([5], SUBSETS), UnknownNameError, "no measure is called 5"),
        (lambda: hf.measure("davis", SUBSETS, penalty=-1), InvalidInputError, "penalty"),
        (lambda: hf.pairwise("nogueira", SUBSETS), InvalidInputError, "whole system"),
        (lambda: hf.list_measures("set"), UnknownNameError, "Did you mean 'subset'"),
        (lambda: hf.measures.nogueira_test(SUBSETS, 2), InvalidInputError, "stability"),
        (lambda: hf.compare(SUBSETS, SUBSETS[:3], paired=True), InvalidInputError, "4 and 3"),
    ],
)
def test_mistakes_are_named(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_corrected_is_no_mistake_where_it_is_the_nature_of_the_measure():
    assert hf.measure("kappa", SUBSETS, corrected=True) == hf.measure("kappa", SUBSETS)
    for wish in (False, 0):
        with pytest.raises(InvalidInputError, match="corrected for chance by definition: kappa"):
            hf.measure("kappa", SUBSETS, corrected=wish)
    with pytest.raises(InvalidInputError, match="cannot be corrected for chance: consistency"):
        hf.measure(["jaccard", "consistency"], SUBSETS, corrected=True)


@pytest.mark.parametrize("name", ["jaccard", "nogueira", "novovicova"])
def test_compare_unpaired_adds_variances(name):
    got = hf.compare(SUBSETS, OTHERS, name)
    half = [
        (row["high"] - row["low"]) / 2
        for row in (hf.measure([name], s).loc[name] for s in (SUBSETS, OTHERS))
    ]
    assert got.difference == pytest.approx(hf.measure(name, SUBSETS) - hf.measure(name, OTHERS))
    assert got.high - got.difference == pytest.approx(np.hypot(*half))
    mirrored = hf.compare(OTHERS, SUBSETS, name)
    assert mirrored.statistic == pytest.approx(-got.statistic)
    assert mirrored.p_value == pytest.approx(got.p_value)


def test_compare_paired_leaves_out_the_same_resample_on_both_sides():
    got = hf.compare(SUBSETS, OTHERS, "jaccard", paired=True)
    without = []
    for i in range(4):
        kept = [j for j in range(4) if j != i]
        without.append(hf.measure("jaccard", SUBSETS[kept]) - hf.measure("jaccard", OTHERS[kept]))
    error = np.sqrt(3 / 4 * np.square(without - np.mean(without)).sum())
    assert got.statistic == pytest.approx(got.difference / error)
    same = hf.compare(SUBSETS, SUBSETS, "jaccard", paired=True)
    assert (same.difference, same.low, same.high) == (0, 0, 0)
    assert np.isnan(same.p_value)


def test_paired_comparison_has_more_power_when_resamples_are_shared():
    """A selector and a slightly noisier copy of it on the same resamples."""
    rng = np.random.default_rng(0)
    shared = rng.random((40, 30)) < np.linspace(0.9, 0.1, 30)
    noisier = shared ^ (rng.random(shared.shape) < 0.05)
    a, b = hf.Subsets(shared), hf.Subsets(noisier)
    paired, unpaired = hf.compare(a, b, paired=True), hf.compare(a, b)
    assert paired.high - paired.low < unpaired.high - unpaired.low
    assert "paired" in paired.method
    assert "asymptotic" in unpaired.method


def test_compare_breaks_ties_of_both_sides_apart():
    """Two selectors that know nothing must not agree through a common seed."""
    nothing = hf.Weights(np.zeros((20, 50)))
    got = hf.compare(nothing, nothing, "spearman")
    assert got.first != got.second


def test_compare_refuses_undefined_values():
    with pytest.raises(UndefinedMeasureError, match="krizek"):
        hf.compare(hf.Subsets([[0], [0, 1], [1]], n_features=3), SUBSETS, "krizek")


def test_compare_reads_well():
    text = str(hf.compare(SUBSETS, OTHERS))
    assert text.startswith("nogueira: 0.6")
    assert "difference +0." in text


def test_list_measures():
    table = hf.list_measures()
    assert len(table) == 38
    assert table.loc["anhd", "distance"]
    assert table.loc["yu", "needs"] == "n_features, similarity"
    assert set(hf.list_measures("ranking").index) == {"kendall", "rbo", "spearman", "top_down"}
    assert (table["reference"] != "").all()
