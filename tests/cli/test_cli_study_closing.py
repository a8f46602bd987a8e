"""The end of a study: the table, what failed, what is left to do."""

from __future__ import annotations

import json
from contextlib import closing
from types import SimpleNamespace

import pandas as pd
import pytest

import holdfast as hf
from holdfast.cli._options import RunOptions
from holdfast.cli._output import Column, table_lines
from holdfast.cli._study_run import _document, finish_run
from holdfast.cli._study_summary import print_summary
from holdfast.errors import HoldfastWarning, InvalidInputError
from holdfast.report import conclude, overview_table
from holdfast.report._tables import _shown_sizes
from holdfast.study import Result, load
from tests.study.stores import Made, full, subsamples


@pytest.fixture
def ended(tmp_path, capsys):
    """Return a function that makes a study and returns its exit code, and what is printed."""

    def end(made, *, failed=(), skip=(), **options):
        folder = tmp_path / "run"
        with closing(full(made, folder, failed=failed, skip=skip)):
            pass
        code = finish_run(load(folder), folder, RunOptions(**options))
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return end


def made(**options):
    return Made(resamples=subsamples(30, 12), **options)


def test_a_complete_study_ends_well(ended):
    code, out, err = ended(made(classifiers=("knn", "svm")))
    assert code == 0
    title, header, *lines = out.split("\n\n")[0].splitlines()
    assert title == "Stability over resamples of these data, by size of the list:"
    assert header.split() == ["selector", "2", "4", "lowest", "error,", "%", "classifier"]
    assert len(lines) == 2
    assert "error" not in err
    assert "next:" not in err


@pytest.fixture(scope="module")
def wine():
    study = hf.Study(
        ["f_score", "random_subset:n_features_to_select=3"],
        protocol=hf.Subsampling(8, 0.9),
        sizes=[2, 5],
        classifiers=["knn3"],
    )
    with pytest.warns(HoldfastWarning, match="sizes do not apply"):
        return study.run(hf.io.read_data("@wine"), n_jobs=1)


def test_the_table_counts_the_features_found_again(wine, capsys):
    print_summary(wine)
    table, told = capsys.readouterr().out.split("\n\n")
    title, header, first, second, *_ = table.splitlines()
    assert title == "Features that a second study would find again, by size of the list:"
    assert header.split()[:6] == ["selector", "of", "2", "of", "5", "own"]
    chosen = wine.features[wine.features["selected"]]
    sums = chosen.groupby(["selector", "size"])["found_again"].sum()
    cells = [cell.removesuffix("*") for cell in first.split()[1:3]]
    assert cells == [f"{sums['f_score', size]:.0f}" for size in (2, 5)]
    assert f"{sums['random_subset', 'own']:.0f} of 3" in second
    choice = wine.recommend()
    assert table.count("*") == 1
    own = chosen[(chosen["selector"] == choice.selector) & (chosen["size"] == choice.size)]
    headline, *lines = told.splitlines()
    assert headline.startswith("A second study of 178 samples would find about ")
    for row, line in zip(own.to_dict("records"), lines, strict=False):
        chance = f"{row['found_again']:.2f} (at least {row['low']:.2f})"
        assert line.split("  ")[1] == row["feature"]
        assert line.endswith(f"{chance}  {row['grade']}")


def test_long_lists_are_cut_short(wine, capsys, monkeypatch):
    monkeypatch.setattr("holdfast.cli._study_summary.MAX_FEATURES", 1)
    print_summary(wine)
    left = wine.recommend().size - 1
    assert f"  and {left} more with lower chances: see the report" in capsys.readouterr().out


def test_notes_are_reported_once_and_of_whom(capsys):
    result = Result(full(made()))
    table = result.stability.query("measure == 'nogueira'")[["selector", "size", "measure"]]
    long = "on parts of the data the selector fails: " + "word " * 90
    numbers = ("n_samples", "value", "low", "high", "chance", "n_pairs", "at")
    ahead = ("predicted", "predicted_low", "predicted_high")
    unknown = dict.fromkeys((*numbers, *ahead), float("nan"))
    result.replication = table.assign(**unknown, note=["", "", long, long])
    print_summary(result)
    told = capsys.readouterr().out
    assert told.count("the selector fails") == 1
    assert "word ... (two)." in told


def test_where_chances_are_not_known_this_is_said_with_the_remedy(ended):
    _, out, _ = ended(made())
    assert "It is not known what a second study would find again." in out
    assert "Run the study again with --replication 30. Until then, act on no feature." in out
    assert "*" not in out


COMPARED = SimpleNamespace(sentences=("The cohorts a\x1b and b agree.", "Both find 3."))


@pytest.mark.parametrize("failed", [(), [(s, i) for s in range(2) for i in range(12)]])
def test_cohorts_are_reported_of_what_is_recommended_else_of_the_first(failed, capsys):
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


@pytest.mark.slow
@pytest.mark.parametrize(("width", "wide"), [(2.0, False), (1e-9, True)])
def test_intervals_wider_than_asked_are_reported_among_the_results(width, wide, capsys):
    result = Result(full(made()))
    fact = {"width": width, "most": 12, "replication": None, "stopped": True}
    stored = result.store.fact
    result.store.fact = lambda name: fact if name == "until" else stored(name)
    print_summary(result)
    told = capsys.readouterr().out
    assert ("Wider than requested: the widest interval of nogueira is" in told) == wide
    assert ("after 12 resamples, the maximum of the protocol" in told) == wide
    fact["stopped"] = False
    print_summary(result)
    assert "Wider than requested" not in capsys.readouterr().out


def test_the_table_fits_a_terminal_of_80_columns(wine):
    verdict, _ = conclude(wine)
    columns = overview_table(wine, verdict).columns
    rows = list(zip(*columns.values(), strict=True))
    lines = table_lines(list(map(Column, columns)), rows, width=80)
    assert max(map(len, lines)) <= 80


def test_many_sizes_leave_room_for_the_recommended_one():
    table = pd.DataFrame({"selector": "one", "size": range(1, 12)})
    shown = _shown_sizes(table, {"size": 9})
    assert shown == [1, 2, 3, 4, 5, 9]


def test_json_holds_the_verdict_and_all_features(wine, tmp_path):
    document = _document(wine, tmp_path, [])
    assert document["verdict"]["headline"].startswith("A second study of 178 samples")
    assert "\u2068" not in document["verdict"]["next_step"]
    assert len(document["features"]) == len(wine.features)
    assert document["replication"][0]["predicted"] > 0
    assert "cohorts" not in document


def test_json_holds_cohorts_where_there_are_any(tmp_path):
    result = Result(full(made()))
    result.cohorts = result.stability.head(1)[["selector", "value"]]
    assert _document(result, tmp_path, [])["cohorts"][0]["selector"] == "one"


def test_failed_units_are_counted_and_their_reasons_reported(ended):
    code, out, err = ended(made(), failed=[(1, 3), (1, 5)])
    assert code == 1
    assert "error: 2 of 24 units failed:" in err
    assert "error: two on 2 resamples (the first is 3): ValueError: no" in err
    assert "next: 22 of 24 units are done; try the others again: holdfast resume" in err
    assert len(out.split("\n\n")[0].splitlines()) >= 4


@pytest.mark.slow
def test_a_selector_that_failed_throughout_is_named_once(ended):
    code, _, err = ended(made(), failed=[*((1, i) for i in range(12)), (0, 4)])
    assert code == 1
    assert err.count("two failed on all 12 resamples: ValueError: no") == 1
    assert "two on 12 resamples" not in err
    assert "error: one on 1 resample (the first is 4): ValueError: no" in err


def test_failures_are_reported_even_when_quiet(ended):
    code, _, err = ended(made(), failed=[(0, 0)], quiet=True)
    assert code == 1
    assert all(line.startswith("error: ") for line in err.splitlines())


def test_a_part_says_how_to_join_the_parts(ended):
    code, out, err = ended(made(), skip=[(1, i) for i in range(12)], part="1/2")
    assert code == 0
    assert "Part 1/2 alone does not show what a second study would find" in out
    assert "report" not in out
    assert "next: 12 of 24 units are done; when all parts are: holdfast merge" in err


def test_a_selector_without_results_has_dashes(ended):
    _, out, _ = ended(made(), failed=[(1, i) for i in range(12)])
    row = next(line for line in out.splitlines() if line.startswith("two"))
    assert row.split()[1:] == ["-", "-", "-"]
    assert "Note: there are fewer than 2" in out


def test_json_holds_the_failures(ended):
    code, out, err = ended(made(), failed=[(1, 3)], as_json=True, quiet=True)
    assert code == 1
    document = json.loads(out)
    assert document["units"] == {"all": 24, "done": 23, "failed": 1, "not_run": 0}
    assert document["failures"] == [{"selector": "two", "resample": 3, "message": "ValueError: no"}]
    assert "1 of 24 units failed" in err


def test_all_files_of_the_run_are_named(ended, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "data.npz").touch()
    _, _, err = ended(made())
    written = [line for line in err.splitlines() if "written: " in line]
    folder = tmp_path / "run"
    names = "plan.json, data.npz, report.json, report.md"
    assert written == [f"written: {folder / 'study.sqlite'}, {names}"]


def test_many_reasons_are_cut_short(ended, monkeypatch):
    monkeypatch.setattr("holdfast.cli._study_run.MAX_FAILURE_KINDS", 1)
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


def test_a_size_that_was_not_reached_counts_what_was_found(tmp_path, capsys):
    study = hf.Study("drags", protocol=hf.Subsampling(5, 0.9), sizes=[8], classifiers=["knn3"])
    result = study.run(hf.io.read_data("@wine"), n_jobs=1)
    assert _document(result, tmp_path, [])["recommended"].get("remark") == "3 of 8 found"
    print_summary(result)
    assert "of these 3 groups again" in capsys.readouterr().out


def test_measures_of_all_features_that_have_no_value_say_why(ended):
    _, out, _ = ended(made(own=("one", "two"), measures=("spearman",)))
    assert "Note: the store holds no rankings of this selector." in out
