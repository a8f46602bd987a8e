"""Subset searches as estimators: compared with others, interrupted, seeded, refused."""

import pickle
import threading
import warnings

import numpy as np
import pytest
from mlxtend.feature_selection import SequentialFeatureSelector as Floating
from sklearn.datasets import load_wine
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import holdfast as hf
from holdfast.errors import HoldfastError, InvalidInputError, UnknownNameError
from holdfast.resample import CrossValidation, Subsampling
from holdfast.select._search import _sequential, _wrapper
from tests.select.early_scikit_learn import refuses_singular

WRAPPERS = (
    hf.ForwardSelection,
    hf.BackwardSelection,
    hf.FloatingSelection,
    hf.OscillatingSearch,
)
X, Y = load_wine(return_X_y=True, as_frame=True)
NAMES = X.columns
X = X.to_numpy()


def noisy(seed, level=1e-6):
    """Return wine with noise: its rounded values make neighbours at equal distances."""
    rng = np.random.default_rng(seed)
    return X + level * X.std(axis=0) * rng.normal(size=X.shape)


def folds(count, seed=None):
    return StratifiedKFold(count, shuffle=seed is not None, random_state=seed)


# Beside scikit-learn and mlxtend


@pytest.mark.slow
@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("size", [4, 9])
def test_sequential_selection_is_that_of_scikit_learn(direction, size):
    classifier, data = KNeighborsClassifier(3), noisy(0)
    peer = SequentialFeatureSelector(
        classifier, n_features_to_select=size, direction=direction, cv=folds(3)
    ).fit(data, Y)
    kind = hf.ForwardSelection if direction == "forward" else hf.BackwardSelection
    ours = kind(classifier, n_features_to_select=size, cv=folds(3)).fit(data, Y)
    assert ours.support_.tolist() == peer.support_.tolist()


def floated(data, classifier, scoring, cv, direction):
    """Return the best subset of each size by mlxtend and by holdfast, and holdfast's search."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = Floating(
            classifier,
            k_features=(1, data.shape[1]),
            forward=direction == "forward",
            floating=True,
            scoring=scoring,
            cv=cv,
        ).fit(data, Y)
    ours = hf.FloatingSelection(classifier, direction=direction, scoring=scoring, cv=cv)
    ours.fit(data, Y)
    theirs = {size: tuple(one["feature_idx"]) for size, one in peer.subsets_.items()}
    return theirs, ours.best_of_size_.features.to_dict(), ours


def back_steps(search):
    """Return the values after and before each step back."""
    back = "remove" if search.direction == "forward" else "add"
    at = np.flatnonzero(search.path_.move == back)
    values = search.path_.value.to_numpy()
    return values[at], values[at - 1]


@pytest.mark.slow
def test_floating_selection_is_that_of_mlxtend_with_nearest_neighbours():
    theirs, ours, search = floated(
        noisy(0), KNeighborsClassifier(3), "accuracy", folds(10, 0), "forward"
    )
    after, before = back_steps(search)
    assert len(after) > 0
    assert (after > before).all()
    assert ours == theirs


@pytest.mark.slow
def test_floating_selection_is_that_of_mlxtend_where_no_two_values_are_equal():
    """A log loss has no ties; no step back loses anything here, so mlxtend's rule is silent."""
    theirs, ours, search = floated(
        noisy(6, 0.3), GaussianNB(), "neg_log_loss", folds(3, 6), "backward"
    )
    after, before = back_steps(search)
    assert len(after) > 1
    assert (after > before).all()
    assert ours == theirs


@pytest.mark.slow
def test_mlxtend_differs_by_one_rule_more(monkeypatch):
    """There a step back must beat the larger subset too, which Pudil et al. do not ask for."""
    arguments = noisy(1, 0.3), GaussianNB(), "neg_log_loss", folds(3, 1), "forward"
    theirs, ours, search = floated(*arguments)
    after, before = back_steps(search)
    assert (after <= before).any()
    assert ours != theirs

    def while_better(walk, place, neighbour):
        while move := neighbour(place):
            kept = walk.best_by_size[move[1].size]
            if move[1].value <= max(kept.value, place.value):
                break
            place = walk.make_move(move)
        return place

    monkeypatch.setattr(_sequential, "_step_back_while_better", while_better)
    theirs, ours, _ = floated(*arguments)
    assert ours == theirs


# Criteria


@pytest.mark.parametrize("kind", WRAPPERS)
@pytest.mark.parametrize(
    ("name", "classifier"),
    [
        ("knn3", KNeighborsClassifier(3)),
        ("gaussian", QuadraticDiscriminantAnalysis(reg_param=0.01)),
    ],
)
def test_names_stand_for_classifiers_that_see_scaled_features(kind, name, classifier):
    options = {"cv": 3, "n_features_to_select": (1, 5)}
    by_name = kind(name, **options).fit(X, Y)
    given = kind(make_pipeline(StandardScaler(), classifier), **options).fit(X, Y)
    assert by_name.path_.equals(given.path_)
    if name == "knn3":
        assert kind(**options).fit(X, Y).path_.equals(given.path_)


def values(**options):
    """Return the values along a short search."""
    search = hf.ForwardSelection(n_features_to_select=2, **options).fit(noisy(0), Y)
    return search.path_.value.tolist()


def test_splits_of_all_kinds():
    pairs = [(one.train, one.test) for one in Subsampling(4, 0.5).draw(Y, random_state=1)]
    assert values(cv=folds(4)) == values(cv=list(folds(4).split(X, Y)))
    assert values(cv=4) == values(cv=CrossValidation(4)) == values(cv="cross_validation(4)")
    assert values() == values(cv=Subsampling(10, 2 / 3))
    assert values(cv=iter(pairs)) == values(cv=pairs) != values(cv=pairs[:2])
    assert values(random_state=1) != values(random_state=2)
    assert values(random_state=1, cv=pairs) == values(random_state=2, cv=pairs)


@pytest.mark.slow
def test_any_scorer_and_any_classifier():
    fast = values(scoring="balanced_accuracy")
    slow = values(scoring=lambda fitted, X, y: _balanced(fitted.predict(X), y))
    assert fast == pytest.approx(slow, abs=1e-11)
    forest = RandomForestClassifier(5)
    assert values(classifier=forest, cv=2) == values(classifier=forest, cv=2, n_jobs=2)
    assert values(classifier=forest, cv=2) != values(classifier=forest, cv=2, random_state=5)
    fixed = [(np.arange(0, 178, 2), np.arange(1, 178, 2))]
    seeded_forest = RandomForestClassifier(5, random_state=1)
    assert values(classifier=seeded_forest, cv=fixed) == values(
        classifier=seeded_forest, cv=fixed, random_state=5
    )


def test_classifiers_and_scorers_see_the_labels_of_the_user():
    seen = set()
    labels = np.array(["b", "c", "a"])[Y]

    def scored(fitted, X, y):
        seen.update(fitted.classes_, y)
        return fitted.score(X, y)

    weighted = LogisticRegression(class_weight={"a": 50.0, "b": 1.0, "c": 1.0}, max_iter=5000)
    search = hf.ForwardSelection(weighted, scoring=scored, cv=2, n_features_to_select=1)
    first = search.fit(X, labels)
    assert seen == {"a", "b", "c"}
    rows = np.flatnonzero(labels != "c")
    seen.clear()
    found = search.set_params(classifier=GaussianNB()).select_resamples(X, labels, [rows])
    assert seen == {"a", "b"}
    assert len(found[0]) == len(first.get_support(indices=True)) == 1


def test_a_classifier_that_cannot_be_scored_is_refused():
    with pytest.raises(InvalidInputError, match=r"cannot be scored.*n_neighbors"):
        hf.ForwardSelection(KNeighborsClassifier(150), cv=2).fit(X, Y)


def _balanced(said, y):
    return np.mean([(said[y == one] == one).mean() for one in np.unique(y)])


@pytest.fixture
def split_data(monkeypatch):
    """Return a list that is filled with the split data of all searches."""
    seen = []
    original = _wrapper.choose_criterion
    monkeypatch.setattr(
        _wrapper, "choose_criterion", lambda *given: seen.append(given[1]) or original(*given)
    )
    return seen


@pytest.mark.parametrize("cv", [None, 5, GroupKFold(5)])
def test_subjects_are_never_on_both_sides(cv, split_data):
    subjects = np.arange(178) // 2
    hf.ForwardSelection(n_features_to_select=1, cv=cv).fit(X, Y, groups=subjects)
    assert len(split_data[0].splits) == (10 if cv is None else 5)
    for train, test in split_data[0].splits:
        assert not set(subjects[train]) & set(subjects[test])


def test_copies_of_a_sample_are_never_on_both_sides(split_data):
    rows = np.random.default_rng(0).integers(178, size=178)
    hf.ForwardSelection(n_features_to_select=1).select_resamples(X, Y, [rows, np.arange(178)])
    assert len(split_data) == 2
    for train, test in split_data[0].splits:
        assert not set(rows[train]) & set(rows[test])


def test_resamples_are_searched_as_single_fits_are():
    rows = [np.arange(0, 178, 2), np.arange(1, 178, 2)]
    search = hf.OscillatingSearch(depth=2, random_state=3)
    found = search.select_resamples(X, Y, rows)
    single = search.fit(X[rows[0]], Y[rows[0]])
    assert found[0].tolist() == single.get_support(indices=True).tolist()
    second = search.select_resamples(X, Y, rows[1:], first=1)
    assert second[0].tolist() == found[1].tolist()


# Sizes, forced features, groups, starts


@pytest.mark.parametrize("kind", WRAPPERS)
@pytest.mark.parametrize("given", [None, 4, 0.3, (2, 5), (13, 13)])
def test_sizes_are_as_asked_for(kind, given):
    search = kind(n_features_to_select=given, cv=3).fit(X, Y)
    size = int(search.support_.sum())
    low, high = {None: (1, 13), 4: (4, 4), 0.3: (4, 4)}.get(given, given)
    assert low <= size <= high
    allowed = search.best_of_size_.loc[low:high]
    assert search.value_ == allowed.value.max()
    assert size == allowed.value.idxmax()  # the first of equals: the smaller subset
    assert allowed.features[size] == tuple(np.flatnonzero(search.support_))


@pytest.mark.parametrize("kind", WRAPPERS)
def test_forced_features_and_groups_by_name(kind):
    frame = load_wine(as_frame=True).data
    groups = [["alcohol", "hue"], ["ash", "proline"]]
    search = kind(
        forced_in=["alcohol", "hue"],
        forced_out=["flavanoids"],
        feature_groups=groups,
        n_features_to_select=(1, 4),
        cv=3,
    ).fit(frame, Y)
    chosen = set(search.get_feature_names_out())
    assert {"alcohol", "hue"} <= chosen
    assert "flavanoids" not in chosen
    assert chosen >= {"ash", "proline"} or chosen.isdisjoint({"ash", "proline"})
    counted = len(chosen) - 1 - ("ash" in chosen)
    assert counted in range(1, 5)
    assert search.best_of_size_.features.loc[counted] == tuple(search.get_feature_names_out())


def test_the_start_of_an_oscillating_search_can_be_chosen():
    forward = hf.ForwardSelection(cv=3).fit(X, Y)
    after = hf.OscillatingSearch(cv=3, start="forward").fit(X, Y)
    assert after.value_ >= forward.value_
    assert after.path_.head(13).equals(forward.path_)
    given = hf.OscillatingSearch(cv=3, start=[0, 6, 12]).fit(X, Y)
    assert given.path_.moved[0] == (0, 6, 12)
    assert given.value_ >= given.path_.value[0]
    grown = hf.OscillatingSearch(cv=3, start=[0, 6], n_features_to_select=3).fit(X, Y)
    assert grown.path_.move.tolist()[:2] == ["start", "add"]
    with pytest.raises(InvalidInputError, match="start must hold at most 3 features"):
        hf.OscillatingSearch(cv=3, start=[0, 1, 2, 6], n_features_to_select=3).fit(X, Y)


# Interrupts, callbacks, warm starts


@pytest.mark.parametrize("kind", WRAPPERS)
def test_an_interrupt_loses_nothing(kind):
    whole = kind(cv=3).fit(X, Y)
    steps = []

    def interrupt(step):
        steps.append(step)
        if len(steps) == 5:
            raise KeyboardInterrupt

    search = kind(cv=3, callback=interrupt)
    with pytest.raises(KeyboardInterrupt):
        search.fit(X, Y)
    assert not search.finished_
    assert search.path_.equals(whole.path_.head(5))
    assert search.support_.sum() == search.path_["size"][search.path_.best].iloc[-1]
    judged = search.n_judged_
    again = pickle.loads(pickle.dumps(search.set_params(callback=None)))
    again.set_params(warm_start=True).fit(X, Y)
    assert again.finished_
    assert again.path_.equals(whole.path_)
    assert judged + again.n_judged_ == whole.n_judged_


def test_a_callback_gets_each_step_and_can_stop_the_search():
    steps = []
    search = hf.ForwardSelection(cv=3, callback=lambda step: steps.append(step) or step.size == 4)
    search.fit(X, Y)
    assert not search.finished_
    assert search.support_.sum() <= 4
    assert [step.size for step in steps] == [1, 2, 3, 4]
    assert [step.value for step in steps] == search.path_.value.tolist()
    assert [step.moved for step in steps] == search.path_.moved.tolist()
    assert steps[-1].features == search.best_of_size_.features[4]


@pytest.mark.parametrize("kind", WRAPPERS)
def test_a_warm_start_with_other_moves_is_a_new_start(kind):
    changes = [{"forced_out": [6]}, {"forced_out": None}, {"forced_in": [0]}, {"cv": 2}]
    changes += [{"feature_groups": [[1, 2]]}, {"scoring": "balanced_accuracy"}]
    search, changes = kind(cv=3, warm_start=True, n_features_to_select=(1, 5)).fit(X, Y), {}
    for change in changes:
        changes |= change
        fresh = kind(n_features_to_select=(1, 5), **{"cv": 3, **changes}).fit(X, Y)
        assert search.set_params(**change).fit(X, Y).path_.equals(fresh.path_), change
        assert search.n_judged_ == fresh.n_judged_


def test_a_search_that_is_stopped_too_early_raises_and_keeps_its_path():
    search = hf.ForwardSelection(n_features_to_select=3, cv=3).fit(X, Y)
    search.set_params(n_features_to_select=5, callback=lambda step: np.bool_(step.size == 2))
    with pytest.raises(InvalidInputError, match="stopped before it reached a subset of 5 features"):
        search.fit(X, Y)
    assert search.path_["size"].tolist() == [1, 2]
    assert not search.finished_
    assert not hasattr(search, "support_")


def test_a_scorer_that_cannot_be_stored_does_its_work():
    lock = threading.Lock()

    def scored(fitted, X, y):
        with lock:
            return fitted.score(X, y)

    search = hf.ForwardSelection(GaussianNB(), scoring=scored, cv=2, n_features_to_select=1)
    assert search.set_params(warm_start=True).fit(X, Y).n_judged_ == 13
    assert search.fit(X, Y).n_judged_ == 0


def test_a_warm_start_goes_further_and_knows_other_data():
    search = hf.ForwardSelection(cv=3, n_features_to_select=3, warm_start=True).fit(X, Y)
    assert search.n_judged_ == 13 + 12 + 11
    assert search.set_params(n_features_to_select=4).fit(X, Y).n_judged_ == 10
    assert search.fit(X, Y).n_judged_ == 0
    assert search.fit(X + 1e-9, Y).n_judged_ == 13 + 12 + 11 + 10
    assert search.set_params(random_state=1).fit(X + 1e-9, Y).n_judged_ == 46
    assert search.set_params(warm_start=False).fit(X + 1e-9, Y).n_judged_ == 46


# What cannot be


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"classifier": "knn33"}, UnknownNameError, "knn3"),
        ({"classifier": Ridge()}, InvalidInputError, "regressor"),
        ({"classifier": KNeighborsClassifier}, InvalidInputError, "fit and predict"),
        ({"scoring": "acuracy"}, InvalidInputError, "scoring"),
        ({"scoring": 3}, InvalidInputError, "scoring"),
        ({"cv": 1}, InvalidInputError, "cv"),
        ({"cv": True}, InvalidInputError, "cv"),
        ({"cv": "fold"}, UnknownNameError, "fold"),
        ({"cv": "nested"}, InvalidInputError, "cv must split"),
        ({"cv": "feature_subsets"}, InvalidInputError, "cv"),
        ({"cv": [(np.arange(178), [])]}, InvalidInputError, "no test samples in split 0"),
        ({"cv": 5.5}, InvalidInputError, "cv: a protocol"),
        ({"n_features_to_select": 14}, InvalidInputError, "n_features_to_select"),
        ({"n_features_to_select": (3, 2)}, InvalidInputError, "n_features_to_select"),
        ({"n_features_to_select": 2, "forced_in": [0, 1, 2]}, InvalidInputError, "between 3"),
        ({"forced_in": ["alcohol"]}, UnknownNameError, "forced_in"),
        ({"forced_out": range(13)}, InvalidInputError, "none is left"),
        ({"warm_start": "yes"}, InvalidInputError, "warm_start"),
        ({"callback": 3}, InvalidInputError, "callback"),
        ({"n_jobs": 0}, InvalidInputError, "n_jobs"),
        ({"scoring": "roc_auc"}, InvalidInputError, "cannot be scored"),
        ({"scoring": lambda *_: "high"}, InvalidInputError, "cannot be scored"),
        ({"scoring": lambda *_: np.nan}, InvalidInputError, "not a number"),
    ],
)
@pytest.mark.parametrize("kind", WRAPPERS)
def test_parameters_that_cannot_be_used_are_refused(kind, options, error, message):
    with pytest.raises(error, match=message):
        kind(**options).fit(X, Y)


@pytest.mark.parametrize(
    "search",
    [
        hf.FloatingSelection(direction="up"),
        hf.OscillatingSearch(depth=0),
        hf.OscillatingSearch(depth=2.5),
        hf.OscillatingSearch(start="backward"),
        hf.OscillatingSearch(start=[0, 0]),
    ],
)
def test_options_of_single_searches_are_checked(search):
    with pytest.raises(HoldfastError, match=r"direction|depth|start"):
        search.fit(X, Y)


@refuses_singular
def test_a_classifier_that_can_never_be_fitted_raises():
    y = np.arange(20) % 2
    alike = np.tile(y, (3, 1)).T  # constant within each class
    for classifier in ("gaussian:reg_param=0.0", QuadraticDiscriminantAnalysis()):
        with pytest.raises(InvalidInputError, match=r"could not be fitted.*covariance"):
            hf.ForwardSelection(classifier).fit(alike, y)


@pytest.mark.parametrize("kind", WRAPPERS)
def test_constant_features_are_not_chosen_unless_forced_in(kind):
    data = np.hstack([np.ones((178, 2)), X[:, :5]])
    plain = kind("gaussian", cv=3).fit(X[:, :5], Y)
    search = kind("gaussian", cv=3).fit(data, Y)
    assert search.support_.tolist() == [False, False, *plain.support_]
    forced = kind("knn3", cv=3, forced_in=[1]).fit(data, Y)
    assert forced.support_[:2].tolist() == [False, True]
    with pytest.raises(InvalidInputError, match="constant"):
        kind(cv=3, n_features_to_select=6).fit(data, Y)
    with pytest.raises(InvalidInputError, match="constant"):
        kind(cv=3).fit(data[:, :2], Y)


@refuses_singular
def test_a_trial_judges_the_subset_that_the_search_starts_from():
    wide, y = np.random.default_rng(0).normal(size=(30, 40)), np.arange(30) % 2
    hf.ForwardSelection("gaussian", n_features_to_select=(1, 3)).check_trial_fit(wide, y)
    for search in (
        hf.BackwardSelection("gaussian"),
        hf.FloatingSelection("gaussian", direction="backward"),
    ):
        with pytest.raises(InvalidInputError, match=r"to the 40 .*starts from"):
            search.check_trial_fit(wide, y)
        with pytest.raises(InvalidInputError, match="starts from"):
            search.fit(wide, y)


class Fussy(GaussianNB):
    """Takes no more than two features."""

    def fit(self, X, y):
        if X.shape[1] > 2:
            raise ValueError("at most two features, please")
        return super().fit(X, y)


def test_subsets_that_cannot_be_fitted_are_not_chosen_and_the_reason_is_reported():
    assert hf.FloatingSelection(Fussy(), cv=3).fit(X, Y).path_["size"].max() == 2
    with pytest.raises(InvalidInputError, match="at most two features, please"):
        hf.BackwardSelection(Fussy(), cv=3).fit(X, Y)
    with pytest.raises(InvalidInputError, match="at most two features, please"):
        hf.ForwardSelection(Fussy(), cv=3, n_features_to_select=3).fit(X, Y)
