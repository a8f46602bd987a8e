"""The result object: what it holds, how it is opened, how it shows itself."""

import html
import io
import json
import logging
import re
import statistics

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

import holdfast as hf
from holdfast.errors import FileFormatError, InvalidInputError, StoreError, UnknownNameError
from holdfast.resample import Resample
from holdfast.study import load
from holdfast.study._result import Result
from holdfast.study._storage._store import FILE, Store
from holdfast.study._tables._stability import summary_table
from tests.study.stores import Made, folds, full, subsamples


@pytest.fixture
def made():
    return Made(resamples=subsamples(30, 6))


@pytest.fixture
def result(made):
    return Result(full(made))


def test_subsets_come_with_names(result, made):
    subsets = result.preferences["one", 4]
    assert isinstance(subsets, hf.Subsets)
    assert len(subsets) == 6
    assert subsets.feature_names == made.names
    assert set(subsets.sizes) == {4}
    frequencies = result.frequencies
    own = frequencies[(frequencies["selector"] == "one") & (frequencies["size"] == 4)]
    assert subsets.frequencies().to_dict() == dict(
        zip(own["feature"], own["frequency"], strict=True)
    )


def test_smaller_selections_are_the_best_of_larger_ones(result):
    large = result.preferences["one", 4]
    for size in (1, 2, 3):
        small = result.preferences["one", size]
        assert all(set(a) <= set(b) for a, b in zip(small, large, strict=True))


def test_whole_rankings_and_weights_are_there_where_kept(made):
    assert isinstance(Result(full(made, forms=("ranks",))).preferences["one"], hf.Rankings)
    both = Result(full(made, forms=("ranks", "weights")))
    assert isinstance(both.preferences["two"], hf.Weights)
    top = both.preferences["two"].top(4)
    assert top == both.preferences["two", 4]


def test_keys_of_preferences_lead_to_preferences():
    made = Made(resamples=subsamples(30, 4), own=("two",))
    preferences = Result(full(made, forms=("ranks",))).preferences
    assert list(preferences) == [("one", 2), ("one", 4), "one", ("two", "own"), "two"]
    assert len(preferences) == 5
    assert all(len(preferences[key]) == 4 for key in preferences)
    assert ("one", 2) in preferences
    assert ("one", "own") not in preferences
    assert "preferences[key]" in repr(preferences)


def test_preferences_leave_out_outer_resamples_and_the_reference():
    parts = folds(30, 3, role="outer")
    inner = [Resample(one.train, one.test, role="inner", outer=one.outer) for one in parts * 2]
    made = Made(resamples=[*parts, *inner, Resample(np.arange(30), [], role="reference")])
    assert len(Result(full(made)).preferences["one", 2]) == 6


@pytest.mark.parametrize(
    ("key", "error", "words"),
    [
        (("on", 2), UnknownNameError, "Did you mean 'one'"),
        (("one", 5), InvalidInputError, "1 to 4, got 5"),
        (("one", "own"), InvalidInputError, "1 to 4, got 'own'"),
        ("one", InvalidInputError, "not stored"),
    ],
)
def test_preferences_that_are_not_there_are_explained(result, key, error, words):
    with pytest.raises(error, match=re.escape(words)):
        result.preferences[key]


def test_preferences_of_a_study_that_did_nothing_yet_are_explained(made):
    with pytest.raises(InvalidInputError, match="done yet"):
        Result(made.store()).preferences["one", 2]


def test_predictions_are_tidy(made):
    result = Result(full(made))
    table = result.predictions
    assert list(table) == [
        *("selector", "classifier", "size", "resample", "sample", "actual", "predicted", "score")
    ]
    assert len(table) == 2 * 2 * 6 * 6
    labels = np.array(made.labels)[made.y[table["sample"]]]
    assert (table["actual"].astype(str) == labels).all()
    wrong = table[table["actual"].astype(str) != table["predicted"].astype(str)]
    shares = wrong.groupby(["selector", "size"], observed=True).size() / 36
    expected = result.errors.set_index(["selector", "size"])["error"]
    assert shares.to_dict() == pytest.approx(expected.to_dict())
    assert not table.duplicated(["selector", "classifier", "size", "resample", "sample"]).any()


def test_more_classes_have_a_score_each():
    made = Made(labels=("a", "b", "c"), resamples=subsamples(30, 3))
    table = Result(full(made)).predictions
    assert list(table)[7:] == ["score_a", "score_b", "score_c"]


def test_predictions_of_drawn_data_know_their_own_classes():
    drawn = [Resample(np.arange(20), np.arange(15), draw=i) for i in range(3)]
    table = Result(full(Made(resamples=drawn))).predictions
    first = table[(table["selector"] == "one") & (table["size"] == 2)]
    assert (
        first.pivot(index="sample", columns="resample", values="actual").nunique(axis=1).max() > 1
    )


def test_facts_of_the_run(made, tmp_path):
    result = Result(full(made, tmp_path, failed=[(1, 2)], skip=[(1, 3)]))
    assert result.selectors == ("one", "two")
    assert result.plan == made.plan()
    assert result.protocol_sentence == "How much a selection would change."
    assert (result.n_done, result.n_units, result.complete) == (10, 12, False)
    assert result.failures.values.tolist() == [["two", 2, "ValueError: no"]]
    assert result.versions[["run", "numpy"]].values.tolist() == [[0, "2"]]
    assert result.resamples["n_train"].tolist() == [24] * 6
    assert result.resamples["role"].tolist() == ["main"] * 6
    times = result.timings
    assert len(times) == 11
    assert times["selection"].sum() == 5


def test_a_study_with_all_units_done_is_complete(result):
    assert result.complete
    assert result.failures.empty


def test_summary_puts_stability_next_to_the_lowest_error():
    made = Made(resamples=subsamples(30, 6), classifiers=("x", "y"), own=("two",))
    result = Result(full(made))
    table = result.summary()
    assert table[["selector", "size"]].values.tolist() == [["one", 2], ["one", 4], ["two", "own"]]
    assert set(table["measure"]) == {"nogueira"}
    for row in table.to_dict("records"):
        errors = result.errors
        own = errors[(errors["selector"] == row["selector"]) & (errors["size"] == row["size"])]
        assert row["error"] == own["error"].min()
        assert row["classifier"] in own.loc[own["error"] == row["error"], "classifier"].tolist()
        stability = result.stability
        keep = (stability["selector"] == row["selector"]) & (stability["size"] == row["size"])
        keep &= stability["measure"] == "nogueira"
        assert stability.loc[keep, "value"].tolist() == [row["stability"]]


@pytest.mark.parametrize(
    ("measures", "shown"),
    [
        (("jaccard", "nogueira"), "jaccard"),
        (("spearman", "tanimoto", "kuncheva"), "jaccard"),
        (("spearman",), "spearman"),
    ],
)
def test_summary_shows_one_measure(measures, shown):
    made = Made(resamples=subsamples(30, 6), measures=measures)
    table = Result(full(made, forms=("ranks",))).summary()
    assert set(table["measure"]) == {shown}
    assert len(table) == 4
    assert table["stability"].notna().all()


def test_summary_without_classifiers_and_without_anything_done():
    made = Made(resamples=subsamples(30, 3), classifiers=())
    assert Result(full(made)).summary()["error"].isna().all()
    assert len(Result(made.store()).summary()) == 4


def test_repr_names_the_next_step(result, made, tmp_path):
    assert repr(result) == "<Result: 2 selectors on 6 resamples. Next: result.recommend()>"
    started = Result(full(made, failed=[(0, 0)], skip=[(0, 1)]))
    assert "10 of 12 units done, 1 failed" in repr(started)
    assert f"holdfast resume {tmp_path}>" in repr(Result(made.store(tmp_path)))
    assert f"holdfast resume '{tmp_path}/a b'>" in repr(Result(made.store(tmp_path / "a b")))


def test_repr_of_a_result_in_memory_names_no_folder(made):
    assert "Next: run the study again>" in repr(Result(made.store()))
    units = [(selector, number) for selector in range(2) for number in range(6)]
    assert "Next: result.failures>" in repr(Result(full(made, failed=units)))


def printed_by_rich(result, width=100):
    """Return what rich prints of a result, with single spaces."""
    written = io.StringIO()
    Console(file=written, width=width).print(result)
    return " ".join(written.getvalue().split())


def test_rich_shows_the_overview_whatever_names_hold():
    made = Made(resamples=subsamples(30, 4), selectors=("a[/b]", "[red]two"))
    result = Result(full(made))
    shown = printed_by_rich(result)
    assert all(name in shown for name in made.selectors)
    assert "Stability over resamples of these data, by size of the list:" in shown
    assert all(f"{value:.2f}" in shown for value in result.summary()["stability"])
    assert "It is not known what a second study would find again." in shown


def test_rich_shows_what_a_second_study_would_find():
    study = hf.Study(["f_score", "t_score"], protocol=hf.Subsampling(4, 0.9), sizes=[2, 5])
    data = hf.io.read_data("@breast_cancer")
    result = study.run(data, n_jobs=1)
    shown = printed_by_rich(result)
    assert "Features that a second study would find again, by size of the list:" in shown
    assert "A second study of 569 samples would find about" in shown
    selected = result.features[result.features["selected"]]
    expected = selected.groupby(["selector", "size"])["found_again"].sum()
    cells = [[f"{expected[name, size]:.0f}" for size in (2, 5)] for name in ("f_score", "t_score")]
    for name, row in zip(("f_score", "t_score"), cells, strict=True):
        cells_shown = shown.split(f"{name} │ ")[1].replace("*", "").split(" │ ")[:2]
        assert [cell.strip() for cell in cells_shown] == row


def replicated(result, measure="nogueira", chance=0.0):
    """Give a result replication stability of all but the last selector and size."""
    table = result.stability.query("measure == @measure")[["selector", "size", "measure"]]
    found = table.assign(n_samples=15, value=0.6, low=0.4, high=0.8, n_pairs=10, at=30, note="")
    found = found.assign(chance=chance)
    result.replication = found.assign(predicted=0.7, predicted_low=0.5, predicted_high=0.9).iloc[
        :-1
    ]


@pytest.mark.parametrize("measures", [("nogueira",), ("spearman",)])
def test_summary_begins_with_what_a_second_study_would_find(measures):
    made = Made(resamples=subsamples(30, 4), measures=measures)
    result = Result(full(made, forms=("ranks",)))
    assert result.summary()["replication"].isna().all()
    replicated(result, measures[0], chance=0.3)
    table = result.summary()
    names = table.columns.tolist()
    assert names.index("replication") < names.index("predicted") < names.index("stability")
    known = table.dropna(subset="replication")
    assert 0 < len(known) < len(table) == 4
    numbers = ["replication", "replication_low", "replication_high", "replication_chance"]
    assert known[numbers].drop_duplicates().values.tolist() == [[0.6, 0.4, 0.8, 0.3]]
    assert (known["replication_n"] == 15).all()
    numbers = ["predicted", "predicted_low", "predicted_high"]
    assert known[numbers].drop_duplicates().values.tolist() == [[0.7, 0.5, 0.9]]
    assert table["stability"].notna().all()


def test_a_classifier_without_an_error_is_not_the_best():
    errors = pd.DataFrame(
        {
            "selector": ["one", "two", "two"],
            "size": [2, 2, 2],
            "classifier": ["x", "x", "y"],
            "error": [np.nan, np.nan, 0.5],
            "standard_error": [np.nan, np.nan, 0.1],
        }
    )
    made = Made(resamples=subsamples(30, 4), sizes=(2,))
    found = Result(full(made))
    cells = [{"selector": name, "size": 2} for name in ("one", "two")]
    table = summary_table(cells, "nogueira", found.replication, found.stability, errors)
    assert table["classifier"].isna().tolist() == [True, False]
    assert table["classifier"][1] == "y"


@pytest.mark.slow
def test_a_notebook_shows_the_report_whatever_names_hold():
    bad = '<script>alert("x")</script> & <img src=x onerror=y>'
    made = Made(resamples=subsamples(30, 4), selectors=(bad, "two"), classifiers=(f"c{bad}",))
    page = Result(full(made))._repr_html_()
    framed = html.escape(html.escape(bad))  # the page is an attribute of its frame
    assert framed.replace("&amp;quot;", "&amp;#34;") in page.replace("&amp;quot;", "&amp;#34;")
    assert "<script>alert" not in page
    assert "<img" not in page


def test_a_notebook_shows_a_study_that_did_nothing_yet(made):
    assert "o fit is done" in Result(made.store())._repr_html_()


def test_load_opens_what_is_there(made, tmp_path):
    full(made, tmp_path / "run", skip=[(0, 0)]).close()
    result = load(tmp_path / "run")
    assert not result.complete
    assert result.stability["n"].tolist() == [5] * 4 + [6] * 4


def test_load_reads_while_a_run_writes(made, tmp_path):
    store = full(made, tmp_path, skip=[(1, 5)])
    store.connection.execute("BEGIN")
    store.add([made.outcome(1, 5)])
    assert load(tmp_path).n_done == 11
    store.connection.execute("COMMIT")
    assert load(tmp_path).complete


def test_load_refuses_folders_without_a_study(tmp_path):
    with pytest.raises(StoreError, match="no such folder"):
        load(tmp_path / "nowhere")
    with pytest.raises(StoreError, match="no study in this folder"):
        load(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="this is a file"):
        load(tmp_path / "file")
    (tmp_path / FILE).write_bytes(b"something else" * 100)
    with pytest.raises(FileFormatError):
        load(tmp_path)


def test_load_refuses_a_store_without_a_plan(tmp_path):
    Store.create(tmp_path / FILE).close()
    with pytest.raises(StoreError, match="before its plan"):
        load(tmp_path)


def test_load_gives_measures_the_saved_data_unless_they_changed(tmp_path, caplog, monkeypatch):
    caplog.set_level(logging.INFO, "holdfast")
    made = Made(resamples=subsamples(30, 5), measures=("zucknick",))
    store = full(made, tmp_path)
    X = np.random.default_rng(0).normal(size=(30, 12))
    y = np.array(made.labels)[made.y]
    np.savez(tmp_path / "data.npz", X=X, y=y, feature_names=made.names, nominal=np.arange(0))
    assert load(tmp_path).stability["value"].isna().all()
    (told,) = [record for record in caplog.records if "cannot be read again" in record.message]
    assert (told.levelno, told.exc_info) == (logging.INFO, None)
    plan = made.plan()
    data = hf.io.Dataset(X=X, y=y, feature_names=made.names)
    plan["data"]["sha256"] = data.fingerprint
    with store.transaction():
        store.insert("facts", [("plan", json.dumps(plan))], replace=True)
        store.add_plan_checksum()
    monkeypatch.chdir(tmp_path.parent)
    result = load(tmp_path.name)
    monkeypatch.chdir("/")
    assert result.stability["value"].notna().all()


def test_summary_says_how_many_features_were_selected():
    made = Made(resamples=subsamples(30, 6), own=("two",))
    result = Result(full(made))
    table = result.summary().set_index(["selector", "size"])
    assert table.loc[("one", 4), ["selected", "selected_sd"]].tolist() == [4.0, 0.0]
    sizes = result.preferences["two", "own"].sizes.tolist()
    mean, deviation = table.loc[("two", "own"), ["selected", "selected_sd"]]
    assert mean == pytest.approx(statistics.mean(sizes))
    assert deviation == pytest.approx(statistics.stdev(sizes))
    note = result.stability.query("selector == 'two'")["note"].iloc[0]
    assert f"own sizes: mean {mean:.1f}, standard deviation {deviation:.1f}" in note
