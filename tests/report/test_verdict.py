"""The verdict: words that say what was measured, and never more."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
import pytest

from holdfast.errors import InvalidInputError
from holdfast.judge import Recommendation
from holdfast.report._assurance import assurance, in_words, on_scale
from holdfast.report._evidence import Evidence
from holdfast.report._names import bare_all
from holdfast.report._second import Estimate, shared_features
from holdfast.report._verdict import verdict as verdict_with_names


def verdict(about):
    """Return the verdict with names as plain text."""
    return bare_all(verdict_with_names(about))


def choosing(error=0.1, standard_error=0.02, share=1.0, method="bootstrap"):
    """Return the error of a choice that came out so often."""
    row = {"selector": "mine", "classifier": "knn3", "size": 3, "share": share}
    return SimpleNamespace(
        error=error, standard_error=standard_error, method=method, chosen=pd.DataFrame([row])
    )


def dice(error, p_value, size=3):
    """Return errors and a comparison with features drawn at random."""
    errors = pd.DataFrame(
        [("mine", "knn3", 3, 0.1, 0.02), ("dice", "knn3", size, error, 0.03),
         ("dice", "knn1", size, 0.01, 0.03)],
        columns=["selector", "classifier", "size", "error", "standard_error"],
    )  # fmt: skip
    sides = [f"{part}_{side}" for side in "ab" for part in ("selector", "classifier", "size")]
    pair = ("dice", "knn3", size, "mine", "knn3", 3, p_value)
    return errors, pd.DataFrame([pair], columns=[*sides, "p_value"])


NO_ERRORS = pd.DataFrame(
    columns=["selector", "classifier", "size", "error", "standard_error"], dtype=object
)


def frequencies(*shares: float, n: int = 100, width: float = 0.04) -> pd.DataFrame:
    """Return a table of features f0, f1, ... that were selected in such shares."""
    return pd.DataFrame(
        {
            "feature": [f"f{i}" for i in range(len(shares))],
            "selector": "mine",
            "size": 3,
            "frequency": shares,
            "count": [round(share * n) for share in shares],
            "n": n,
            "low": [max(0.0, share - width) for share in shares],
            "high": [min(1.0, share + width) for share in shares],
        }
    )


def recommendation(**changes):
    """Return a recommendation of the selector `mine`, changed as asked."""
    facts = {
        "selector": "mine", "classifier": "knn3", "size": 3, "error": 0.1,
        "standard_error": 0.02, "stability": 0.85, "low": 0.8, "high": 0.9, "chance": 0.0,
        "measure": "nogueira", "rule": "not_worse", "reasons": (), "table": pd.DataFrame(),
        "choice": None,
    } | changes  # fmt: skip
    columns = ["selector", "classifier", "size", "stability", "chance"]
    rivals = [[facts[name] for name in columns], *facts.pop("others", [])]
    return Recommendation(rivals=pd.DataFrame(rivals, columns=columns), **facts)


COLUMNS = [
    *("selector", "size", "measure", "n_samples", "value", "low", "high", "chance"),
    *("n_pairs", "at", "predicted", "predicted_low", "predicted_high", "note"),
]


def replicated(value=0.8, low=0.7, high=0.9, *, predicted=0.85, ends=(0.75, 0.92), **changes):
    """Return the replication stability of `mine`, as if of 60 samples."""
    row = {
        "selector": "mine", "size": 3, "measure": "nogueira", "n_samples": 30, "value": value,
        "low": low, "high": high, "chance": 0.0, "n_pairs": 25, "at": 60, "predicted": predicted,
        "predicted_low": ends[0], "predicted_high": ends[1], "note": "",
    } | changes  # fmt: skip
    return pd.DataFrame([row], columns=COLUMNS)


def not_replicated(why="it was not asked for"):
    """Return the table of a study that looked at no second one."""
    table = pd.DataFrame(columns=COLUMNS)
    table.attrs["why_none"] = why
    return table


def no_groups(selector, size=None, most=50):
    """Say that a selector finds single features only."""
    raise InvalidInputError(f"{selector} finds no groups.")


def evidence(
    table=None,
    *,
    done=100,
    units=100,
    draws=None,
    stand_ins=(),
    control=None,
    p=50,
    replication=None,
    **changes,
):
    """Return what a report is made from, for a study of one selector."""

    def recommend():
        if changes.get("nothing"):
            raise InvalidInputError("nothing to recommend.")
        return recommendation(**changes)

    table = frequencies(1.0, 0.95, 0.5, 0.01) if table is None else table
    rows = pd.DataFrame(stand_ins, columns=["feature", "stand_in", "correlation", "share"])
    result = SimpleNamespace(
        plan={
            "data": {"n_features": p, "n_samples": 60, "classes": {"a": 30, "b": 30}},
            "selectors": [
                {"name": "mine", "object": {}},
                {"name": "other", "object": {}},
                {"name": "dice", "object": {"class": "holdfast.select:RandomScore"}},
            ],
        },
        recommend=recommend,
        selectors=("mine", "other", "dice"),
        memberships=no_groups,
        preferences={("mine", 3): SimpleNamespace(sizes=[3])},
        errors=NO_ERRORS if control is None else control[0],
        compare=lambda correction: control[1],
        frequencies=table,
        n_done=done,
        n_units=units,
        complete=done == units,
        failures=[],
        truth=None,
        dataset=None,
        replication=not_replicated() if replication is None else replication,
        resamples=pd.DataFrame({"draw": pd.array([draws] * 3, dtype="Int64")}),
        stand_ins=lambda selector, size: SimpleNamespace(table=rows),
    )
    return Evidence(result)


def test_features_in_nine_of_ten_resamples_are_trusted():
    told = verdict(evidence(frequencies(1.0, 0.9, 0.89)))
    assert told["trusted"] == ["f0", "f1"]
    assert told["sentences"][0] == (
        "Trust f0 and f1: each is among the 3 features selected by mine in at least 90% of the "
        "100 resamples."
    )


def test_many_trusted_features_are_counted():
    told = verdict(evidence(frequencies(*[1.0] * 20)))
    assert len(told["trusted"]) == 20
    assert "f5, f6 and 13 more" in told["sentences"][0]


def test_without_trusted_features_the_verdict_says_so_and_what_to_do():
    told = verdict(evidence(frequencies(0.7, 0.6)))
    assert told["trusted"] == []
    assert told["assurance"] == "low"
    assert told["sentences"][0].startswith("No feature can be trusted")
    assert "f0, the most frequent, was in 70%" in told["sentences"][0]
    assert "checked on new samples" in told["sentences"][0]


def test_what_chance_explains_is_not_trusted():
    crowd = frequencies(*[0.97] * 49, width=0.06)
    told = verdict(evidence(crowd))
    assert told["trusted"] == []
    assert "chance alone reaches 95.1%" in told["sentences"][0]


def test_stability_and_error_are_told_with_their_uncertainty():
    told = verdict(evidence())["sentences"][1]
    assert "excellent, 0.85 (95% interval 0.80 to 0.90; chance gives 0.00)" in told
    assert "an error of 10.0% ± 2.0%" in told
    assert "guessing the largest class: 50.0%" in told


def test_distances_are_said_to_be_such():
    told = verdict(evidence(measure="anhd", stability=0.1, low=0.05, high=0.15, chance=0.5))
    assert (
        "excellent, 0.10 (95% interval 0.05 to 0.15; lower is more stable; chance gives"
        in (told["sentences"][1])
    )


def test_the_error_of_the_choice_itself_is_told():
    choice = choosing(0.14, 0.03)
    assert "an error of 14.0% ± 3.0%" in verdict(evidence(choice=choice))["sentences"][1]


def test_the_higher_error_is_told():
    choice = choosing(0.07, 0.03)
    assert "an error of 10.0% ± 2.0%" in verdict(evidence(choice=choice))["sentences"][1]


def test_one_data_set_never_speaks_for_new_samples():
    told = verdict(evidence())["sentences"][-1]
    assert (
        "all resamples come from the same 60 samples (how well a new study would agree was not "
        "measured)"
    ) in told
    known = verdict(evidence(replication=replicated()))["sentences"][-1]
    assert "(two new studies as large are predicted to agree at 0.85)" in known
    halves = verdict(evidence(replication=replicated(predicted=None)))["sentences"][-1]
    assert "(two new studies half as large would agree at 0.80)" in halves
    fresh = verdict(evidence(draws=1))["sentences"]
    assert "100 independent data sets" in fresh[0]
    assert "new stud" not in fresh[-1]


def test_a_second_study_comes_first_and_the_usual_figure_beside_it():
    told = verdict(evidence(replication=replicated()))["sentences"]
    assert told[0] == (
        "A second study of 60 samples would find again about 3 (2 to 3) of the 3 features that "
        "mine selects: the replication stability predicted for two such studies is excellent, 0.85 "
        "(95% interval 0.75 to 0.92)."
    )
    assert told[1] == (
        "Measured on disjoint halves of the data, of 30 samples each, it is 0.80 (95% interval "
        "0.70 to 0.90); the usual figure, from repeating the protocol on the same samples, is 0.85 "
        "(95% interval 0.80 to 0.90; chance gives 0.00): it differs, as resamples of one data set "
        "share samples and have another size than a new study, so it is about this data set, not "
        "about a second study."
    )
    assert told[2].startswith("Trust f0 and f1")
    assert told[3].startswith("Use mine with 3 features and the classifier knn3: an error of 10.0%")
    assert not any("was not measured" in text for text in told)


def test_without_a_prediction_the_halves_come_first():
    told = verdict(evidence(replication=replicated(0.5, 0.3, 0.7, predicted=None)))["sentences"]
    assert told[0] == (
        "A second study of 30 samples would find again about 2 (1 to 2) of the 3 features that "
        "mine selects from as many: the replication stability of two such studies, measured on "
        "disjoint halves of the data, is intermediate to good, 0.50 (95% interval 0.30 to 0.70)."
    )
    assert told[1].startswith("The usual figure, from repeating the protocol")


def test_independent_data_sets_are_second_studies():
    told = verdict(evidence(draws=1, low=0.8, high=0.9))["sentences"]
    assert told[0] == (
        "A second study of 60 samples would find again about 3 (2 to 3) of the 3 features that "
        "mine selects: the replication stability of two such studies, measured on 100 independent "
        "data sets, is excellent, 0.85 (95% interval 0.80 to 0.90)."
    )
    assert told[1].startswith("Trust")
    assert not any("usual figure" in text for text in told)


@pytest.mark.parametrize(
    "changes", [{"size": "own"}, {"measure": "jaccard", "chance": 0.1}, {"size": 1}]
)
def test_features_found_again_are_counted_only_where_the_measure_tells(changes):
    row = {key: value for key, value in changes.items() if key != "chance"}
    table = frequencies(1.0, 0.95, 0.5, 0.01).assign(size=changes.get("size", 3))
    about = evidence(table, replication=replicated(**row), **changes)
    about.result.preferences["mine", 1] = SimpleNamespace(sizes=[1])
    about.amount = "some features"
    told = verdict(about)["sentences"][0]
    assert told.startswith("The replication stability of mine predicted for two studies of 60 ")


def test_studies_of_subjects_are_counted_in_subjects():
    about = evidence(replication=replicated())
    about.plan["data"]["subjects"] = 60
    assert "A second study of 60 subjects" in verdict(about)["sentences"][0]


@pytest.mark.parametrize(
    ("table", "why"),
    [
        (not_replicated(), "it was not asked for"),
        (not_replicated("class b has 3 samples."), "class b has 3 samples"),
        (replicated(None, note="the selector fails"), "the selector fails"),
    ],
)
def test_where_no_second_study_was_looked_at_this_is_said(table, why):
    told = verdict(evidence(replication=table))["sentences"]
    assert told[0].startswith("Trust")
    assert "the stability is excellent, 0.85" in told[1]
    assert told[2] == (
        "This speaks about repeating the protocol on the same samples only: whether a second study "
        f"would find these features was not measured ({why})."
    )


@pytest.mark.parametrize(
    ("value", "size", "p", "found"),
    [(1.0, 20, 500, 20), (0.0, 20, 100, 4), (0.5, 20, 100, 12), (-0.25, 20, 100, 0)],
)
def test_features_found_again_follow_from_agreement_beyond_chance(value, size, p, found):
    shared = shared_features(Estimate(60, value, value, value), "kuncheva", size, p)
    assert (shared.features, shared.told) == (found, str(found))


def test_rivals_and_stand_ins_would_change_the_verdict():
    others = [["other", "knn3", 3, 0.82, 0.0], ["other", "knn1", 3, 0.5, 0.0]]
    found = [("f0", "f9", -0.97, 0.5), ("f2", "f8", 0.99, 0.1), ("f1", "f7", 0.8, 0.1)]
    told = verdict(evidence(others=others, stand_ins=found))["sentences"][-1]
    assert "as other does as well, as far as can be told" in told
    assert "f9 could take the place of f0 (correlation 0.97)" in told


def test_random_features_that_do_as_well_are_told_with_their_numbers():
    told = verdict(evidence(control=dice(0.115, 0.4)))
    assert (
        "other features, as 3 features drawn at random classify about as well: an error of 11.5% ± "
        "3.0% with knn3 (p = 0.40)"
    ) in told["sentences"][-1]


@pytest.mark.parametrize(("error", "p_value"), [(0.13, 0.4), (0.115, 0.01), (0.3, 0.2)])
def test_random_features_that_do_worse_are_not_said_to_do_as_well(error, p_value):
    rivals = [["dice", "knn3", 3, 0.0, 0.0]]
    told = verdict(evidence(others=rivals, control=dice(error, p_value)))
    assert "drawn at random" not in told["sentences"][-1]


def test_random_features_of_another_size_stand_in_where_there_is_none_of_the_same():
    told = verdict(evidence(control=dice(0.1, 0.9, size=7)))["sentences"][-1]
    assert "7 features drawn at random" in told


def test_leaving_out_the_control_never_raises_the_assurance():
    levels = {verdict(evidence(control=c))["assurance"] for c in (None, dice(0.1, 0.9))}
    assert levels == {"high"}


def test_a_choice_that_seldom_comes_out_again_is_doubted():
    told = verdict(evidence(choice=choosing(share=0.59)))
    why = "it came out in 59% of the repeated choices"
    assert (told["assurance"], told["because"]) == (
        "fair",
        [f"the recommended pair is not a sure choice: {why}"],
    )
    assert f"choosing again, as the recommended pair is not sure: {why}" in told["sentences"][-1]
    nested = verdict(evidence(choice=choosing(share=0.4, method="nested")))
    assert "40% of the outer training parts" in nested["because"][0]
    assert verdict(evidence(choice=choosing(share=0.6)))["assurance"] == "high"


@pytest.mark.parametrize(("p", "text"), [(1, "The only feature is"), (3, "All 3 features are")])
def test_where_all_features_are_selected_nothing_is_told_of_them(p, text):
    told = verdict(evidence(frequencies(*[1.0] * p), p=p, nothing=True, control=dice(0.37, 0.5)))
    assert told["sentences"][0].startswith(f"{text} selected each time, so nothing is chosen")
    assert "The least error on samples not seen before is 1.0% ± 3.0%" in told["sentences"][1]
    assert ("smaller number" in told["sentences"][2]) == (p > 1)
    assert "select fewer" not in " ".join(told["sentences"])
    assert (told["trusted"], told["assurance"]) == ([], "low")
    assert told["because"] == ["all features are always selected, so nothing is chosen"]


def test_intervals_end_where_the_measure_does():
    assert "95% interval 0.95 to 1.00" in verdict(evidence(low=0.95, high=1.01))["sentences"][1]


def test_names_are_set_apart_and_cannot_turn_the_text():
    table = frequencies(1.0).assign(feature="a\u202eb\u2069 AUC \u2068")
    told = verdict_with_names(evidence(table))["sentences"][0]
    assert "Trust \u2068a⟨U+202E⟩b⟨U+2069⟩ AUC ⟨U+2068⟩\u2069: it is" in told


def test_less_stable_rivals_are_not_named():
    others = [["other", "knn3", 3, 0.7, 0.0]]
    assert "other" not in verdict(evidence(others=others))["sentences"][-1]


def test_what_is_not_done_is_told():
    told = verdict(evidence(done=97))
    assert "the 3 units of work not done" in told["sentences"][-1]
    assert told["because"] == ["3 of 100 units of work are missing"]


def test_what_failed_is_not_called_not_done():
    about = evidence(done=97)
    about.result.failures = ["x", "y"]
    told = verdict(about)["sentences"][-1]
    assert "the 2 units of work that failed; the 1 unit of work not done" in told


def test_rivals_with_long_names_are_cut_once():
    long = "y" * 59
    about = evidence(others=[[long, "knn3", 3, 0.82, 0.0]])
    about.plan["selectors"][1] = {"name": long, "object": {"class": "holdfast.select:FScore"}}
    assert f"as F statistic ({long}) does as well" in verdict(about)["sentences"][-1]


def test_few_resamples_show_nothing():
    told = verdict(evidence(frequencies(1.0, n=4)))
    assert told["trusted"] == []
    assert told["sentences"][0] == (
        "No feature can be trusted yet: 4 resamples cannot show what would be found again; it "
        "takes 5 at least."
    )
    assert told["sentences"][1].startswith("The choice that comes out best is mine with 3")
    assert "more than 4 resamples" in told["sentences"][-1]


def test_nothing_is_claimed_of_nothing():
    told = verdict(evidence(frequencies(), nothing=True, done=0))
    assert told["sentences"] == [
        "Nothing can be said about the features yet: no unit of work is done; run the study on."
    ]
    assert (told["selector"], told["size"], told["assurance"]) == (None, None, "low")


@pytest.mark.parametrize(
    ("changes", "level", "reason"),
    [
        ({}, "high", None),
        ({"low": 0.74}, "fair", "interval of the stability reaches down to 0.74"),
        ({"low": 0.39}, "low", "may be poor: its interval reaches 0.39"),
        ({"low": float("nan"), "high": float("nan")}, "fair", "no interval"),
        ({"error": 0.47}, "low", "not clearly below the 50.0%"),
        ({"error": float("nan")}, "fair", "not tested"),
        ({"done": 99}, "fair", "1 of 100 units"),
        ({"done": 49}, "low", "51 of 100 units"),
        ({"table": frequencies(1.0, n=19)}, "fair", "only 19 resamples"),
        ({"table": frequencies(0.8)}, "low", "often enough to be trusted"),
        ({"nothing": True}, "fair", "no interval"),
        ({"replication": replicated()}, "high", None),
        ({"replication": replicated(predicted=0.7)}, "fair", "study as large would agree only at"),
        ({"replication": replicated(predicted=0.39)}, "low", "at 0.39, which is poor"),
        ({"replication": replicated(ends=(0.39, 1))}, "fair", "reaches down to 0.39, so"),
        ({"replication": replicated(low=0.39)}, "fair", "reaches down to 0.39, so"),
        ({"replication": replicated(0.5, predicted=0.8)}, "high", None),
        ({"replication": replicated(0.7, predicted=None)}, "fair", "half as large would agree"),
        ({"replication": replicated(0.3, predicted=None)}, "low", "half as large would agree"),
        ({"replication": replicated(None)}, "high", None),
        ({"replication": replicated(measure="kuncheva", predicted=0.1)}, "high", None),
    ],
)
def test_assurance_follows_its_rules(changes, level, reason):
    got, because = assurance(evidence(**changes))
    assert got == level
    assert any(reason in text for text in because) if reason else because == []


@pytest.mark.parametrize(
    ("value", "word"),
    [(0.399, "poor"), (0.4, "intermediate to good"), (0.749, "intermediate to good"),
     (0.75, "excellent"), (1.0, "excellent"), (-0.2, "poor")],
)  # fmt: skip
def test_the_scale_has_words(value, word):
    assert in_words(value) == word


def test_measures_are_brought_to_one_scale():
    assert on_scale(0.6, 0.0, "nogueira") == 0.6
    assert on_scale(0.6, 0.2, "jaccard") == pytest.approx(0.5)
    assert on_scale(0.1, 0.2, "anhd") == pytest.approx(0.5)  # a distance: 0 is the best
    assert on_scale(0.6, float("nan"), "jaccard") is None
    assert on_scale(float("nan"), 0.2, "jaccard") is None


def test_long_names_are_cut_in_sentences_only():
    table = frequencies(1.0).assign(feature="x" * 500)
    told = verdict(evidence(table))
    assert told["trusted"] == ["x" * 500]
    assert len(told["sentences"][0]) < 300
