"""Predictions of a study as judges take them."""

import numpy as np
import pytest

import holdfast as hf
from holdfast.judge._error_comparison import PredictionErrors
from holdfast.resample import Resample
from holdfast.study._result import Result
from holdfast.study._storage._reader import StudyReader
from holdfast.study._tables import _errors as reading
from tests.study.stores import Made, folds, full, subsamples


def drawn(n, count):
    rows = np.arange(n)
    return [Resample(rows, rows, draw=number) for number in range(count)]


CASES = {
    "subsamples": Made(n=40, resamples=subsamples(40, 8), classifiers=("x", "y")),
    "folds": Made(n=40, resamples=folds(40, 5), tested="once", labels=("a", "b", "c")),
    "own": Made(n=40, resamples=subsamples(40, 8), own=("two",)),
    "drawn": Made(n=20, resamples=drawn(20, 6)),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("failed", [(), ((0, 1), (1, 3))])
def test_the_predictions_give_the_table_of_errors(case, failed):
    store = full(CASES[case], failed=failed)
    errors = Result(store).errors
    tested = reading.read_predictions(StudyReader(store))
    scored = PredictionErrors(tested).candidate_errors()
    assert [tuple(pair) for pair in tested.pairs] == list(
        errors[["selector", "classifier", "size"]].itertuples(index=False, name=None)
    )
    assert scored.errors == pytest.approx(errors["error"].to_numpy())
    assert scored.standard_errors == pytest.approx(errors["standard_error"].to_numpy())


@pytest.mark.parametrize("failed", [(), ((0, 1), (1, 3))])
def test_subjects_give_the_standard_errors_of_the_table(failed):
    store = full(CASES["folds"], failed=failed)
    store.connection.execute("UPDATE samples SET subject = 'p' || (sample % 7)")
    errors = Result(store).errors
    scored = PredictionErrors(reading.read_predictions(StudyReader(store))).candidate_errors()
    assert (
        scored.test_name(as_published=False)
        == "the t-test on subjects, enlarged for shared training samples"
    )
    assert scored.test_name(as_published=True) == "the t-test on subjects"
    assert scored.errors == pytest.approx(errors["error"].to_numpy())
    assert scored.standard_errors == pytest.approx(errors["standard_error"].to_numpy())


def test_where_nothing_is_tested_there_is_nothing_to_read():
    untested = Made(
        resamples=[Resample(np.arange(30), np.array([], dtype=int))] * 3, tested="never"
    )
    assert reading.read_predictions(StudyReader(full(untested))) is None
    without = Made(resamples=subsamples(30, 4), classifiers=())
    assert reading.read_predictions(StudyReader(full(without))) is None
    undone = Made(resamples=subsamples(30, 4))
    assert reading.read_predictions(StudyReader(undone.store())) is None


def test_drawn_data_sets_are_units_and_so_are_subjects():
    tested = reading.read_predictions(StudyReader(full(CASES["drawn"])))
    assert (tested.units == tested.group).all()
    assert tested.overlap == 0
    store = full(CASES["folds"])
    assert (reading.read_predictions(StudyReader(store)).units == np.arange(40)).all()
    store.connection.execute("UPDATE samples SET subject = 'p' || (sample / 4)")
    units = reading.read_predictions(StudyReader(store)).units
    assert (units[:-1] == units[1:]).tolist() == [i % 4 != 3 for i in range(39)]


@pytest.fixture(scope="module")
def nested():
    study = hf.Study(
        "f_score",
        protocol=hf.Nested(3, hf.Subsampling(4, 0.75)),
        sizes=[2, 4],
        classifiers=["lda"],
        replication=0,
    )
    return study.run(hf.io.read_data("@wine"), n_jobs=1)


def test_inner_predictions_are_read_by_outer_resample(nested):
    found = reading.read_inner_predictions(nested._reader)
    resamples = nested.resamples
    assert list(found) == resamples.query("role == 'outer'")["resample"].tolist()
    for number, tested in found.items():
        inner = resamples[resamples["outer"] == resamples["outer"][number]]
        inner = inner[inner["role"] == "inner"]
        assert set(tested.group) == set(inner["resample"])
        assert len(tested.samples) == inner["n_test"].sum()
        assert not tested.once
        assert tested.known.all()
        assert tested.overlap == pytest.approx(inner["n_test"].sum() / inner["n_train"].sum())
