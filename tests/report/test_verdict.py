"""The verdict: what a second study would find, said once, and never more than is known."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta

import holdfast as hf
from holdfast.errors import InvalidInputError
from holdfast.judge import GRADES, Recommendation
from holdfast.report import verdict_sentences
from holdfast.report._evidence import Evidence
from holdfast.report._formatting import remove_all_name_marks
from holdfast.report._second_study import (
    Outlook,
    ReplicationEstimate,
    SharedFeatures,
    chances_from_data_sets,
    shared_features,
)
from holdfast.report._verdict import build_verdict as verdict_with_names
from tests.report.sample_results import ODD, report_of, simulated


def chances(*values, selected=None, lows=None, names=None):
    """Return the chances of features f0, f1, ... with their grades by the least chance of each."""
    shown = [round(one, 2) for one in values]
    grade = [next(name for name, least in GRADES.items() if one >= least) for one in shown]
    return pd.DataFrame(
        {
            "feature": names or [f"f{i}" for i in range(len(values))],
            "selected": [True] * len(values) if selected is None else selected,
            "found_again": values,
            "low": [one / 2 for one in values] if lows is None else lows,
            "grade": grade,
        }
    )


def unknown(why):
    """Return the table of a study of which chances are not known."""
    table = chances().astype({"selected": bool})
    table.attrs["why_none"] = why
    return table


def frequencies(*shares, n=100):
    """Return a table of features f0, f1, ... that resamples selected in such shares."""
    return pd.DataFrame(
        {
            "feature": [f"f{i}" for i in range(len(shares))],
            "selector": "mine",
            "size": 3,
            "frequency": shares,
            "count": [round(share * n) for share in shares],
            "n": n,
            "low": [max(0.0, share - 0.04) for share in shares],
            "high": [min(1.0, share + 0.04) for share in shares],
        }
    )


def recommendation(**changes):
    facts = {
        "selector": "mine", "classifier": "knn3", "size": 3, "error": 0.1,
        "standard_error": 0.02, "stability": 0.85, "low": 0.8, "high": 0.9, "chance": 0.0,
        "measure": "nogueira", "rule": "not_worse", "reasons": (), "table": pd.DataFrame(),
        "rivals": pd.DataFrame(), "choice": None,
    }  # fmt: skip
    return Recommendation(**(facts | changes))


COLUMNS = [
    *("selector", "size", "measure", "n_samples", "value", "low", "high", "chance"),
    *("n_pairs", "at", "predicted", "predicted_low", "predicted_high", "note"),
]


def replicated(predicted=0.6, low=0.4, high=0.8):
    row = {
        "selector": "mine", "size": 3, "measure": "nogueira", "n_samples": 30, "value": 0.5,
        "low": 0.3, "high": 0.7, "chance": 0.0, "n_pairs": 25, "at": 60, "predicted": predicted,
        "predicted_low": low, "predicted_high": high, "note": "",
    }  # fmt: skip
    return pd.DataFrame([row], columns=COLUMNS)


def no_groups(selector, size=None, most=50):
    raise InvalidInputError(f"{selector} finds no groups.")


def evidence(table=None, *, found=None, p=50, replication=None, failures=(), subjects=0, **changes):
    """Return what a report is made from, for a study of one selector."""
    table = chances(0.95, 0.75, 0.4) if table is None else table

    def replicate(*_):
        raise InvalidInputError("no curve")

    result = SimpleNamespace(
        plan={
            "classifiers": [{"name": "knn3"}],
            "data": {
                "n_features": p,
                "n_samples": 60,
                "subjects": subjects,
                "classes": {"a": 30, "b": 30},
            },
            "selectors": [{"name": "mine", "object": {}}],
            "measures": ["nogueira"],
        },
        recommend=lambda: recommendation(**changes),
        selectors=("mine",),
        memberships=no_groups,
        preferences={("mine", 3): SimpleNamespace(sizes=[3])},
        frequencies=frequencies(1.0, 1.0, 1.0, 0.01) if found is None else found,
        failures=list(failures),
        replication=replicated() if replication is None else replication,
        replicated=replicate,
        resamples=pd.DataFrame({"draw": pd.array([None] * 3, dtype="Int64")}),
    )
    about = Evidence(result)
    about._chances = table
    return about


def verdict(*arguments, **facts):
    """Return the verdict with names as plain text."""
    return remove_all_name_marks(verdict_with_names(evidence(*arguments, **facts)))


def test_the_number_is_the_sum_of_the_chances_of_the_selected_features():
    table = chances(0.95, 0.75, 0.4, 0.39, selected=[True, True, True, False])
    told = verdict(table)
    assert told["headline"] == (
        "A second study of 60 samples would find about 2 of these 3 features again."
    )
    assert told["expected"] == pytest.approx(2.1)
    assert (told["n_selected"], told["chance_level"]) == (3, 3 / 50)


def test_features_are_trusted_by_their_chance_not_by_resamples():
    told = verdict(chances(0.95, 0.7, 0.69), found=frequencies(0.2, 0.1, 1.0))
    assert told["trusted"] == ["f0", "f1"]
    assert told["next_step"] == "Act on f0 and f1. Check f2 on new samples first."
    assert verdict(chances(0.6, 0.5, 0.4), found=frequencies(1.0, 1.0, 1.0))["trusted"] == []


def test_a_chance_counts_as_it_is_shown():
    told = verdict(chances(0.75, 0.696, 0.694))
    assert told["trusted"] == ["f0", "f1"]


def test_features_that_are_not_selected_are_never_trusted():
    told = verdict(chances(0.95, 0.9, selected=[False, True]))
    assert told["trusted"] == ["f1"]


def test_many_features_are_counted_in_their_order():
    told = verdict(chances(*[0.9] * 5, *[0.4] * 4, 0.1, 0.1))["next_step"]
    assert told == (
        "Act on the first 5, f0 to f4. Check the next 4 on new samples first. Do not rely on the "
        "last 2."
    )
    assert verdict(chances(*[0.95] * 9))["next_step"] == "Act on all 9."


def test_without_a_likely_feature_nothing_is_to_be_acted_on():
    told = verdict(chances(0.6, 0.5, 0.1))
    assert told["next_step"] == (
        "Act on none of them yet. Check f0 and f1 on new samples first. Do not rely on the last."
    )
    assert "Collect more samples" in verdict(chances(*[0.25] * 20), p=1000)["next_step"]


def test_the_range_holds_the_number():
    shared = SharedFeatures(2, 2, 2, 3)
    facts = {"n_features": 50, "supported": True}
    low = Outlook(table=chances(0.3, 0.3, 0.3), shared=shared, **facts)
    high = Outlook(table=chances(0.99, 0.99, 0.99), shared=shared, **facts)
    assert (low.count_range, high.count_range) == ((1, 2), (2, 3))
    assert (
        Outlook(table=chances(0.9), shared=shared, **facts).count_range is None
    )  # of another list
    told = verdict()
    assert (told["expected_low"], told["expected_high"]) == (1, 2)
    assert told["certainty"].startswith("How sure: it may be 1 to 2; on test data, 97% of features")


def test_the_hit_rate_is_that_of_the_best_grade_of_the_list():
    assert "85% of features called likely" in verdict(chances(0.75, 0.4))["certainty"]


@pytest.mark.parametrize(
    ("values", "grade"),
    [((1.0, 0.9), "nearly all"), ((0.9, 0.6), "most"), ((0.6, 0.3), "some"), ((0.4, 0.1), "few")],
)
def test_grades_of_lists_follow_the_expected_share(values, grade):
    assert verdict(chances(*values))["grade"] == grade


def test_one_feature_has_a_chance_not_a_number():
    told = verdict(chances(0.93))["headline"]
    assert told.endswith("would find this feature again with a chance of 0.93.")


def test_subjects_are_counted_where_there_are_any():
    assert "study of 20 subjects" in verdict(subjects=20)["headline"]


def test_no_test_data_with_clear_effects_were_left_without_a_recommendation():
    stored = Path(__file__).parents[2] / "docs" / "_calibration" / "decision.json"
    rows = json.loads(stored.read_text(encoding="utf-8"))["support_with_signal"]
    clear = [row for row in rows if row["from"] >= 0.4]
    assert sum(row["data_sets"] for row in clear) > 40
    assert [row["supported"] for row in clear] == [row["data_sets"] for row in clear]


def test_at_chance_nothing_can_be_expected():
    told = verdict(chances(*[0.06] * 50), p=1000, error=0.46)
    assert told["headline"] == "Nothing here can be expected to be found again."
    assert told["why"] == (
        "Chance alone would find 2.5 of 50 features again; for this list, 3.0 are expected. "
        "The expected error, "
        "46.0%, is not clearly below guessing, 50.0%."
    )
    assert told["next_step"] == "Collect more samples if you expect effects."
    assert (told["grade"], told["trusted"], told["selector"]) == ("nothing", [], None)


def test_few_chances_that_add_up_to_clearly_more_than_chance_are_not_nothing():
    assert verdict(chances(*[0.2] * 50), p=1000)["grade"] == "few"


def test_an_unsupported_recommendation_is_nothing_to_expect():
    told = verdict(supported=False, why_not="no.", replication=replicated(0.05, 0.0, 0.3))
    assert told["grade"] == "nothing"
    assert told["why"] == (
        "Two studies would not clearly agree better than chance: 0.05, against 0.00 for "
        "random lists."
    )
    assert (told["trusted"], told["selector"], told["classifier"]) == ([], None, None)


def test_features_that_replicate_but_do_not_classify_are_said_to_do_so():
    told = verdict(supported=False, why_not="no.", error=0.49)
    assert told["headline"].startswith("A second study of 60 samples would find about 2")
    assert "is not clearly below guessing" in told["why"]
    assert "classify" in told["next_step"]
    assert told["selector"] is None


@pytest.mark.parametrize(
    ("why", "reason", "remedy"),
    [
        (
            "it was not asked for",
            "The study did not compare disjoint halves of the data.",
            "--replication",
        ),
        ("class b has 3 samples.", "Class b has 3 samples.", "Add samples to the smallest class."),
        ("the study was begun by an earlier version", "The study was", "with this version."),
        ("the selector fails", "The selector fails.", "act on no feature."),
    ],
)
def test_what_is_not_known_never_reassures(why, reason, remedy):
    told = verdict(unknown(why), replication=pd.DataFrame(columns=COLUMNS))
    assert told["headline"] == "It is not known what a second study would find again."
    assert told["grade"] == "not known"
    assert told["why"].startswith(reason)
    assert remedy in told["next_step"]
    assert "act on no feature" in told["next_step"]
    assert (told["trusted"], told["expected"], told["selector"]) == ([], None, None)


@pytest.mark.parametrize(("p", "text"), [(1, "The only feature is"), (3, "All 3 features are")])
def test_where_all_features_are_selected_nothing_is_chosen(p, text):
    told = verdict(chances(*[1.0] * p), found=frequencies(*[1.0] * p), p=p)
    assert told["headline"] == f"{text} selected each time, so nothing is chosen."
    assert (told["grade"], told["trusted"], told["expected"]) == ("not known", [], None)


@pytest.mark.parametrize(
    ("failures", "why"), [((), "No fit is done."), ("xy", "All 2 fits that were tried failed.")]
)
def test_nothing_is_claimed_of_nothing(failures, why):
    told = verdict(unknown("nothing is done yet"), found=frequencies(), failures=failures)
    assert told["headline"] == "Nothing can be said about the features yet."
    assert told["why"] == why


def test_names_are_set_apart_and_cannot_turn_the_text():
    told = verdict_with_names(evidence(chances(0.95, names=["a\u202eb\u2069 AUC \u2068"])))
    assert "Act on \u2068a⟨U+202E⟩b⟨U+2069⟩ AUC ⟨U+2068⟩\u2069." in told["next_step"]


def test_long_names_are_cut_in_sentences_only():
    told = verdict(chances(0.95, names=["x" * 500]))
    assert told["trusted"] == ["x" * 500]
    assert len(told["next_step"]) < 60


def test_independent_data_sets_measure_chances_themselves():
    found = chances_from_data_sets(frequencies(1.0, 0.5, 0.0, n=10), size=2)
    counts = np.array([10, 5, 0])
    np.testing.assert_allclose(found["found_again"], (counts + 0.5) / 11)
    np.testing.assert_allclose(found["low"], beta.ppf(0.1, counts + 0.5, 10.5 - counts))
    assert found["selected"].tolist() == [True, True, False]
    told = report_of("drawn")["verdict"]
    assert told["headline"].startswith("A second study of 60 samples would find")
    assert "independent data sets" in told["certainty"]


@pytest.mark.parametrize(
    ("value", "size", "p", "found"),
    [(1.0, 20, 500, 20), (0.0, 20, 100, 4), (0.5, 20, 100, 12), (-0.25, 20, 100, 0)],
)
def test_features_found_again_follow_from_agreement_beyond_chance(value, size, p, found):
    shared = shared_features(ReplicationEstimate(60, value, value, value), "kuncheva", size, p)
    assert (shared.features, shared.low, shared.high) == (found, found, found)


def test_the_verdict_is_that_of_the_tables_of_the_result():
    study, told = simulated(), report_of("simulated")["verdict"]
    choice, table = study.recommend(), study.features
    same = (table["selector"] == choice.selector) & (table["size"] == choice.size)
    chosen = table[same & table["selected"]]
    assert told["expected"] == pytest.approx(chosen["found_again"].sum())
    assert told["trusted"] == chosen.loc[chosen["found_again"].round(2) >= 0.7, "feature"].tolist()


@pytest.mark.parametrize("name", ODD)
def test_a_verdict_is_short(name):
    told = verdict_sentences(report_of(name)["verdict"])
    assert sum(len(sentence.split()) for sentence in told) <= 55


def largest_variance(X, y):
    """Score features by their variance, whatever the classes."""
    return X.var(axis=0)


@pytest.mark.parametrize("shift", [0.0, 3.0])
def test_features_found_again_without_any_effect_are_nothing_to_act_on(shift):
    rng = np.random.default_rng(3)
    y = np.arange(80) % 2
    # the selector finds the same three features in every study, with effect or without
    X = rng.normal(size=(80, 60)) * np.r_[9.0, 8.0, 7.0, np.ones(57)]
    X[:, :3] += 9.0 * shift * y[:, None] / 3.0
    study = hf.Study(
        {"variance": hf.AnySelector(largest_variance, returns="scores")},
        protocol=hf.Subsampling(20, 0.9), sizes=[3], classifiers=(), replication=20,
    )  # fmt: skip
    verdict = verdict_with_names(Evidence(study.run(X, y.astype(str), n_jobs=1)))
    assert len(verdict["trusted"]) == 3
    if shift:
        assert verdict["next_step"].startswith("Act on")
    else:
        assert "none of the likely features clearly differs" in verdict["why"]
        assert "Act on" not in verdict["next_step"]
        assert "with a classifier" in verdict["next_step"]
