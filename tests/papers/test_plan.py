"""What is to be run, and how long it takes."""

import pytest

from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.papers._dataset_locator import DATA, DatasetLocator
from holdfast.papers._record import FULL, REDUCED
from holdfast.papers._reproduce import (
    PAPERS,
    expected_seconds,
    explain_missing_data,
    plan_experiments,
)
from tests.papers.sample import SAMPLE


@pytest.fixture(autouse=True)
def no_folder(monkeypatch):
    monkeypatch.delenv("HOLDFAST_DATA", raising=False)


def names(tasks):
    return {task.experiment.name: task.names for task in tasks}


def test_reduced_runs_take_some_data_sets_and_full_ones_all_at_hand(tmp_path):
    assert names(plan_experiments({SAMPLE: ()}, DatasetLocator(), full=False)) == {
        "table": ("wine",),
        "figure1": (),
    }
    full = plan_experiments({SAMPLE: ["table"]}, DatasetLocator(), full=True)
    assert names(full) == {"table": ("wine", "breast_cancer")}
    (tmp_path / "sonar.csv").write_text("f0,class\n1,a\n", encoding="utf-8")
    more = plan_experiments({SAMPLE: ["table", "table"]}, DatasetLocator(tmp_path), full=False)
    assert [task.names for task in more] == [("wine", "sonar")]


def test_data_sets_can_be_chosen():
    chosen = plan_experiments(
        {SAMPLE: ()}, DatasetLocator(), full=False, datasets=["breast_cancer"]
    )
    assert names(chosen) == {"table": ("breast_cancer",), "figure1": ()}
    with pytest.raises(InvalidInputError, match="sonar is not available: no folder"):
        plan_experiments({SAMPLE: ()}, DatasetLocator(), full=False, datasets=["sonar"])
    with pytest.raises(UnknownNameError, match=r"none of these experiments uses .* 'colon'"):
        plan_experiments({SAMPLE: ()}, DatasetLocator(), full=False, datasets=["colon"])
    with pytest.raises(UnknownNameError, match="no data set is called 'wein'"):
        plan_experiments({SAMPLE: ()}, DatasetLocator(), full=False, datasets=["wein"])
    with pytest.raises(UnknownNameError, match="They need none"):
        plan_experiments({SAMPLE: ["figure1"]}, DatasetLocator(), full=False, datasets=["wine"])


def test_an_unknown_experiment_is_reported_with_the_nearest():
    with pytest.raises(
        UnknownNameError, match=r"no experiment called 'tabel'\. Did you mean 'table'"
    ):
        plan_experiments({SAMPLE: ["tabel"]}, DatasetLocator(), full=False)


def test_what_cannot_be_run_says_why(tmp_path):
    (task,) = plan_experiments(
        {SAMPLE: ["table"]}, DatasetLocator(tmp_path), full=False, datasets=[]
    )
    assert not task.is_runnable
    assert "stroke: these spectra were not published" not in explain_missing_data(
        task, DatasetLocator(tmp_path)
    )
    assert "sonar: there is no sonar.parquet" in explain_missing_data(
        task, DatasetLocator(tmp_path)
    )


def test_time_is_the_sum_over_pieces_each_counted_once():
    tasks = plan_experiments({SAMPLE: ()}, DatasetLocator(), full=True)
    assert expected_seconds(tasks, full=True) == 100 + 400 + 10
    assert expected_seconds([*tasks, *tasks], full=True) == 510
    assert (
        expected_seconds(plan_experiments({SAMPLE: ()}, DatasetLocator(), full=False), full=False)
        == 2 + 1
    )


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS)
@pytest.mark.parametrize("size", [REDUCED, FULL])
def test_every_piece_of_work_of_a_paper_has_its_time(paper, size):
    for experiment in paper.experiments:
        assert experiment.work, experiment.name
        for piece in experiment.work:
            names = [name for name in experiment.data if not DATA[name].missing]
            pieces = [piece] if piece in paper.seconds else [(piece, name) for name in names]
            assert pieces, (experiment.name, piece)
            assert all(paper.seconds[one][size] > 0 for one in pieces), (experiment.name, piece)


def test_reduced_runs_of_all_papers_fit_into_a_quarter_of_an_hour(monkeypatch):
    """On two cores, by the measured times; data sets count as if all were available."""
    monkeypatch.setattr(DatasetLocator, "source", lambda _, name: name)
    asked = dict.fromkeys(PAPERS.values(), ())
    assert (
        expected_seconds(plan_experiments(asked, DatasetLocator(), full=False), full=False)
        < 2 * 15 * 60
    )
