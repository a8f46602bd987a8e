"""What a study is told, before there are data."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.svm import SVC

import holdfast as hf
from holdfast.errors import InvalidInputError, StoreError, UnknownNameError
from holdfast.study._planning import _make_plan, _settings
from holdfast.study._planning._settings import check_settings


def settings(**given):
    usual = {
        "selectors": "t_score", "protocol": None, "sizes": None, "classifiers": (),
        "measures": ("nogueira",), "impute": None, "replication": None, "until_width": None,
        "seed": 0,
    }  # fmt: skip
    return check_settings(**{**usual, **given})


def test_selectors_come_in_many_shapes():
    def function(X, y):
        return X[0]

    given = ["relieff:n_neighbors=5", hf.SVMRFE(), LogisticRegression(), function]
    chosen = settings(selectors=given).selectors
    assert list(chosen) == ["relieff", "svmrfe", "logistic_regression", "function"]
    assert chosen["relieff"].n_neighbors == 5
    assert isinstance(chosen["logistic_regression"], hf.AnySelector)
    named = settings(
        selectors="relieff:n_neighbors=5,random_state=1,t_score", classifiers="knn3,lda"
    )
    assert list(named.selectors) == ["relieff", "t_score"]
    assert list(named.classifiers) == ["knn3", "lda"]
    assert settings(selectors={"mine": "t_score"}).selectors["mine"].get_params()


def test_two_of_one_name_are_distinguished():
    chosen = settings(selectors=["relieff:n_neighbors=5", "relieff:n_neighbors=9"]).selectors
    assert list(chosen) == ["relieff:n_neighbors=5", "relieff:n_neighbors=9"]
    with pytest.raises(InvalidInputError, match="may be given once"):
        settings(selectors=["t_score", "t_score"])


def test_what_the_caller_gave_is_left_alone():
    mine = hf.ReliefF()
    assert settings(selectors=[mine]).selectors["relief_f"] is not mine


def test_protocols_and_classifiers_are_understood():
    chosen = settings(protocol=KFold(5), classifiers=["knn3", SVC(C=2.0), "lda:solver=lsqr"])
    assert type(chosen.protocol).__name__ == "Splits"
    assert list(chosen.classifiers) == ["knn3", "svc", "lda"]
    assert chosen.classifiers["knn3"].n_neighbors == 3
    assert chosen.classifiers["lda"].solver == "lsqr"
    assert settings().protocol == hf.Subsampling(100, 0.9)


@pytest.mark.parametrize(
    ("given", "n_samples", "n_resamples"),
    [
        ({}, 12, 100),
        ({}, 13, 30),
        ({"protocol": hf.Subsampling(40, 0.9)}, 13, 40),
        ({"until_width": 0.1}, 13, 1000),
    ],
)
def test_the_default_protocol_draws_fewer_resamples_of_many_samples(
    given, n_samples, n_resamples, monkeypatch
):
    for module in (_make_plan, _settings):
        monkeypatch.setattr(module, "MANY_SAMPLES", 12)
    rng = np.random.default_rng(0)
    data = hf.io.from_arrays(rng.normal(size=(n_samples, 3)), np.arange(n_samples) % 2)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        plan = _make_plan.make_plan(settings(replication=0, **given), data)
    assert len(plan.resamples) == n_resamples
    says_so = [warning for warning in caught if "30 resamples" in str(warning.message)]
    assert len(says_so) == (n_resamples == 30)


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"selectors": "relief"}, UnknownNameError, "Did you mean 'relieff'"),
        ({"selectors": "relieff:neighbours=5"}, UnknownNameError, "n_neighbors"),
        ({"selectors": []}, InvalidInputError, "at least one selector"),
        ({"replication": 1}, InvalidInputError, "0, for none, or at least 2 pairs"),
        ({"replication": -1}, InvalidInputError, "replication must be"),
        ({"selectors": {" ": "t_score"}}, InvalidInputError, "must not be empty"),
        ({"selectors": hf.ReliefF}, InvalidInputError, "a selector must be"),
        ({"selectors": [3]}, InvalidInputError, "a selector must be"),
        ({"classifiers": ["svm"]}, UnknownNameError, "rbf_svm"),
        ({"classifiers": [hf.TScore()]}, InvalidInputError, "fit and predict"),
        ({"measures": ["nogueria"]}, UnknownNameError, "nogueira"),
        ({"sizes": []}, InvalidInputError, "at least one size"),
        ({"sizes": [1.5]}, InvalidInputError, "a fraction above 0"),
        ({"sizes": [True]}, InvalidInputError, "a count"),
        ({"impute": "mean"}, UnknownNameError, "'median' or None"),
        ({"seed": -1}, InvalidInputError, "non-negative integer"),
        ({"seed": None}, InvalidInputError, "non-negative integer"),
    ],
)
def test_what_cannot_be_is_refused(given, error, words):
    with pytest.raises(error, match=words):
        settings(**given)


UNSTORABLE = {
    "name of a selector": ({"selectors": {"\ud800": "f_score"}}, "a text that is not UTF-8"),
    "name of a classifier": ({"classifiers": {"\udcff": "knn3"}}, "a text that is not UTF-8"),
    "large parameter": ({"classifiers": {"svm": SVC(C=10**20)}}, "an integer that is too large"),
    "text parameter": ({"selectors": {"any": hf.AnySelector(SVC(kernel="\ud800"))}}, "not UTF-8"),
}


@pytest.mark.parametrize("out", [None, "run"])
@pytest.mark.parametrize("kind", UNSTORABLE)
def test_what_cannot_be_stored_is_refused_before_anything_is_written(kind, out, tmp_path):
    options, message = UNSTORABLE[kind]
    study = hf.Study(**{"selectors": "f_score", "classifiers": (), "sizes": [2], **options})
    folder = None if out is None else tmp_path / out
    with pytest.raises(InvalidInputError, match=message):
        study.run(hf.io.read_data("@wine"), out=folder, n_jobs=1)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("seed", [2**53 + 1, 2**128, -1, True, 1.0])
def test_seeds_that_a_plan_cannot_hold_are_refused(seed):
    with pytest.raises(
        InvalidInputError, match="must be a non-negative integer up to 9,007,199,254,740,9"
    ):
        hf.Study("f_score", random_state=seed)


def test_the_largest_seed_is_stored(tmp_path):
    study = hf.Study(
        "f_score",
        protocol=hf.Subsampling(3, 0.8),
        classifiers=(),
        replication=0,
        random_state=2**53,
    )
    study.run(hf.io.read_data("@wine"), out=tmp_path / "run", n_jobs=1).store.close()
    assert hf.load(tmp_path / "run").plan["seed"] == 2**53


def test_a_folder_needs_a_name_without_null_characters():
    with pytest.raises(StoreError, match=r"not valid UTF-8, got 'a\\x00b'"):
        hf.Study("f_score").run(hf.io.read_data("@wine"), out="a\0b", n_jobs=1)
