"""A selector that fails, hangs or kills its process spoils its own unit and no other."""

import re
import shutil

import pytest

import holdfast as hf
from tests.study.run_folders import contents, units
from tests.study.runs import Order, finished, once
from tests.study.selectors import Narrow, Odd, OddInBlocks

pytestmark = pytest.mark.integration

RESAMPLES = 16  # blocks of two
TIMEOUT = 10  # seconds: far more than any other unit takes on a busy machine
FAULTS = {
    "raises": ("raise", 3, r"ZeroDivisionError: the data are beneath me"),
    "leaves": ("leave", 5, r"SystemExit: enough"),
    "is_no_number": ("nan", 4, r"InvalidInputError: row 0, feature 3 holds nan; .*"),
    "sleeps": ("sleep", 0, r"took longer than the time limit"),
    "spins": ("spin", 0, r"took longer than the time limit"),
    "crashes": ("crash", 0, r"its process died \(SIGSEGV\(-11\)\)"),
}
IN_BLOCKS = {
    "raises_in_blocks": ("raise", 5, r"ZeroDivisionError: the data are beneath me"),
    "is_killed_in_blocks": ("be_killed", 1, r"its process died \(SIGKILL\(-9\)\)"),
}


def study(mended):
    odd = {name: Odd(deed, at, str(mended)) for name, (deed, at, _) in FAULTS.items()}
    blocks = {name: OddInBlocks(deed, at, str(mended)) for name, (deed, at, _) in IN_BLOCKS.items()}
    fine = {"dies_once": Odd("die_once", 3, str(mended)), "narrow": Narrow("nothing", 0)}
    return {
        "selectors": {**odd, **blocks, **fine, "t_score": "t_score"},
        "protocol": hf.Subsampling(RESAMPLES, 0.9),
        "replication": 0,
        "sizes": [5],
        "classifiers": (),
    }


def make(folder):
    """Run the study with faults; then, mended, go on with a copy of it, and run it anew."""
    mended, options = folder / "mended", {"n_jobs": 2, "timeout": TIMEOUT}
    finished(folder, Order(folder / "faulty", study(mended), options))
    shutil.copytree(folder / "faulty", folder / "resumed")
    mended.touch()
    finished(folder, Order(folder / "resumed", None, options))
    finished(folder, Order(folder / "whole", study(mended), options))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return once(tmp_path_factory, "faults", make)


@pytest.fixture(scope="module")
def found(folder):
    return units(folder / "faulty")


@pytest.mark.parametrize("name", [*FAULTS, *IN_BLOCKS])
def test_one_unit_fails_and_says_why(name, found):
    _, at, message = {**FAULTS, **IN_BLOCKS}[name]
    failed = {unit: why for unit, why in found.items() if unit[0] == name and why is not None}
    assert list(failed) == [(name, at)]
    assert re.fullmatch(message, failed[name, at])


def test_no_unit_is_left_out(found):
    assert len(found) == RESAMPLES * (len(FAULTS) + len(IN_BLOCKS) + 3)


@pytest.mark.parametrize("name", ["dies_once", "narrow", "t_score"])
def test_what_works_when_tried_again_is_no_failure(name, found):
    assert [found[name, resample] for resample in range(RESAMPLES)] == [None] * RESAMPLES


def test_resuming_tries_failed_units_again(folder, tmp_path):
    resumed = contents(folder / "resumed", tmp_path)
    assert resumed == contents(folder / "whole", tmp_path)
    assert set(units(folder / "resumed").values()) == {None}
