"""What a study recommends, and what choosing costs."""

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.study._recommendation import own_sizes, recommend_candidate
from holdfast.study._result import Result
from holdfast.study._storage._reader import StudyReader
from holdfast.study._tables import _errors as reading
from tests.judge.predictions import naive_spread
from tests.study.stores import Made, folds, full, subsamples

OWN = Made(n=40, resamples=subsamples(40, 8), own=("two",))


def suggested(result, **options):
    return recommend_candidate(
        result._reader, result._data, result.errors, result.stability, **options
    )


@pytest.fixture(scope="module")
def nested():
    study = hf.Study(
        {"F": hf.FScore(), "relieff": hf.ReliefF(), "random": hf.RandomScore()},
        protocol=hf.Nested(4, hf.Subsampling(6, 0.75)),
        sizes=[2, 4],
        classifiers=["lda", "knn3"],
        measures=["nogueira", "spearman", "anhd"],
        replication=0,
    )
    return study.run(hf.io.read_data("@wine"), n_jobs=1)


def test_the_error_of_the_choice_is_that_of_choosing_within_each_outer_part(nested):
    """Choose in the open: lowest inner error plus a standard error, then the most stable."""
    reader, outside = nested._reader, nested.predictions
    errs = outside["actual"].astype(str) != outside["predicted"].astype(str)
    wrong = []
    for number, tested in reading.read_inner_predictions(reader).items():
        errors, spreads = np.transpose(
            [
                naive_spread(
                    row.astype(float), tested.samples, tested.group, tested.units, once=False,
                    overlap=tested.overlap,
                )
                for row in tested.wrong
            ]
        )  # fmt: skip
        best = errors.argmin()
        close = np.flatnonzero(errors <= errors[best] + spreads[best])
        order = sorted(
            close, key=lambda i: (-inner_stability(nested, number, tested.pairs[i]), errors[i])
        )
        pair = tested.pairs[order[0]]
        here = (outside["resample"] == number) & (outside["size"] == pair.size)
        here &= (outside["selector"] == pair.selector) & (outside["classifier"] == pair.classifier)
        wrong += errs[here].tolist()
    found = suggested(nested, rule="one_standard_error").choice
    assert len(wrong) == 178
    assert found.method == "nested"
    assert found.error == pytest.approx(np.mean(wrong))
    assert found.standard_error == pytest.approx(
        np.sqrt((1 + 40 / 178) * np.mean(wrong) * (1 - np.mean(wrong)) / 178)
    )


def inner_stability(result, outer, pair):
    inner = result.resamples.query("role == 'inner'").reset_index(drop=True)
    mine = np.flatnonzero(inner["outer"] == result.resamples["outer"][outer])
    subsets = result.preferences[pair.selector, pair.size]
    return hf.measure("nogueira", hf.Subsets([list(subsets[i]) for i in mine], n_features=13))


def test_without_inner_predictions_the_bootstrap_steps_in(nested):
    other = nested.store.create(None)
    nested.store.connection.backup(other.connection)
    other.connection.execute(
        "DELETE FROM predictions WHERE resample IN (SELECT resample FROM resamples "
        "WHERE role = 'inner')"
    )
    assert suggested(Result(other)).choice.method == "bootstrap"


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["nogueira", "spearman", "anhd"])
@pytest.mark.parametrize("rule", ["not_worse", "one_standard_error", "rpt"])
def test_any_rule_and_measure_recommends_a_pair_of_the_study(nested, measure, rule):
    got = suggested(nested, measure=measure, rule=rule)
    assert got.measure == measure
    assert got.selector in ("F", "relieff")
    assert got.size in (2, 4)
    assert got.choice.chosen["count"].sum() == 4
    row = got.table[got.table["recommended"]].iloc[0]
    assert row["error"] == got.error


def test_a_study_half_done_recommends_from_what_there_is():
    made = Made(n=40, resamples=subsamples(40, 8))
    skipped = [(1, number) for number in range(3, 8)]
    got = suggested(Result(full(made, skip=skipped)))
    assert got.selector == "one"
    assert len(got.table) == 4
    assert "two is known on only 24 of the 64 predictions compared, so it is left out." in str(got)
    assert set(got.choice.chosen["selector"]) == {"one"}
    alike = suggested(Result(full(made, skip=[*skipped, *((0, number) for _, number in skipped)])))
    assert "left out" not in str(alike)
    with pytest.raises(InvalidInputError, match="nothing can be recommended"):
        suggested(Result(made.store()))


def test_a_selector_that_failed_where_it_is_hard_is_not_the_best():
    made = Made(n=60, resamples=folds(60, 10), tested="once", selectors=("one", "two", "three"))
    store = full(made)
    errors = Result(store).predictions.query("selector == 'two' and size == 2")
    wrong = errors["actual"].astype(str) != errors["predicted"].astype(str)
    hard = wrong.groupby(errors["resample"]).mean().sort_values().index[2:]
    partly = full(made, failed=[(1, number) for number in hard])
    assert Result(partly).errors["error"].idxmin() == 2  # two on 2 features, on easy samples
    got = suggested(Result(partly))
    assert "two is known on only 12 of the 60 samples compared, so it is left out." in str(got)
    assert not got.rivals["selector"].eq("two").any()
    assert got.table["selector"].eq("two").any()


def test_a_pair_without_a_stability_is_reported_of_if_it_errs_less():
    study = hf.Study(
        "f_score",
        protocol=hf.CrossValidation(5),
        sizes=[1, 2, 13],
        classifiers="lda",
        replication=0,
    )
    got = suggested(study.run(hf.io.read_data("@wine"), n_jobs=1))  # all 13 features: no choice
    assert got.reasons[0].startswith("Of 2 considered pairs")
    assert "f_score with lda on 13 features errs less" in got.reasons[1]
    assert "nogueira" in got.reasons[1]


def test_subjects_are_tested_and_drawn_as_such():
    made = Made(n=60, resamples=folds(60, 5), tested="once")
    store = full(made)
    store.connection.execute("UPDATE samples SET subject = 's' || (sample / 4)")
    got = suggested(Result(store))
    assert "the t-test on subjects" in str(got)
    assert "on subjects drawn again" in got.choice.sentence


def test_without_classifiers_stability_decides():
    made = Made(resamples=subsamples(30, 6), classifiers=())
    got = suggested(Result(full(made)))
    assert (got.classifier, got.choice) == (None, None)
    ranked = Made(resamples=subsamples(30, 6), classifiers=(), measures=("spearman",))
    got = suggested(Result(full(ranked, forms=("ranks",))))
    assert got.size == 2
    assert "says nothing about how many features" in str(got)


def test_own_sizes_are_averaged():
    reader = StudyReader(full(OWN))
    rows = reader.selected_features(1)
    assert own_sizes(reader) == {"two": pytest.approx(np.mean([len(row) for row in rows.values()]))}
    assert "own" in suggested(Result(full(OWN))).table["size"].tolist()


def test_a_single_pair_has_no_error_of_choosing():
    made = Made(resamples=subsamples(30, 6), selectors=("one",), sizes=(2,))
    assert suggested(Result(full(made))).choice is None


def test_measures_that_the_study_lacks_are_refused():
    result = Result(full(Made(n=40, resamples=subsamples(40, 8))))
    with pytest.raises(UnknownNameError, match="no measure 'kuncheva'"):
        suggested(result, measure="kuncheva")
    nothing = Made(resamples=subsamples(30, 4), measures=())
    with pytest.raises(InvalidInputError, match="has no stability measure"):
        suggested(Result(full(nothing)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "protocol", [hf.CrossValidation(5), hf.Nested(5, 4)], ids=["flat", "nested"]
)
def test_the_best_of_many_looks_good_on_noise_and_the_choice_does_not(protocol):
    rng = np.random.default_rng(0)
    names = {f"random{i}": hf.RandomScore() for i in range(8)}
    study = hf.Study(
        names, protocol=protocol, sizes=[1, 2, 4, 8], classifiers=["knn1"], replication=0
    )
    result = study.run(rng.normal(size=(60, 30)), np.arange(60) % 2, n_jobs=1)
    assert all(tested.once for tested in reading.read_inner_predictions(result._reader).values())
    choice = suggested(result, rule="one_standard_error").choice
    spread = 0.5 / np.sqrt(60)
    assert result.errors["error"].min() < 0.5 - 1.5 * spread
    assert choice.error > 0.5 - 1.5 * spread
    assert choice.error == pytest.approx(0.5, abs=3 * spread)


def study_of(n_pairs, classifiers=("knn3",)):
    return hf.Study(
        ["t_score", "information_gain"], protocol=hf.Subsampling(10, 0.9), sizes=[5, 10],
        classifiers=list(classifiers), replication=n_pairs,
    )  # fmt: skip


@pytest.fixture(scope="module")
def noise():
    rng = np.random.default_rng(3)
    data = rng.normal(size=(60, 200)), np.arange(60) % 2
    return data, study_of(12).run(*data, n_jobs=1)


@pytest.fixture(scope="module")
def signal():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 200)), np.arange(60) % 2
    X[:, :8] += y[:, None] * 1.5
    return study_of(12).run(X, y, n_jobs=1)


def test_on_noise_nothing_is_recommended_and_no_model_is_fitted(noise):
    data, result = noise
    found = result.recommend()
    assert not found.supported
    assert str(found).startswith("Nothing can be recommended: a second study of 60 could not")
    assert found.replication_low < 0 < found.replication_high
    with pytest.raises(InvalidInputError, match=r"chosen=hf\.judge\.Pair\(selector='"):
        result.pipeline(*data)
    model = result.pipeline(*data, chosen=found.pair)
    assert model.predict(data[0]).shape == (60,)


@pytest.mark.slow
def test_what_replicates_is_recommended_where_there_is_a_signal(signal):
    found = signal.recommend()
    assert found.supported
    assert found.why_not == ""
    assert found.stability_source == "replication"
    row = signal.replication.query(
        "selector == @found.selector and size == @found.size and measure == 'nogueira'"
    ).iloc[0]
    chosen = found.table[found.table["recommended"]].iloc[0]
    assert chosen["replication"] == row["predicted"]
    assert found.replication_samples == row["at"] == 60
    assert found.replication <= row["predicted"]
    rivals = found.table[found.table["rival"]]
    assert chosen["score"] == rivals["score"].max()
    usual = signal.recommend(stability="resamples")
    assert usual.stability_source == "resamples"
    assert usual.stability == usual.table.loc[usual.table["rival"], "stability"].max()
    with pytest.raises(UnknownNameError, match="'replication' or 'resamples'"):
        signal.recommend(stability="resample")


def test_without_disjoint_parts_the_resamples_decide_and_the_reasons_say_so(nested):
    found = nested.recommend()
    assert (found.stability_source, found.supported) == ("resamples", True)
    assert np.isnan(found.replication)
    assert (
        "not known whether a second study would find these features (it was not asked for)"
        in (found.reasons[-1])
    )
