"""The front door: names, options, tables."""

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InvalidInputError, UnknownNameError

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
    assert table.loc["nogueira", "note"] == ""


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
        (lambda: hf.measure(SUBSETS, "jaccard"), InvalidInputError, "names of measures come first"),
        (lambda: hf.measure(SUBSETS, ["jaccard"]), InvalidInputError, r'hf.measure\("nogueira"'),
        (lambda: hf.measure([[0], [1]], "jaccard"), InvalidInputError, "measures come first"),
        (lambda: hf.measure("jaccard", "dice"), InvalidInputError, "got str; wrap them"),
        (lambda: hf.pairwise(SUBSETS, "jaccard"), InvalidInputError, r'hf.pairwise\("nogueira"'),
        (lambda: hf.pairwise("jaccard", [[0], [1]]), InvalidInputError, "got list; wrap them"),
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


def test_list_measures():
    table = hf.list_measures()
    assert len(table) == 38
    assert table.loc["anhd", "distance"]
    assert table.loc["yu", "needs"] == "n_features, similarity"
    assert set(hf.list_measures("ranking").index) == {"kendall", "rbo", "spearman", "top_down"}
    assert (table["reference"] != "").all()
