"""Plans that read their data from what is no file, or by options that no reader has."""

import json
import os
import shutil
from pathlib import Path

import pandas as pd
import pytest

import holdfast as hf
from holdfast.errors import FileFormatError, HoldfastError, StoreError
from tests.study.crafted_plans import X, Y, copy_with
from tests.waiting import hang_limit

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
GCT = "#1.2\n1\t2\nName\tDescription\tS1\tS2\ng\t\t1\t2\n"


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return the folder of a study whose data are in a file."""
    folder = tmp_path_factory.mktemp("whole")
    table = pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])]).assign(**{"class": Y})
    table.to_csv(folder / "data.csv", index=False)
    study = hf.Study(
        "f_score", protocol=hf.Subsampling(4, 0.8), sizes=[2], classifiers=["knn3"], replication=0
    )
    data = hf.io.read_data(folder / "data.csv", classes=True)
    study.run(data, out=folder / "run", n_jobs=1).store.close()
    return folder


@pytest.fixture
def crafted(whole, tmp_path):
    """Return a function that copies the study with another source of its data."""
    os.mkfifo(tmp_path / "pipe.csv")
    os.mkfifo(tmp_path / "pipe.cls")
    (tmp_path / "device.csv").symlink_to("/dev/zero")
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "labels.gct").write_text(GCT)

    def craft(source):
        plan = hf.load(whole / "run").plan
        plan["data"]["source"] = {
            key: str(tmp_path / value) if str(value).endswith((".csv", ".cls", ".gct")) else value
            for key, value in source.items()
        }
        return copy_with(whole / "run", tmp_path / "run", text=json.dumps(plan))

    return craft


NO_FILES = {"pipe": "pipe.csv", "device": "device.csv", "folder": "folder.csv"}
UNKNOWN = ["encoding", "progress", "source", "self", "X"]


def check_that_all_but_resume_read_it(folder, tmp_path):
    """Check that tables, report, merge and check need no data."""
    with hang_limit("reading the study"):
        assert len(hf.load(folder).stability)
        assert hf.load(folder).report(tmp_path / "report")
        assert hf.merge([folder], tmp_path / "merged").complete
        assert hf.check(folder).intact


@pytest.mark.parametrize("kind", NO_FILES)
def test_a_source_that_is_no_file_is_refused_and_not_waited_for(kind, crafted, whole, tmp_path):
    folder = crafted({"file": NO_FILES[kind], "classes": True})
    with (
        hang_limit("resuming"),
        pytest.raises(StoreError, match=rf"{NO_FILES[kind]}, which is not a regular file"),
    ):
        hf.resume(folder, n_jobs=1)
    check_that_all_but_resume_read_it(folder, tmp_path)
    with hang_limit("resuming"):
        assert hf.resume(folder, data=whole / "data.csv", n_jobs=1).complete


def test_labels_in_a_pipe_are_not_waited_for(crafted, tmp_path):
    folder = crafted({"file": "labels.gct", "target": "pipe.cls"})
    with hang_limit("resuming"), pytest.raises(FileFormatError, match=r"cls: this is not a regul"):
        hf.resume(folder, n_jobs=1)
    check_that_all_but_resume_read_it(folder, tmp_path)


@pytest.mark.parametrize("option", UNKNOWN)
def test_an_option_of_another_version_is_named(option, crafted, tmp_path):
    folder = crafted({"file": "@wine", option: 5})
    with pytest.raises(StoreError, match=rf"version of holdfast does not have \({option}\)"):
        hf.resume(folder, n_jobs=1)
    check_that_all_but_resume_read_it(folder, tmp_path)


ODD_VALUES = [{}, {"a": 1}, [[1]], [None], 1.5, True, -1, 2**53, "", "\0", 10**15]
ODD_FILES = ["", "\0", "@", "@nothing", "/", "x" * 5000]


@pytest.mark.parametrize("option", ["target", "drop", "nominal", "groups", "cohort", "positive"])
def test_odd_values_of_options_give_one_error(option, crafted, whole):
    folder = crafted({"file": str(whole / "data.csv"), "classes": True})
    for value in ODD_VALUES:
        document = {"file": str(whole / "data.csv"), "classes": True, option: value}
        check_that_it_is_read_or_refused(folder, document)


@pytest.mark.parametrize("file", ODD_FILES)
def test_odd_names_of_files_give_one_error(file, crafted):
    check_that_it_is_read_or_refused(crafted({"file": file}), {"file": file})


def check_that_it_is_read_or_refused(folder: Path, source):
    """Check that a source gives the data, or an error of the library."""
    plan = hf.load(folder).plan
    plan["data"]["source"] = source
    copy = copy_with(folder, folder.with_name("copy"), text=json.dumps(plan))
    with hang_limit("resuming"):
        found = outcome(copy)
    assert found is True or isinstance(found, HoldfastError)
    shutil.rmtree(copy)


def outcome(folder):
    """Return whether a study is complete when it was resumed, or the error that refuses it."""
    try:
        return hf.resume(folder, n_jobs=1).complete
    except HoldfastError as error:
        return error
