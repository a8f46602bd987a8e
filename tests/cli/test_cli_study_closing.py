"""The end of a study: the table, what failed, what is left to do."""

from __future__ import annotations

import json
from contextlib import closing
from types import SimpleNamespace

import pytest

import holdfast as hf
from holdfast.cli._closing import _document, close
from holdfast.cli._print import table_lines
from holdfast.cli._run_options import RunOptions
from holdfast.cli._summary import _columns, print_summary
from holdfast.errors import InvalidInputError
from holdfast.study import Result, load
from tests.study.stores import Made, full, subsamples


@pytest.fixture
def ended(tmp_path, capsys):
    """Return a function that makes a study and returns its exit code, and what is printed."""

    def end(made, *, failed=(), skip=(), **options):
        folder = tmp_path / "run"
        with closing(full(made, folder, failed=failed, skip=skip)):
            pass
        code = close(load(folder), folder, RunOptions(**options))
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return end


def made(**options):
    return Made(resamples=subsamples(30, 12), **options)


def test_a_complete_study_ends_well(ended):
    code, out, err = ended(made(classifiers=("knn", "svm")))
    assert code == 0
    header, *lines = out.split("\n\n")[0].splitlines()
    assert header.split() == ["selector", "size", "stability", "error,", "%", "classifier"]
    assert len(lines) == 4
    assert "How much a selection would change." in out
    assert "error" not in err
    assert "next:" not in err


def again(result, chance=0.0):
    """Give a result what a study with disjoint halves would have."""
    table = result.stability[["selector", "size", "measure"]]
    found = table.assign(n_samples=15, value=0.6, low=0.4, high=0.8, n_pairs=10, at=30, note="")
    found = found.assign(chance=chance)
    result.replication = found.assign(predicted=0.7, predicted_low=0.5, predicted_high=0.9)
    return result


def test_the_table_begins_with_what_a_second_study_would_find(capsys):
    print_summary(again(Result(full(made()))))
    table, told = capsys.readouterr().out.split("\n\n")
    header, *lines = table.splitlines()
    assert header.split()[2:6] == ["replication", "(15)", "predicted", "(30)"]
    assert header.split()[6] == "stability"
    assert lines[0].split()[2:8] == ["0.60", "[0.40,", "0.80]", "0.70", "[0.50,", "0.90]"]
    assert "two independent studies of 15 samples agree, by nogueira" in told
    assert "from 10 pairs of disjoint halves of the data" in told
    assert "resamples of one data set share samples" in told
    size = Result(full(made())).recommend().size  # of 12 features
    count = round(size * (0.7 * (1 - size / 12) + size / 12))
    assert f"Your list at this n: expect {count} (" in told
    assert told.endswith(f"of {size} features again in a second study, if both have 30 samples.\n")


def test_subjects_are_counted_where_there_are_any(capsys):
    result = again(Result(full(made())))
    result.plan["data"]["subjects"] = 20
    print_summary(result)
    told = capsys.readouterr().out
    assert "two independent studies of 15 subjects agree" in told
    assert "two studies of 30 subjects." in told


def test_two_random_selections_are_told_where_they_have_features_in_common(capsys):
    print_summary(again(Result(full(made(measures=("jaccard",)))), chance=[0.3, 0.31, 0.32, 0.33]))
    assert "Two random selections give 0.30 to 0.33 by it;" in capsys.readouterr().out
    print_summary(again(Result(full(made()))))
    assert "random selections" not in capsys.readouterr().out


def test_notes_of_replication_are_told_once_shortened_and_of_whom(capsys):
    result = again(Result(full(made())))
    long = "on parts of the data the selector fails: " + "word " * 90
    result.replication.loc[result.replication["selector"] == "two", "note"] = long
    print_summary(result)
    told = capsys.readouterr().out
    assert told.count("the selector fails") == 1
    assert "word ... (two)." in told
    result.replication = result.replication.assign(value=float("nan"), note=long)
    print_summary(result)
    told = capsys.readouterr().out
    assert told.count("the selector fails") == 1
    assert "was not estimated. Note: on parts of the data" in told


COMPARED = SimpleNamespace(sentences=("The cohorts a\x1b and b agree.", "Both find 3."))


@pytest.mark.parametrize("failed", [(), [(s, i) for s in range(2) for i in range(12)]])
def test_cohorts_are_told_of_what_is_recommended_else_of_the_first(failed, capsys):
    result, asked = Result(full(made(), failed=failed)), []
    result.cohorts = result.stability.head(1)[["selector", "size"]]
    result.compare_cohorts = lambda *cell: asked.append(cell) or COMPARED
    print_summary(result)
    last = capsys.readouterr().out.splitlines()[-1]
    assert asked == [("one", 2) if failed else tuple(result.recommend().pair)[::2]]
    assert last.startswith(f"Cohorts by {asked[0][0]}, {asked[0][1]} features: The cohorts a")
    assert "\x1b" not in last
    assert last.endswith(" and b agree. Both find 3.")


def test_cohorts_that_cannot_be_compared_say_why(capsys):
    def refuse(*_):
        raise InvalidInputError("one has no result.")

    result = Result(full(made()))
    result.cohorts, result.compare_cohorts = result.stability.head(1), refuse
    print_summary(result)
    assert capsys.readouterr().out.endswith(" features: one has no result.\n")


@pytest.mark.parametrize(("width", "wide"), [(2.0, False), (1e-9, True)])
def test_intervals_wider_than_asked_are_told_among_the_results(width, wide, capsys):
    result = Result(full(made()))
    fact = {"width": width, "most": 12, "replication": None, "stopped": True}
    stored = result.store.fact
    result.store.fact = lambda name: fact if name == "until" else stored(name)
    print_summary(result)
    told = capsys.readouterr().out
    assert ("Wider than asked: the widest interval of nogueira is" in told) == wide
    assert ("after 12 resamples, the most that the protocol allows" in told) == wide
    fact["stopped"] = False
    print_summary(result)
    assert "Wider than asked" not in capsys.readouterr().out


def test_the_table_fits_a_terminal_of_80_columns():
    result = again(Result(full(made(selectors=("relieff", "random_score"), sizes=(20,), p=99))))
    shown = _columns(result, result.summary())
    lines = table_lines(list(shown), list(zip(*shown.values(), strict=True)), width=80)
    assert max(map(len, lines)) <= 80
    assert any("classifier: knn" in line for line in lines)


def test_where_nothing_is_predicted_the_halves_speak(capsys):
    result = again(Result(full(made())))
    result.replication = result.replication.assign(at=None, predicted=float("nan"), note="few left")
    print_summary(result)
    table, told = capsys.readouterr().out.split("\n\n")
    assert "predicted" not in table
    assert "Note: few left." in told
    assert "Your list at half this n: expect " in told
    assert told.endswith("if both have 15 samples.\n")


def test_without_a_second_study_it_is_said_why(ended):
    _, out, _ = ended(made())
    assert "what a second study would find was not estimated (it was not asked for)." in out
    assert "with the 95% interval for repeating this protocol" in out
    assert "Your list" not in out


def test_independent_samples_are_second_studies(capsys):
    result = Result(full(made()))
    result.replication = result.replication.copy()
    result.replication.attrs["why_none"] = "each resample is an independent sample already"
    print_summary(result)
    told = capsys.readouterr().out
    assert "Resamples are independent samples here, so it is replication stability" in told
    assert "Your list at this n: expect " in told


def test_json_holds_replication_stability(tmp_path):
    result = again(Result(full(made())))
    document = _document(result, tmp_path, [])
    assert document["replication"][0]["predicted"] == 0.7
    assert "cohorts" not in document
    assert _document(Result(full(made())), tmp_path, [])["replication"] == []


def test_json_holds_cohorts_where_there_are_any(tmp_path):
    result = Result(full(made()))
    result.cohorts = result.stability.head(1)[["selector", "value"]]
    assert _document(result, tmp_path, [])["cohorts"][0]["selector"] == "one"


def test_failed_units_are_counted_and_their_reasons_told(ended):
    code, out, err = ended(made(), failed=[(1, 3), (1, 5)])
    assert code == 1
    assert "error: 2 of 24 units failed:" in err
    assert "error: two on 2 resamples (the first is 3): ValueError: no" in err
    assert "next: 22 of 24 units are done; try the others again: holdfast resume" in err
    assert len(out.split("\n\n")[0].splitlines()) == 5


def test_a_selector_that_failed_throughout_is_named_once(ended):
    code, _, err = ended(made(), failed=[*((1, i) for i in range(12)), (0, 4)])
    assert code == 1
    assert err.count("two failed on all 12 resamples: ValueError: no") == 1
    assert "two on 12 resamples" not in err
    assert "error: one on 1 resample (the first is 4): ValueError: no" in err


def test_failures_are_told_even_when_quiet(ended):
    code, _, err = ended(made(), failed=[(0, 0)], quiet=True)
    assert code == 1
    assert all(line.startswith("error: ") for line in err.splitlines())


def test_a_part_says_how_to_join_the_parts(ended):
    code, out, err = ended(made(), skip=[(1, i) for i in range(12)], part="1/2")
    assert code == 0
    assert "Recommended so far, on part 1/2 alone: one with " in out
    assert "report" not in out
    assert "next: 12 of 24 units are done; when all parts are: holdfast merge" in err


def test_selectors_that_choose_the_size_say_so(ended):
    _, out, _ = ended(made(own=("two",)))
    row = out.split("\n\n")[0].splitlines()[-1]
    assert row.split()[:2] == ["two", "own"]
    assert "own sizes:" in row


def test_chance_levels_have_a_column_where_they_are_not_0(ended):
    _, out, _ = ended(made(measures=("jaccard",), classifiers=()))
    header, *lines = out.split("\n\n")[0].splitlines()
    assert header.split() == ["selector", "size", "stability", "chance"]
    assert float(lines[0].split()[-1]) > 0
    assert "random selections" not in out


def test_a_selector_without_results_has_dashes(ended):
    _, out, _ = ended(made(), failed=[(1, i) for i in range(12)])
    row = out.split("\n\n")[0].splitlines()[-1]
    assert row.split()[:5] == ["two", "4", "-", "-", "-"]
    assert "fewer than 2" in row


def test_json_holds_the_failures(ended):
    code, out, err = ended(made(), failed=[(1, 3)], as_json=True, quiet=True)
    assert code == 1
    document = json.loads(out)
    assert document["units"] == {"all": 24, "done": 23, "failed": 1}
    assert document["failures"] == [{"selector": "two", "resample": 3, "message": "ValueError: no"}]
    assert "1 of 24 units failed" in err


def test_all_files_of_the_run_are_named(ended, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "data.npz").touch()
    _, _, err = ended(made())
    written = [line.rpartition("/")[2] for line in err.splitlines() if "written: " in line]
    assert written == ["study.sqlite", "plan.json", "data.npz"]


def test_many_reasons_are_cut_short(ended, monkeypatch):
    monkeypatch.setattr("holdfast.cli._closing.MOST", 1)
    _, _, err = ended(made(), failed=[(0, 0), (1, 0)])
    assert "and 1 more reasons" in err


def test_the_last_line_names_the_report(ended, tmp_path):
    _, _, err = ended(made())
    page = tmp_path / "run" / "report.html"
    assert err.splitlines()[-1] == f"report: {page}"
    assert all(page.with_suffix(suffix).is_file() for suffix in (".html", ".json", ".md"))


def test_a_part_of_a_study_has_no_report(ended, tmp_path):
    ended(made(), skip=[(1, i) for i in range(12)], part="1/2")
    assert not (tmp_path / "run" / "report.html").exists()


def test_a_study_in_which_everything_failed_has_no_report(ended, tmp_path):
    code, _, err = ended(made(), failed=[(s, i) for s in range(2) for i in range(12)])
    assert code == 1
    assert "report:" not in err
    assert not (tmp_path / "run" / "report.html").exists()


def test_programs_learn_where_the_report_is(ended, tmp_path):
    _, out, _ = ended(made(), as_json=True)
    told = json.loads(out)
    assert str(tmp_path / "run" / "report.html") in told["files"]
    assert told["recommended"]["selector"] in ("one", "two")
    assert told["recommended"]["reasons"]


def test_the_table_is_followed_by_what_is_recommended(ended):
    _, out, _ = ended(made())
    assert "Recommended: " in out.splitlines()[-1]


def test_where_everything_failed_nothing_is_recommended(ended):
    _, out, _ = ended(made(), failed=[(s, i) for s in range(2) for i in range(12)])
    assert "Recommended" not in out


@pytest.mark.parametrize(("size", "found"), [(8, ", of which only 3 were found;"), (2, ";")])
def test_a_size_that_was_not_reached_is_told_as_such(size, found, tmp_path, capsys):
    study = hf.Study("drags", protocol=hf.Subsampling(5, 0.9), sizes=[size], classifiers=["knn3"])
    result = study.run(hf.io.read_data("@wine"), n_jobs=1)
    document = _document(result, tmp_path, [])
    assert document["recommended"].get("remark") == ("only 3 were found" if size == 8 else None)
    print_summary(result)
    out = " ".join(capsys.readouterr().out.split())
    assert f"Recommended: drags with knn3 on {size} features{found} the report says why." in out


def test_measures_of_all_features_that_have_no_value_say_why(ended):
    _, out, _ = ended(made(own=("one", "two"), measures=("spearman",)))
    assert "Note: the store holds no rankings of this selector." in out
