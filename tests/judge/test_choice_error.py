"""The error of the choice itself, where the truth is known: guesses err on half of the samples."""

import numpy as np
import pytest

from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.judge import Deletion, Fold, choice_error, corrected_t_test
from holdfast.judge._error_comparison import PredictionErrors
from tests.judge.predictions import naive_spread, once, repeated, subsampled

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
    assert np.mean(spreads) == pytest.approx(0.05 * np.sqrt(1 + 40 / 100), rel=0.1)


@pytest.mark.slow
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
    assert found.standard_error == pytest.approx(np.sqrt(1.1 * share * (1 - share) / 400))
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
        limit = shares.min() + np.sqrt(2 * shares.min() * (1 - shares.min()) / 40)
        close = np.flatnonzero(shares <= limit + 1e-12)
        best = close[np.argmax(merits[close])]
        errors.append(tested.wrong[best, left].mean())
    found = choice_error(tested, merits, rule="one_standard_error", n_bootstraps=25, random_state=7)
    assert found.error == pytest.approx(np.mean(errors))


def test_the_tests_of_drawn_samples_decide_as_those_of_a_single_table():
    tested = subsampled([0.3, 0.35, 0.6], n=40, k=15, seed=5)
    sheet = PredictionErrors(tested)
    times = np.random.default_rng(0).integers(0, 4, size=sheet.n_units)
    shares = sheet.errors_by_test_part(times)
    p_values = sheet.candidate_errors(times).p_values(0, as_published=True)
    assert p_values[2] == pytest.approx(corrected_t_test(shares[2] - shares[0], 0.25))


def test_nested_choices_count_the_outer_predictions_of_what_is_chosen_inside():
    outer = once([[True] * 10 + [False] * 10, [False] * 20, [True] * 20])
    right, bad = np.zeros(16, dtype=bool), np.ones(16, dtype=bool)
    inner = {0: [right, bad, bad], 1: [bad, right, bad]}
    folds = [Fold(once(inner[min(g, 1)]), np.array([0.5, 0.5, 0.9]), g) for g in range(5)]
    found = choice_error(outer, [0.5, 0.5, 0.9], folds=folds)
    assert found.error == pytest.approx(4 / 20)  # the first part errs, by s0; the others are s1's
    assert found.standard_error == pytest.approx(np.sqrt(2 * 0.2 * 0.8 / 20))
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
    assert alone.standard_error == pytest.approx(0.05 * np.sqrt(1.4), rel=0.02)
    # no sample is tested twice: what is learned adds all of the variance of one sample, by ten
    assert whole.standard_error == pytest.approx(0.5 * np.sqrt(1 / 9 + 1 / 10), rel=0.02)


def test_a_choice_is_not_surer_than_what_is_chosen():
    # a sample is wrong in half of its tests: what is learned decides, and no sample differs
    part, sample = np.repeat(np.arange(10), 20), np.tile(np.arange(20), 10)
    wrong = (part < 5)[None]
    found = choice_error(repeated(wrong, part, sample, overlap=0.1), [0.5])
    by_hand = naive_spread(wrong[0].astype(float), sample, part, sample, once=False, overlap=0.1)
    assert by_hand[1] == pytest.approx(np.sqrt(0.25 / 20))
    assert found.standard_error == pytest.approx(by_hand[1])


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


@pytest.mark.slow
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
    assert "choosing on samples drawn again 500 times" in samples
    assert "choosing on subjects drawn again" in subjects
    assert "choosing on data sets drawn again" in choice_error(drawn, [0.5, 0.4]).sentence


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
    assert found.standard_error == pytest.approx(np.sqrt(2) * shares.std(ddof=1) / np.sqrt(5))


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


def deletions_of(stability, n=40, count=4):
    """Leave out one part of the samples after the other; `stability` has a row for each."""
    parts = np.arange(n) * count // n
    return [Deletion(np.flatnonzero(parts == i), row) for i, row in enumerate(stability)]


def test_deletions_choose_by_what_is_kept_and_judge_by_what_is_left_out():
    wrong = np.random.default_rng(0).random((3, 40)) < 0.5
    stability = np.array([[0.9, 0.1, 0.2], [0.1, 0.9, 0.2], [0.2, 0.1, 0.9], [0.9, 0.1, 0.2]])
    # one standard error is wide enough for all, so the stability without the part decides
    found = choice_error(once(wrong), [0.3, 0.2, 0.1], deletions=deletions_of(stability))
    parts = wrong.reshape(3, 4, 10).mean(axis=2)
    assert found.method == "deletion"
    assert found.error == pytest.approx(
        np.mean([parts[0, 0], parts[1, 1], parts[2, 2], parts[0, 3]])
    )
    assert found.chosen["selector"].tolist() == ["s0", "s1", "s2"]
    assert found.chosen["share"].tolist() == [0.5, 0.25, 0.25]
    assert "without a part of the samples and testing on that part" in found.sentence
    # errors count, too: what errs on all that is kept is not chosen, however stable
    bad = wrong.copy()
    bad[0] = True
    chosen = choice_error(once(bad), [0.3, 0.2, 0.1], deletions=deletions_of(stability)).chosen
    assert "s0" not in chosen["selector"].tolist()


def test_ties_without_a_part_are_broken_at_random_unless_they_tie_in_the_whole_study():
    wrong = np.array([np.arange(40) % 4 == 0, np.arange(40) % 5 == 0])
    level = deletions_of(np.zeros((4, 2)))
    shared = choice_error(once(wrong), [0.5, 0.5], deletions=level).chosen
    assert shared["selector"].tolist() == ["s1"]  # two classifiers on one selection: fewer errors
    apart = choice_error(once(wrong), [0.5, 0.4], deletions=level).chosen
    assert sorted(apart["selector"]) == ["s0", "s1"]


@pytest.mark.slow
def test_a_stability_that_knows_the_errors_fools_the_bootstrap_and_not_the_deletions():
    """Pairs are stable where they are lucky, as on noise; luck in one part is none in another."""
    rng, fixed, without = np.random.default_rng(1), [], []
    for _ in range(60):
        wrong = rng.random((12, 60)) < 0.5
        parts = np.arange(60) // 15
        luck = np.array([-wrong[:, parts != part].mean(axis=1) for part in range(4)])
        deletions = [Deletion(np.flatnonzero(parts == i), row) for i, row in enumerate(luck)]
        whole = -wrong.mean(axis=1) - np.arange(12) * 1e-6
        fixed.append(choice_error(once(wrong), whole, n_bootstraps=30).error)
        without.append(choice_error(once(wrong), whole, deletions=deletions).error)
    room = 4 * np.std(without) / np.sqrt(60)
    assert np.mean(without) == pytest.approx(0.5, abs=room)
    assert np.mean(fixed) < 0.5 - 2 * room


def test_ties_of_what_came_out_are_reported():
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
    with pytest.raises(InvalidInputError, match="stability for each of 2 pairs"):
        choice_error(tested, [0.5, 0.5], deletions=[Deletion(np.arange(3), np.ones(3))])
    with pytest.raises(InvalidInputError, match="same 2 pairs"):
        choice_error(tested, [0.5, 0.5], folds=[Fold(once(np.zeros((3, 4))), np.ones(3), 0)])


def test_it_says_what_it_is():
    found = choice_error(once(np.zeros((2, 10))), [0.5, 0.4])
    assert repr(found) == "<ChoiceError: 0.0% ± 0.0% by bootstrap. Next: .sentence, .chosen>"
