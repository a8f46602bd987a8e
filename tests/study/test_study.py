"""Studies as a whole: begun, gone on with, refused."""

import json

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import StratifiedKFold

import holdfast as hf
from holdfast.errors import (
    FileFormatError,
    HoldfastWarning,
    InvalidInputError,
    StoreError,
    StudyError,
)
from holdfast.study._planning._make_plan import make_plan
from holdfast.study._planning._plan import MAX_RESAMPLES_PER_BLOCK, block_size
from holdfast.study._storage._folder import directions

RNG = np.random.default_rng(0)
Y = np.arange(40) % 2
X = RNG.normal(size=(40, 12)) + Y[:, None] * (np.arange(12) < 3)
USUAL = {"protocol": hf.Subsampling(6, 0.8), "sizes": [2, 4], "classifiers": ["knn3"]}


def study(selectors=("t_score", "random_score"), **given):
    return hf.Study(selectors, **{**USUAL, **given}, replication=0)


def rows(result):
    return result.store.query(
        "SELECT selector, resample, form, data FROM preferences ORDER BY selector, resample, form"
    ), result.store.query(
        "SELECT selector, resample, size, classifier, predicted, scores FROM predictions "
        "ORDER BY selector, resample, size, classifier"
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return a finished study, and its folder."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    return study().run(X, Y, out=folder, n_jobs=1), folder


def test_a_study_does_what_it_planned(whole):
    result, folder = whole
    assert result.complete
    assert sorted(path.name for path in folder.iterdir()) == [
        ".lock",
        "data.npz",
        "plan.json",
        "study.sqlite",
    ]
    plan = json.loads((folder / "plan.json").read_text())
    assert plan == result.store.fact("plan")
    assert [one["name"] for one in plan["selectors"]] == ["t_score", "random_score"]
    assert plan["selectors"][0]["object"]["class"] == "holdfast.select:TScore"
    assert plan["protocol"]["estimates"].endswith(".")
    assert len(result.store.query("SELECT * FROM runs")) == 1


def test_in_memory_and_on_disk_are_the_same(whole):
    assert rows(study().run(X, Y, n_jobs=1)) == rows(whole[0])


def test_a_study_that_is_done_is_not_done_again(whole):
    again = study().run(X, Y, out=whole[1], n_jobs=1)
    assert rows(again) == rows(whole[0])
    assert len(again.store.query("SELECT * FROM runs")) == 1


def test_parts_add_up_and_are_resumed(whole, tmp_path):
    half = study().run(X, Y, out=tmp_path / "run", n_jobs=1, part="1/2")
    assert not half.complete
    assert 0 < len(half.store.finished_units()) < 12
    rest = hf.resume(tmp_path / "run", n_jobs=1)
    assert rest.complete
    assert rows(rest) == rows(whole[0])


def test_the_data_and_the_command_are_there_for_later(whole, tmp_path):
    assert whole[0].dataset.n_samples == 40
    assert hf.load(whole[1]).dataset.X.tolist() == X.tolist()
    assert whole[0].command is None
    given = study().run(
        X, Y, out=tmp_path, save_data=False, n_jobs=1, command="as I say", part="1/2"
    )
    assert given.command == given.versions["command"][0] == "as I say"
    assert hf.load(tmp_path).dataset is None
    again = study().run(X, Y, out=tmp_path, n_jobs=1, command="the rest")
    assert again.versions["command"].tolist() == ["as I say", "the rest"]
    assert again.command == "as I say"


def test_the_truth_is_known_of_simulated_data_only(whole):
    assert whole[0].truth is None
    data = hf.io.read_data("@simulated")
    result = hf.Study(
        "t_score", protocol=hf.Subsampling(2, 0.5), classifiers=(), replication=0
    ).run(data, n_jobs=1)
    assert result.truth == tuple(np.array(data.feature_names)[data.truth])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"sizes": [2]}, r"another study: its plan is not this plan \(sizes: \[2, 4\] there"),
        ({"random_state": 1}, "its plan is not this plan .seed: 0 there, 1 here"),
        ({"selectors": ["t_score"]}, "its plan is not this plan .selectors"),
        ({"selectors": ["random_score", "t_score"]}, "names of selectors"),
        ({"selectors": ["t_score:variance=welch", "random_score"]}, 'variance: "pooled" there'),
        ({"protocol": hf.Subsampling(7, 0.8)}, "protocol.object.parameters.n_resamples: 6 there"),
    ],
)
def test_another_plan_in_the_same_folder_is_refused(whole, given, words):
    with pytest.raises(StoreError, match=words):
        study(**given).run(X, Y, out=whole[1], n_jobs=1)


def test_changed_data_in_the_same_folder_are_refused(whole):
    changed = X.copy()
    changed[3, 3] += 1e-12
    with pytest.raises(StoreError, match="its data are not these data"):
        study().run(changed, Y, out=whole[1], n_jobs=1)


def test_data_that_were_not_saved_have_to_be_given_again(tmp_path):
    first = study().run(X, Y, out=tmp_path, n_jobs=1, part="1/2", save_data=False)
    assert not (tmp_path / "data.npz").exists()
    with pytest.raises(StudyError, match=r"continue with Study.run\(X, y, out=...\)"):
        hf.resume(tmp_path, n_jobs=1)
    assert not first.complete
    assert study().run(X, Y, out=tmp_path, n_jobs=1, save_data=False).complete


def test_a_data_file_that_changed_is_refused_on_resuming(tmp_path):
    path = tmp_path / "data.csv"
    header = ",".join([*(f"f{i}" for i in range(12)), "class"])
    lines = [
        ",".join([*map(repr, row.tolist()), str(label)]) for row, label in zip(X, Y, strict=True)
    ]
    path.write_text("\n".join([header, *lines]))
    study().run(hf.io.read_data(path), out=tmp_path / "run", n_jobs=1, part="1/2")
    assert not (tmp_path / "run" / "data.npz").exists()
    path.write_text("\n".join([header, *lines[1:], lines[0]]))
    with pytest.raises(StoreError, match="have changed since"):
        hf.resume(tmp_path / "run", n_jobs=1)
    path.write_text("\n".join([header, *lines]))
    path.rename(tmp_path / "moved.csv")
    with pytest.raises(FileFormatError, match="no such file"):
        hf.resume(tmp_path / "run", n_jobs=1)
    assert hf.resume(tmp_path / "run", data=tmp_path / "moved.csv", n_jobs=1).complete
    again = study().run(hf.io.read_data(tmp_path / "moved.csv"), out=tmp_path / "run", n_jobs=1)
    assert again.complete  # where the data lie is not what they are


def mean_score(X, y):
    return X.mean(axis=0)


def test_what_cannot_be_imported_goes_on_through_run_only(tmp_path):
    def local(X, y):
        return X.mean(axis=0)

    mine = study({"local": local, "known": mean_score})
    mine.run(X, Y, out=tmp_path, n_jobs=1, part="1/2")
    with pytest.raises(StudyError, match="local cannot be imported here"):
        hf.resume(tmp_path, n_jobs=1)
    assert mine.run(X, Y, out=tmp_path, n_jobs=1).complete


def test_a_splitter_of_scikit_learn_is_a_protocol():
    splitter = StratifiedKFold(4, shuffle=True, random_state=3)
    result = study(["t_score"], protocol=splitter).run(X, Y, n_jobs=1)
    for resample, (train, test) in zip(result.store.resamples(), splitter.split(X, Y), strict=True):
        assert resample.train.tolist() == train.tolist()
        assert resample.test.tolist() == test.tolist()
    assert result.plan["protocol"]["tested"] == "once"


def test_progress_is_reported():
    class Told:
        def __init__(self):
            self.calls = []

        def start(self, totals, done, where):
            self.calls.append(("start", dict(totals), dict(done)))

        def advance(self, done, failed):
            self.calls.append(("advance", sum(done.values()), failed))

        def stop(self):
            self.calls.append(("stop",))

    told = Told()
    study().run(X, Y, n_jobs=1, progress=told)
    totals, done = {"t_score": 6, "random_score": 6}, {"t_score": 0, "random_score": 0}
    assert told.calls[0] == ("start", totals, done)
    assert told.calls[-1] == ("stop",)
    assert sum(call[1] for call in told.calls[1:-1]) == 12
    assert sum(call[2] for call in told.calls[1:-1]) == 0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"n_jobs": 0}, "n_jobs must be a non-zero integer"),
        ({"timeout": 0}, "timeout must be a number of seconds above 0"),
        ({"timeout": float("inf")}, "timeout must be a number of seconds above 0"),
        ({"timeout": "5"}, "timeout must be a number of seconds above 0"),
        ({"part": "3/2"}, "expected a part such as 1/3"),
        ({"part": "half"}, "expected a part such as 1/3"),
    ],
)
def test_bad_wishes_about_the_run_are_refused(given, words):
    with pytest.raises(InvalidInputError, match=words):
        study().run(X, Y, **given)


def test_a_selector_with_a_size_of_its_own_says_that_sizes_do_not_apply():
    with pytest.warns(HoldfastWarning, match="do not apply to select_k_best"):
        make_plan(study([SelectKBest(k=3)])._settings, hf.io.from_arrays(X, Y))


def test_labels_are_needed_once():
    with pytest.raises(InvalidInputError, match="y, the class of each sample"):
        study().run(X)
    with pytest.raises(InvalidInputError, match="includes its labels"):
        study().run(hf.io.from_arrays(X, Y), Y)


def test_one_class_against_the_rest():
    result = study(["t_score"]).run(hf.io.read_data("@wine"), positive="class_1", n_jobs=1)
    assert result.plan["data"]["classes"] == {"class_1": 71, "rest": 107}


def test_a_forest_is_one_selector():
    assert list(study(RandomForestClassifier())._settings.selectors) == ["random_forest_classifier"]


def test_measures_are_taken_once():
    assert study(measures=["jaccard", "jaccard"])._settings.measures == ("jaccard",)


def test_constant_features_have_no_direction():
    data = hf.io.from_arrays(np.column_stack((np.full(40, 0.1), X)), np.repeat([0, 1], [13, 27]))
    assert directions(data)[0] is None
    assert set(directions(data)[1:]) <= {0, 1}


def test_block_boundaries_belong_to_the_plan():
    assert block_size(hf.AnySelector(), 10) == 1
    assert block_size(hf.TScore(), 10) == MAX_RESAMPLES_PER_BLOCK
    assert block_size(hf.TScore(), 10**6) == 4
    plan = make_plan(study(protocol=hf.Subsampling(20))._settings, hf.io.from_arrays(X, Y))
    covered = [
        at for unit in plan.units() if unit.selector == 0 for at in range(unit.first, unit.stop)
    ]
    assert covered == list(range(20))
