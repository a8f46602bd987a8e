"""The pictures of a result: which numbers they are given."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import holdfast as hf
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.study import Result
from holdfast.study._result_plots import ensemble_curves
from holdfast.study._storage._serialization import serialize_object
from tests.study.stores import Made, full, subsamples

NAMES = ("one", "two")


class Shown(Result):
    """A result whose judgements are known beforehand."""

    def recommend(self, **options):
        table = pd.DataFrame(
            {"selector": NAMES, "size": [2, 4], "error": [0.2, 0.1], "stability": [0.5, 0.6]}
        ).assign(recommended=[False, True], classifier="knn")
        measure = options.get("measure", "nogueira")
        supported = options.get("min_difference") != "unsupported"
        return SimpleNamespace(
            selector="two", size=4, table=table, measure=measure, supported=supported
        )

    def profile(self, **options):
        table = pd.DataFrame({"selector": "one", "size": [1, 2, 3] * 2, "value": 0.5}).assign(
            measure=["nogueira"] * 3 + ["jaccard"] * 3
        )
        knots = pd.DataFrame({"selector": ["one"], "size": [2]})
        return SimpleNamespace(table=table, knots=knots, measure=options.get("measures", "jaccard"))

    def similarity(self, **options):
        matrix = pd.DataFrame(np.eye(2), index=NAMES, columns=NAMES)
        return SimpleNamespace(matrix=matrix, measure="phi")


@pytest.fixture
def result():
    return Shown(full(Made(resamples=subsamples(30, 6))))


def test_stripes_show_the_selections_of_the_recommended_pair(result):
    numbers = result.plot_stripes().numbers
    subsets = result.preferences["two", 4]
    assert numbers["feature"].tolist() == subsets.to_frame()["feature"].tolist()
    assert set(numbers["group"]) == {0}
    other = result.plot_stripes("one", 2, order="frequency")
    assert len(other.numbers) == 12


def test_a_selector_or_a_size_alone_can_be_asked_for(result):
    assert len(result.plot_stripes("one").numbers) == 6 * 4
    assert len(result.plot_stripes(size=2).numbers) == 6 * 2


def test_unknown_names_are_refused(result):
    with pytest.raises(UnknownNameError, match="called 'three'"):
        result.plot_frequencies("three")
    with pytest.raises(InvalidInputError, match="sizes of one are"):
        result.plot_stripes("one", 99)


def test_frequencies_and_ranks_are_those_of_the_table(result):
    table = result.frequencies.query("selector == 'one' and size == 2")
    drawn = result.plot_frequencies("one", 2, most=3).numbers
    assert drawn["feature"].tolist() == table["feature"].tolist()[:3]
    assert drawn["low"].tolist() == table["low"].tolist()[:3]
    ranks = result.plot_ranks("one", 2).numbers
    assert set(ranks["feature"]) == set(table["feature"])
    assert "informative" not in drawn.columns


def test_profiles_show_the_chief_measure_with_its_knots(result):
    picture = result.plot_profiles(style="dark")
    assert picture.numbers["knot"].tolist() == [False, True, False]
    assert set(picture.numbers["measure"]) == {"jaccard"}
    assert picture.ax.get_ylabel() == hf.measures.get_measure("jaccard").title
    other = result.plot_profiles(measures="nogueira")
    assert set(other.numbers["measure"]) == {"nogueira"}


def test_the_plane_shows_all_pairs(result):
    picture = result.plot_plane(measure="jaccard")
    assert picture.numbers["accuracy"].tolist() == [0.8, 0.9]
    assert picture.ax.get_ylabel() == hf.measures.get_measure("jaccard").title


def test_the_plane_rings_no_pair_that_is_not_supported(result):
    assert "Recommended: two" in result.plot_plane().description
    assert "Recommended" not in result.plot_plane(min_difference="unsupported").description


def test_similarity_shows_the_matrix(result):
    assert result.plot_similarity().numbers["value"].tolist() == [1, 0, 0, 1]


def test_upset_shares_what_is_often_selected(result):
    numbers = result.plot_upset(often=0.5).numbers
    table = result.frequencies.query("size == 4 and frequency >= 0.5")
    drawn = {feature for features in numbers["features"] for feature in features}
    assert drawn == set(table["feature"])
    owners = dict(zip(numbers["features"], numbers["selectors"], strict=True))
    for features, names in owners.items():
        for feature in features:
            assert set(names) == set(table.loc[table["feature"] == feature, "selector"])


def test_the_truth_must_be_known(result):
    with pytest.raises(InvalidInputError, match="were not simulated"):
        result.plot_truth()


@pytest.fixture(scope="module")
def simulated():
    study = hf.Study(
        "f_score", protocol=hf.Subsampling(4, 0.9), sizes=[3], classifiers=(), replication=0
    )
    return study.run(hf.io.read_data("@simulated"), n_jobs=1)


def test_the_truth_holds_every_feature_with_its_effect(simulated):
    data = hf.io.read_data("@simulated")
    numbers = simulated.plot_truth("f_score", 3).numbers
    assert numbers["feature"].tolist() == list(data.feature_names)
    assert numbers["informative"].tolist() == data.truth.tolist()
    assert ((numbers["effect"] > 0) == data.truth).all()
    assert numbers["value"].sum() == pytest.approx(3)


def test_truth_is_marked_in_other_pictures(simulated):
    known = set(simulated.truth)
    for picture in (simulated.plot_stripes("f_score", 3), simulated.plot_frequencies("f_score", 3)):
        numbers = picture.numbers
        assert numbers["informative"].tolist() == [name in known for name in numbers["feature"]]


@pytest.fixture(scope="module")
def ensembles():
    selectors = {
        "few": hf.Ensemble("t_score", n_bags=2),
        "many": hf.Ensemble("t_score", n_bags=6),
        "none": hf.Ensemble("t_score", n_bags=None),
        "pair": hf.Ensemble([hf.FScore(), "random_score"], n_bags=3),
        "pairs": hf.Ensemble([hf.FScore(), "random_score"], n_bags=5),
        "lonely": hf.Ensemble("f_score", n_bags=7),
        "plain": hf.TScore(),
    }
    study = hf.Study(
        selectors,
        protocol=hf.Subsampling(4, 0.9),
        sizes=[2, 4],
        classifiers=(),
        measures=["jaccard", "spearman"],
        replication=0,
    )
    return study.run(hf.io.read_data("@breast_cancer"), n_jobs=1)


def test_ensembles_that_differ_by_their_bags_make_a_line(ensembles):
    picture = ensembles.plot_ensemble_sizes("jaccard", 4, style="dark")
    numbers = picture.numbers
    assert numbers["selector"].tolist() == ["t_score"] * 3 + ["f_score + random_score"] * 2
    assert numbers["n_bags"].tolist() == [1, 2, 6, 3, 5]
    table = ensembles.stability.query("measure == 'jaccard' and size == 4").set_index("selector")
    names = ["none", "few", "many", "pair", "pairs"]
    assert numbers["value"].tolist() == table.loc[names, "value"].tolist()
    assert picture.ax.get_ylabel() == hf.measures.get_measure("jaccard").title


def test_ensembles_are_measured_by_rankings_without_a_size(ensembles):
    numbers = ensembles.plot_ensemble_sizes("spearman").numbers
    assert set(numbers["measure"]) == {"spearman"}
    assert len(numbers) == 5
    chosen = ensembles.plot_ensemble_sizes().numbers
    found = ensembles.recommend()
    assert set(chosen["measure"]) == {found.measure}
    assert set(chosen["size"]) == {found.size}


def test_ensembles_of_one_base_are_distinguished_by_their_names():
    selectors = {
        f"{way} {count}": hf.Ensemble(n_bags=count, aggregate=way)
        for way in ("best", "rra")
        for count in (1, 2)
    }
    study = hf.Study(
        selectors, protocol=hf.Subsampling(3, 0.9), sizes=[2], classifiers=(), replication=0
    )
    result = study.run(hf.io.read_data("@wine"), n_jobs=1)
    numbers = result.plot_ensemble_sizes("jaccard", 2).numbers
    assert numbers["selector"].tolist() == ["best 1", "best 1", "rra 1", "rra 1"]


def test_the_base_by_itself_begins_the_line_of_its_ensembles():
    selectors = {
        "alone": hf.ReliefF(n_neighbors=5),
        "named": hf.Ensemble("relieff:n_neighbors=5", n_bags=3),
        "given": hf.Ensemble(hf.ReliefF(n_neighbors=5), n_bags=4),
        "other": hf.Ensemble(hf.ReliefF(n_neighbors=3), n_bags=4),
    }
    parts = [{"name": name, "object": serialize_object(one)} for name, one in selectors.items()]
    table = ensemble_curves({"selectors": parts})
    assert table["n_bags"].tolist() == [1, 3, 4]
    assert table["selector"].tolist() == ["alone", "named", "given"]
    assert set(table["curve"]) == {"relieff:n_neighbors=5"}


def test_ensembles_that_cannot_be_drawn_are_reported(ensembles, simulated):
    with pytest.raises(InvalidInputError, match="no two ensembles of this study differ"):
        simulated.plot_ensemble_sizes()
    with pytest.raises(InvalidInputError, match="did not measure jaccard at the size 3"):
        ensembles.plot_ensemble_sizes("jaccard", 3)
    with pytest.raises(InvalidInputError, match="did not measure kendall"):
        ensembles.plot_ensemble_sizes("kendall")


def test_outer_resamples_stand_apart():
    study = hf.Study(
        "f_score",
        protocol=hf.Nested(inner=hf.Subsampling(3, 0.9)),
        sizes=[2],
        classifiers=(),
        replication=0,
    )
    result = study.run(hf.io.read_data("@wine"), n_jobs=1)
    numbers = result.plot_stripes("f_score", 2).numbers
    inner = result.resamples.query("role == 'inner'")
    assert numbers.groupby("resample")["group"].first().tolist() == inner["outer"].tolist()


@pytest.mark.integration
def test_results_are_made_without_matplotlib():
    code = "import sys; import holdfast.study._result_plots; print('matplotlib' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "False\n"
