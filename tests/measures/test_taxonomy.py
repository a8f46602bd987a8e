"""The taxonomy of the measures of subsets, against simulations and what the papers say."""

import numpy as np
import pytest
import scipy.sparse

import holdfast as hf
from holdfast.measures import get_measure
from holdfast.measures._registry import register_measure
from holdfast.measures._subset_tables import SystemMeasure

NAMES = hf.list_measures("subset").index
TAXONOMY = ["focus", "registers", "size_biased"]


def value(name, subsets, n_features):
    """Measure subsets; no two features are similar."""
    needs = get_measure(name).needs
    options = (
        {"similarity": scipy.sparse.eye_array(n_features, format="csr")}
        if "similarity" in needs
        else {}
    )
    return hf.measure(name, hf.Subsets(subsets, n_features=n_features), **options)


@pytest.mark.parametrize("name", NAMES)
def test_random_subsets_show_the_size_bias(name):
    p, rng = 60, np.random.default_rng(3)
    values = [
        value(name, [rng.choice(p, size, replace=False) for _ in range(30)], p)
        for size in (3, 6, 15, 30, 45, 54)
    ]
    # without bias the rest is noise, and 1/(m - 1) at most for bounds that few subsets cannot reach
    assert (np.ptp(values) > 0.15) == get_measure(name).size_biased


@pytest.mark.parametrize("name", NAMES)
def test_features_that_no_subset_selects_show_what_is_registered(name):
    rng, record = np.random.default_rng(1), get_measure(name)
    subsets = [np.append(np.arange(4), 4 + rng.choice(20, 8, replace=False)) for _ in range(6)]
    few, many = value(name, subsets, 30), value(name, subsets, 30_000)
    best = 1.0 if name == "sechidis" else record.best  # 1 for identical subsets
    tends_to_best = abs(many - best) < 0.001 < abs(few - best)
    assert tends_to_best == (record.registers == "selection and exclusion")


@pytest.mark.parametrize("name", [name for name in NAMES if get_measure(name).focus == "features"])
def test_measures_of_features_depend_on_frequencies_only(name):
    one = [[0, 1, 2], [0, 3, 4], [1, 2, 5], [0, 4, 5]]
    other = [[0, 1, 4], [0, 2, 3], [1, 2, 5], [0, 4, 5]]  # the first two subsets swap 2 and 4
    assert value(name, one, 9) == pytest.approx(value(name, other, 9), abs=1e-12)


def test_the_papers_classify_measures_alike():
    """Dernoncourt et al. (2014), section 2; Somol and Novovicova (2008) on CW."""
    table = hf.list_measures("subset")[TAXONOMY]
    stated = {
        "weighted_consistency": ("features", "selection", True),
        "relative_weighted_consistency": ("features", "selection", False),
        "jaccard": ("subsets", "selection", True),
        "ati_pa": ("subsets", "selection", False),
    }
    assert {name: tuple(table.loc[name]) for name in stated} == stated
    assert table.loc[["kuncheva", "krizek"], "focus"].tolist() == ["subsets", "subsets"]


def test_other_forms_have_no_taxonomy():
    table = hf.list_measures()
    others = table[table["form"] != "subset"]
    assert (others[["focus", "registers"]] == "").all(axis=None)
    assert others["size_biased"].isna().all()


def test_a_measure_of_subsets_without_taxonomy_is_refused():
    def incomplete(tables):
        """Return nothing."""

    with pytest.raises(TypeError, match="incomplete: measures of subsets, and only they, need"):
        register_measure(
            SystemMeasure, title="incomplete", minimum=0.0, maximum=1.0, references=("yu2008",)
        )(incomplete)
    assert "incomplete" not in hf.list_measures().index
