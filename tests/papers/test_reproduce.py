"""Experiments run again: numbers, findings, what is kept, what is refused."""

import json
import shutil

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import FileFormatError, InvalidInputError, StoreError, UnknownNameError
from holdfast.papers import list_papers, reproduce
from holdfast.papers._document import to_json, to_json_value
from tests.papers.sample import NAME, SIMULATED, STABILITY


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
def made(sample, folder):
    return reproduce(NAME, out=folder, n_jobs=1, datasets=["wine", "breast_cancer"])


def test_numbers_are_those_of_the_study(made, folder):
    table = made[0].table
    wine = hf.load(folder / "studies" / f"{NAME}-wine-reduced")
    values = table.set_index(["data", "setting", "selector"])["value"]
    for size, setting in ((2, "two"), (3, "three")):
        for selector in ("F", "random"):
            ours = hf.measure("jaccard", wine.preferences[selector, size])
            assert values["wine", setting, selector] == pytest.approx(ours)
    first = table.iloc[0]
    assert first["difference"] == first["value"] - 0.9


def test_means_are_over_data_sets_that_both_have(made):
    means = made[0].table.query("data == 'mean of these' and setting == 'two' and selector == 'F'")
    assert means["published"].tolist() == [pytest.approx(0.7)]


def test_findings_by_setting(made):
    found = made[0].findings
    assert found["setting"].tolist() == ["two", "three", "two", "two"]
    assert found["status"].tolist() == ["held", "held", "not held", "cannot be checked"]
    assert found["evidence"].tolist()[0] == "on 2 data sets"
    assert "Of 3 findings of the paper, 1 held, 1 did not, 1 cannot be checked" in repr(made[0])


def test_the_document_says_what_was_run(made):
    told = made[0].document
    assert told["command"] == f"holdfast reproduce {NAME} table --datasets wine,breast_cancer"
    assert (told["seed"], told["full"], told["size"]) == (0, False, "4 resamples")
    assert told["holdfast"] == hf.__version__
    wine, cancer, sonar, stroke = told["data"]
    assert (wine["samples"], wine["features"], wine["published"]) == (178, 13, [178, 14])
    assert cancer["used"]
    assert "no folder" in sonar["why_not"]
    assert "not published" in stroke["why_not"]
    assert told["terms"] == {"F": "the F statistic"}
    assert made[1].document["command"] == f"holdfast reproduce {NAME} figure1"


def test_a_second_run_opens_what_is_kept_and_gives_the_same_bytes(made, folder, monkeypatch):
    before = [to_json(one.document) for one in made]
    monkeypatch.setattr(
        "holdfast.study._execution._unit.UnitRunner.run", None
    )  # nothing may be worked off
    monkeypatch.setattr("pandas.DataFrame.to_csv", None)
    again = reproduce(NAME, out=folder, n_jobs=1, datasets=["wine", "breast_cancer"])
    assert [to_json(one.document) for one in again] == before


@pytest.mark.integration
def test_two_processes_give_the_same_bytes(made, tmp_path):
    (other,) = reproduce(NAME, "table", out=tmp_path, n_jobs=2, datasets=["wine", "breast_cancer"])
    assert to_json(other.document) == to_json(made[0].document)


def test_an_interrupted_run_goes_on(sample, tmp_path):
    class Impatient:
        def studying(self, name):
            if name == "breast_cancer":
                raise KeyboardInterrupt

        making = studying

    full = {"full": True, "out": tmp_path, "n_jobs": 1}
    with pytest.raises(KeyboardInterrupt):
        reproduce(NAME, "table", watcher=Impatient(), **full)
    kept = tmp_path / "studies" / f"{NAME}-wine-full"
    before = (kept / "study.sqlite").read_bytes()
    (made,) = reproduce(NAME, "table", **full)
    assert (kept / "study.sqlite").read_bytes() == before
    assert made.document["full"]
    assert hf.load(kept).n_resamples == 6


def test_seeds_have_studies_of_their_own(sample, tmp_path):
    (one,) = reproduce(NAME, "table", out=tmp_path, n_jobs=1, random_state=3)
    assert one.document["command"].endswith("table --seed 3")
    assert [path.name for path in (tmp_path / "studies").iterdir()] == [
        f"{NAME}-wine-reduced-seed3"
    ]
    random = one.table.query("selector == 'random' and setting == 'three'")["value"].tolist()
    (other,) = reproduce(NAME, "table", out=tmp_path, n_jobs=1, random_state=4)
    assert (
        other.table.query("selector == 'random' and setting == 'three'")["value"].tolist() != random
    )


def test_another_study_in_the_folder_is_refused_unless_forced(sample, tmp_path):
    place = tmp_path / "studies" / f"{NAME}-wine-reduced"
    hf.Study("f_score", protocol=hf.Subsampling(3, 0.5), classifiers=(), replication=0).run(
        hf.io.read_data("@wine"), out=place, n_jobs=1
    )
    with pytest.raises(StoreError):
        reproduce(NAME, "table", out=tmp_path, n_jobs=1)
    reproduce(NAME, "table", out=tmp_path, n_jobs=1, force=True)
    assert hf.load(place).selectors == ("F", "random")
    shutil.rmtree(place)
    place.mkdir()
    (place / "mine.txt").write_text("keep", encoding="utf-8")
    with pytest.raises(StoreError):
        reproduce(NAME, "table", out=tmp_path, n_jobs=1, force=True)
    assert (place / "mine.txt").read_text(encoding="utf-8") == "keep"


def test_tables_of_another_version_are_made_again(sample, tmp_path):
    reproduce(NAME, "figure1", out=tmp_path)
    place = tmp_path / "tables" / f"{NAME}-drawn-reduced"
    (place / "drawn.csv").write_text("n,value\n7,0.5\n", encoding="utf-8")
    (kept,) = reproduce(NAME, "figure1", out=tmp_path)
    assert kept.table["n"].tolist() == [7]
    (place / "made.json").write_text(json.dumps({"holdfast": "0.0.1"}), encoding="utf-8")
    (made,) = reproduce(NAME, "figure1", out=tmp_path)
    assert made.table["n"].tolist() == [1, 2]


def test_what_does_not_exist_is_reported_with_the_nearest(sample):
    with pytest.raises(UnknownNameError, match="Did you mean 'saeys2008'"):
        reproduce("saey2008")
    with pytest.raises(UnknownNameError, match="Did you mean 'figure1'"):
        reproduce(NAME, "figur1")
    with pytest.raises(InvalidInputError, match="name one paper to choose"):
        reproduce("all", "table")


def test_without_any_data_the_reason_is_reported_before_work(monkeypatch, tmp_path):
    monkeypatch.delenv("HOLDFAST_DATA", raising=False)
    with pytest.raises(FileFormatError, match="saeys2008 table2 cannot be run: none of its data"):
        reproduce("saeys2008", "table2", out=tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_broken_file_is_reported_before_work(sample, tmp_path):
    (tmp_path / "sonar.csv").write_text("f0,class\nx,a\n", encoding="utf-8")
    with pytest.raises(FileFormatError, match=r"sonar\.csv"):
        reproduce(NAME, data=tmp_path, out=tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_papers_are_listed_with_what_is_at_hand(sample):
    table = list_papers().query("paper == @NAME").set_index("experiment")
    assert table.loc["table", "at_hand"] == ("wine", "breast_cancer")
    assert table.loc["table", "missing"] == ("sonar", "stroke")
    assert table.loc["figure1", "at_hand"] == ()
    assert table["claims"].tolist() == [len(STABILITY.claims), len(SIMULATED.claims)]


def test_numbers_that_are_none_are_null_in_json():
    told = to_json_value({"a": [np.float64(0.5), np.nan], "b": {"c": np.inf, "n": np.int64(3)}})
    assert json.loads(to_json(told)) == {"a": [0.5, None], "b": {"c": None, "n": 3}}
