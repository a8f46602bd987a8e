"""The error of the choice itself, where the truth is known: guesses err on half of the samples."""

import numpy as np
import pytest

from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.judge import Fold, choice_error, corrected_t_test
from holdfast.judge._scored import Sheet
from tests.judge.predictions import once, repeated, subsampled

RULES = ["not_worse", "one_standard_error", "rpt"]


def noise(rng, pairs=60, n=100):
    """Return guesses, and a stability that knows nothing of them."""
    return once(rng.random((pairs, n)) < 0.5), rng.random(pairs)


def guessing_folds(rng, tested, stability):
    """Return, for each of the five outer parts, guesses about the samples that train it."""
    return [
        Fold(once(rng.random((len(tested.pairs), int(np.sum(tested.group != group)))) < 0.5),
             stability, group)
        for group in range(5)
    ]  # fmt: skip


@pytest.mark.parametrize("method", ["bootstrap", "nested"])
def test_on_noise_the_best_looks_good_and_the_choice_does_not(method):
    rng = np.random.default_rng(0)
    naive, honest, spreads = [], [], []
    for _ in range(30):
        tested, stability = noise(rng)
        folds = guessing_folds(rng, tested, stability) if method == "nested" else ()
        # stability decides nothing here, so that the lowest error is what is chosen
        found = choice_error(
            tested, np.full(60, 0.5), folds=folds, rule="one_standard_error", n_bootstraps=60
        )
        naive.append(tested.wrong.mean(axis=1).min())
        honest.append(found.error)
        spreads.append(found.standard_error)
        assert found.method == method
    # the least of 60 binomial shares with a standard error of 0.05 lies about 2.3 of them below
    assert np.mean(naive) == pytest.approx(0.5 - 2.3 * 0.05, abs=0.015)
    # thirty estimates, each of at most the binomial standard error: four of the mean's at most
    assert np.mean(honest) == pytest.approx(0.5, abs=4 * 0.05 / np.sqrt(30))
    assert np.mean(spreads) == pytest.approx(0.05, rel=0.1)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("times", ["once", "repeatedly"])
def test_no_rule_is_fooled_by_noise(rule, times):
    """All are equally stable, so that each rule takes the lowest error: the luckiest guesses."""
    rng = np.random.default_rng(1)
    found, lucky = [], []
    for seed in range(20):
        tested = subsampled([0.5] * 30, n=50, seed=seed) if times == "repeatedly" else noise(rng)[0]
        merits = np.full(len(tested.pairs), 0.5)
        found.append(choice_error(tested, merits, rule=rule, n_bootstraps=50).error)
        lucky.append(tested.wrong.mean(axis=1).min())
    assert np.mean(found) == pytest.approx(0.5, abs=0.04)
    assert np.mean(lucky) < 0.5 - 0.05  # what a choice would say that is judged where it is made


def test_where_there_is_no_choice_the_error_is_the_plain_one():
    wrong = np.random.default_rng(2).random((1, 400)) < 0.3
    found = choice_error(once(wrong), [0.5])
    share = wrong.mean()
    # the mean over 500 draws of the share among 147 left out
    assert found.error == pytest.approx(share, abs=0.005)
    assert found.standard_error == pytest.approx(np.sqrt(share * (1 - share) / 400), rel=0.02)
    assert found.chosen[["selector", "count", "share"]].values.tolist() == [["s0", 500, 1.0]]
    assert found.n == 500


def test_a_clear_winner_keeps_its_error():
    wrong = np.random.default_rng(3).random((20, 300)) < np.array([0.1] + [0.5] * 19)[:, None]
    found = choice_error(once(wrong), np.arange(20))
    assert found.chosen["selector"].tolist() == ["s0"]
    assert found.error == pytest.approx(wrong[0].mean(), abs=0.01)
    assert "s0 with knn3 on 5 features came out most often (100% of the time)" in found.sentence


def test_the_bootstrap_is_its_definition():
    tested = once(np.random.default_rng(4).random((6, 40)) < 0.4)
    merits = np.array([0.1, 0.9, 0.4, 0.2, 0.3, 0.8])
    rng, errors = np.random.default_rng(7), []
    for _ in range(25):
        drawn = rng.integers(40, size=40)
        left = np.setdiff1d(np.arange(40), drawn)
        shares = tested.wrong[:, drawn].mean(axis=1)
        limit = shares.min() + np.sqrt(shares.min() * (1 - shares.min()) / 40)
        close = np.flatnonzero(shares <= limit + 1e-12)
        best = close[np.argmax(merits[close])]
        errors.append(tested.wrong[best, left].mean())
    found = choice_error(tested, merits, rule="one_standard_error", n_bootstraps=25, random_state=7)
    assert found.error == pytest.approx(np.mean(errors))


def test_the_tests_of_drawn_samples_decide_as_those_of_a_single_table():
    tested = subsampled([0.3, 0.35, 0.6], n=40, k=15, seed=5)
    sheet = Sheet(tested)
    times = np.random.default_rng(0).integers(0, 4, size=sheet.n_units)
    shares = sheet.shares(times[sheet.unit].astype(np.float32))
    p_values = sheet.weighed(times).p_values(0)
    assert p_values[2] == pytest.approx(corrected_t_test(shares[2] - shares[0], 0.25))


def test_nested_choices_count_the_outer_predictions_of_what_is_chosen_inside():
    outer = once([[True] * 10 + [False] * 10, [False] * 20, [True] * 20])
    right, bad = np.zeros(16, dtype=bool), np.ones(16, dtype=bool)
    inner = {0: [right, bad, bad], 1: [bad, right, bad]}
    folds = [Fold(once(inner[min(g, 1)]), np.array([0.5, 0.5, 0.9]), g) for g in range(5)]
    found = choice_error(outer, [0.5, 0.5, 0.9], folds=folds)
    assert found.error == pytest.approx(4 / 20)  # the first part errs, by s0; the others are s1's
    assert found.standard_error == pytest.approx(np.sqrt(0.2 * 0.8 / 20))
    assert found.chosen["selector"].tolist() == ["s1", "s0"]
    assert found.chosen["count"].tolist() == [4, 1]
    assert "within each of 5 outer training parts" in found.sentence


def test_outer_parts_without_a_prediction_are_left_out():
    known = np.ones((2, 20), dtype=bool)
    known[:, :4] = False
    outer = once(np.zeros((2, 20)), known)
    folds = [Fold(once(np.zeros((2, 8))), np.array([0.5, 0.4]), g) for g in range(4)]
    found = choice_error(outer, [0.5, 0.4], folds=folds)
    assert (found.n, found.error) == (3, 0.0)
    assert choice_error(once(np.zeros((2, 20)), np.zeros((2, 20))), [0.5, 0.4], folds=folds) is None


def test_subjects_are_drawn_as_a_whole():
    # ten subjects of ten samples each: one selector is always wrong about half of the subjects
    subject, part = np.repeat(np.arange(10), 10), np.tile(np.arange(10), 10)
    wrong = np.isin(subject, np.arange(5))[None]
    alone, whole = (
        choice_error(repeated(wrong, part, np.arange(100), units=units), [0.5])
        for units in (None, subject)
    )
    assert alone.standard_error == pytest.approx(0.05, rel=0.05)
    assert whole.standard_error == pytest.approx(0.5 / np.sqrt(9), rel=0.1)


def test_a_choice_is_not_surer_than_what_is_chosen():
    # a sample is wrong in whole test parts, so its mean hides how much test parts differ
    part, sample = np.repeat(np.arange(10), 20), np.tile(np.arange(20), 10)
    wrong = (part < 5)[None]
    found = choice_error(repeated(wrong, part, sample, overlap=0.1), [0.5])
    by_hand = np.repeat([1.0, 0.0], 5).std(ddof=1) * np.sqrt(1 / 10 + 0.1)
    assert found.standard_error == pytest.approx(by_hand)


def test_nothing_to_choose_has_no_error():
    assert choice_error(once([[True, False]] * 2), [np.nan, np.nan]) is None
    assert choice_error(once([[True]] * 2), [0.5, 0.5]) is None


def test_draws_are_seeded():
    tested, stability = noise(np.random.default_rng(6), pairs=8)
    first, again, other = (
        choice_error(tested, stability, n_bootstraps=20, random_state=seed).error
        for seed in (0, 0, 1)
    )
    assert first == again != other


def hard_samples(seed, n=40, k=8, size=8):
    """Return one pair on random test parts; whether a sample is wrong is the sample's own."""
    rng = np.random.default_rng(seed)
    samples = np.concatenate([rng.permutation(n)[:size] for _ in range(k)])
    wrong = (rng.random(n) < 0.3)[samples][None]
    return repeated(wrong, np.repeat(np.arange(k), size), samples, size / (n - size))


def test_where_there_is_no_choice_repeated_tests_count_as_in_the_plain_error():
    apart = []
    for seed in range(60):
        tested = hard_samples(seed)
        found = choice_error(tested, [0.5], n_bootstraps=100).error
        apart.append(found - tested.wrong.mean())
    assert np.mean(apart) == pytest.approx(0, abs=4 * np.std(apart) / np.sqrt(60))
    # what the draws alone leave; with samples that count the same however often tested, 0.036
    assert np.std(apart) < 0.02


def test_test_parts_of_unequal_sizes_count_the_same():
    part = np.repeat([0, 1, 2, 3], [20, 60, 60, 20])
    wrong = np.isin(part, [0, 3])[None]  # small parts are wrong: a quarter of all predictions
    found = choice_error(repeated(wrong, part, np.arange(160), overlap=0.1), [0.5])
    assert found.error == pytest.approx(0.5, abs=0.03)


def test_what_is_drawn_is_called_by_its_name():
    part = np.repeat(np.arange(6), 10)
    wrong = np.random.default_rng(0).random((2, 60)) < 0.3
    samples = choice_error(once(wrong), [0.5, 0.4]).sentence
    subjects = choice_error(once(wrong, units=part), [0.5, 0.4]).sentence
    drawn = repeated(wrong, part, np.arange(60), overlap=0.0, units=part)
    assert "choosing on samples drawn anew 500 times" in samples
    assert "choosing on subjects drawn anew" in subjects
    assert "choosing on data sets drawn anew" in choice_error(drawn, [0.5, 0.4]).sentence


def test_data_sets_are_drawn_as_often_as_they_count():
    """The bootstrap over whole data sets, spelled out by copies of their shares."""
    rng = np.random.default_rng(3)
    part = np.repeat(np.arange(10), 20)
    wrong = rng.random((10, 200)) < np.linspace(0.2, 0.35, 10)[:, None]
    merits = np.linspace(0.1, 0.9, 10)
    shares = wrong.reshape(10, 10, 20).mean(axis=2)
    draws, errors = np.random.default_rng(0), []
    for _ in range(60):
        drawn = draws.integers(10, size=10)
        left = np.setdiff1d(np.arange(10), drawn)
        mean, best = shares[:, drawn].mean(axis=1), shares[:, drawn].mean(axis=1).argmin()
        limit = mean[best] + shares[best, drawn].std(ddof=1) / np.sqrt(10)
        close = np.flatnonzero(mean <= limit + 1e-9)
        errors.append(shares[close[np.argmax(merits[close])], left].mean())
    tested = repeated(wrong, part, np.arange(200), overlap=0.0, units=part)
    found = choice_error(tested, merits, rule="one_standard_error", n_bootstraps=60)
    assert found.error == pytest.approx(np.mean(errors))


def test_nested_choices_have_the_standard_error_of_subjects():
    subject = np.arange(20) // 4
    wrong = np.array([subject < 2] * 2)
    folds = [Fold(once(np.zeros((2, 8))), np.array([0.5, 0.4]), g) for g in range(5)]
    found = choice_error(once(wrong, units=subject), [0.5, 0.4], folds=folds)
    shares = np.array([1, 1, 0, 0, 0])
    assert found.standard_error == pytest.approx(shares.std(ddof=1) / np.sqrt(5))


def test_pairs_that_are_known_too_seldom_are_never_chosen():
    wrong = np.random.default_rng(0).random((3, 100)) < [[0.0], [0.2], [0.5]]
    known = np.ones_like(wrong)
    known[0, 20:] = False
    found = choice_error(once(wrong, known), [0.9, 0.5, 0.1])
    assert set(found.chosen["selector"]) == {"s1"}
    folds = [
        Fold(once(np.array([right, bad, bad]), known[:, :40]), np.array([0.9, 0.5, 0.1]), group)
        for group in range(5)
        for right, bad in [(np.zeros(40, dtype=bool), np.arange(40) < 10)]
    ]
    assert set(choice_error(once(wrong), [0.9, 0.5, 0.1], folds=folds).chosen["selector"]) == {"s1"}


def test_ties_of_what_came_out_are_told():
    outer = once(np.zeros((4, 20)))
    inner = np.ones((4, 16), dtype=bool)

    def sentence(chosen):
        folds = []
        for group, pair in enumerate(chosen):
            wrong = inner.copy()
            wrong[pair] = False
            folds.append(Fold(once(wrong), np.full(4, 0.5), group))
        return choice_error(outer, np.full(4, 0.5), folds=folds).sentence

    assert "where each time another pair came out." in sentence([0, 1, 2, 3])
    assert (
        "where s0 with knn3 on 5 features and s1 with knn3 on 5 features came out most often "
        "(40% of the time each)."
    ) in sentence([0, 1, 0, 1, 2])
    assert "s2 with knn3 on 5 features came out most often (60% of the time)." in sentence(
        [2, 1, 2, 0, 2]
    )


def test_what_cannot_be_is_refused():
    tested = once(np.zeros((2, 10)))
    with pytest.raises(InvalidInputError, match="one number for each of 2 pairs"):
        choice_error(tested, [0.5])
    with pytest.raises(InvalidInputError, match="n_bootstraps"):
        choice_error(tested, [0.5, 0.5], n_bootstraps=0)
    with pytest.raises(UnknownNameError, match="no rule"):
        choice_error(tested, [0.5, 0.5], rule="best")
    with pytest.raises(InvalidInputError, match="same 2 pairs"):
        choice_error(tested, [0.5, 0.5], folds=[Fold(once(np.zeros((3, 4))), np.ones(3), 0)])


def test_it_says_what_it_is():
    found = choice_error(once(np.zeros((2, 10))), [0.5, 0.4])
    assert repr(found) == "<ChoiceError: 0.0% ± 0.0% by bootstrap. Next: .sentence, .chosen>"
