"""A Dask cluster gives what local processes give, and may lose its workers, or its scheduler."""

import os
import random
import re
import signal

import pytest

import holdfast as hf
from tests.study.cluster import cluster
from tests.study.run_folders import contents, units
from tests.study.runs import STUDY, Order, Started, finished, undisturbed
from tests.study.selectors import Gated, Odd, OddInBlocks
from tests.waiting import until

pytestmark = pytest.mark.integration

OTHER_NUMPY = """
import holdfast.study._execution._worker as worker
true = worker.versions()
worker.versions = lambda: {**true, "numpy": "0.1"}
"""


@pytest.fixture(scope="module")
def dask(tmp_path_factory):
    with cluster(tmp_path_factory.mktemp("dask")) as started:
        yield started


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return contents(undisturbed(tmp_path_factory), tmp_path_factory.mktemp("expected"))


def test_one_local_process_gives_the_same_bytes_as_two(expected, tmp_path):
    assert finished(tmp_path, Order(tmp_path / "run", STUDY, {"n_jobs": 1})) == {"error": None}
    assert contents(tmp_path / "run", tmp_path) == expected


def test_two_dask_workers_give_the_same_bytes_as_two_local_processes(dask, expected, tmp_path):
    order = Order(tmp_path / "run", STUDY, scheduler=dask.address)
    assert finished(tmp_path, order) == {"error": None}
    assert contents(tmp_path / "run", tmp_path) == expected


def test_a_dask_worker_that_is_killed_changes_nothing(dask, expected, tmp_path):
    before = len(dask.begun())
    run = Started(tmp_path, Order(tmp_path / "run", STUDY, scheduler=dask.address))
    until(lambda: len(dask.begun()) > before + 20, "units are begun")
    os.kill(dask.begun()[-1], signal.SIGKILL)
    assert run.wait() == {"error": None}
    assert contents(tmp_path / "run", tmp_path) == expected


KILLS = 5
VICTIMS = ("parent", "worker", "both")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_a_run_on_dask_killed_at_five_random_moments_ends_with_the_same_bytes(
    seed, dask, expected, tmp_path
):
    moments = random.Random(seed)
    folder = tmp_path / "run"
    for _ in range(KILLS):
        run = Started(tmp_path, Order(folder, STUDY, scheduler=dask.address))
        wait_for_more(dask, moments.randint(1, 30))
        victims = moments.choice(VICTIMS)
        if victims != "parent":
            os.kill(dask.begun()[-1], signal.SIGKILL)
        if victims == "worker":  # the run goes on before the next disturbance
            wait_for_more(dask, 1)
        assert run.kill()
        until(lambda run=run: not run.leftovers(), "what a killed run left is gone")
        assert len(units(folder)) < 600  # there was work to spoil
    order = Order(folder, None, scheduler=dask.address)
    assert finished(tmp_path, order) == {"error": None}
    assert contents(folder, tmp_path) == expected


def wait_for_more(dask, count):
    """Wait until the workers began more units."""
    before = len(dask.begun())
    until(lambda: len(dask.begun()) >= before + count, "units are begun")


def test_dask_workers_with_other_versions_are_refused(dask, tmp_path):
    (tmp_path / "other.py").write_text(OTHER_NUMPY)
    other = dask.add_workers(1, "--preload", str(tmp_path / "other.py"))
    try:
        said = finished(tmp_path, Order(tmp_path / "run", STUDY, scheduler=dask.address))
    finally:
        dask.remove(other)
    assert said["error"] == "StudyError"
    assert re.match(r"tcp://127.0.0.1:\d+ has numpy 0.1, not ", said["message"])


@pytest.fixture
def gated(tmp_path):
    """Return a study that waits for a file from resample 20 on, and the file."""
    gate = tmp_path / "gate"
    selectors = {"gated": Gated(str(gate), 20)}
    return {"selectors": selectors, "protocol": hf.Subsampling(60, 0.9), "replication": 0}, gate


def waits_at_gate(dask):
    lines = dask.log.read_text().splitlines() if dask.log.exists() else []
    return any(int(line.split()[1]) >= 20 for line in lines)


def test_workers_may_join_and_leave_during_a_run(gated, tmp_path):
    study, gate = gated
    with cluster(tmp_path, workers=0) as dask:
        first = dask.add_workers(1)
        run = Started(tmp_path, Order(tmp_path / "run", study, scheduler=dask.address))
        until(lambda: waits_at_gate(dask), "the first worker waits")
        dask.add_workers(1)
        until(lambda: len({*dask.begun()}) > 1, "the second worker waits")
        dask.remove(first)
        gate.touch()
        assert run.wait() == {"error": None}
    assert len(units(tmp_path / "run")) == 60
    order = Order(tmp_path / "local", study, {"n_jobs": 1})
    assert finished(tmp_path, order) == {"error": None}
    assert contents(tmp_path / "run", tmp_path) == contents(tmp_path / "local", tmp_path)


def test_a_worker_with_another_numpy_that_joins_ends_the_run_and_loses_nothing(gated, tmp_path):
    study, gate = gated
    (tmp_path / "other.py").write_text(OTHER_NUMPY)
    with cluster(tmp_path, workers=0) as dask:
        dask.add_workers(1)
        run = Started(tmp_path, Order(tmp_path / "run", study, scheduler=dask.address))
        until(lambda: waits_at_gate(dask), "the first worker waits")
        dask.add_workers(1, "--preload", str(tmp_path / "other.py"))
        said = run.wait()
        gate.touch()
    assert said["error"] == "StudyError"
    assert re.match(r"tcp://127.0.0.1:\d+ has numpy 0.1, not \d.*: all proc", said["message"])
    assert 0 < len(units(tmp_path / "run")) < 60
    assert finished(tmp_path, Order(tmp_path / "run", None, {"n_jobs": 1})) == {"error": None}
    assert len(units(tmp_path / "run")) == 60


def test_a_scheduler_that_is_killed_ends_the_run_and_what_was_done_is_kept(expected, tmp_path):
    folder = tmp_path / "run"
    with cluster(tmp_path) as dask:
        run = Started(tmp_path, Order(folder, STUDY, scheduler=dask.address))
        until(lambda: len(dask.begun()) > 50, "units are begun")
        dask.scheduler.kill()
        said = run.wait()
    assert said["error"] == "StudyError"
    assert re.search(r"cannot be reached any more. Finished units are kept", said["message"])
    assert 0 < len(units(folder)) < 600
    assert finished(tmp_path, Order(folder, None, {"n_jobs": 2})) == {"error": None}
    assert contents(folder, tmp_path) == expected


FAULTS = {
    "raises": ("raise", 3, r"ZeroDivisionError: the data are beneath me"),
    "is_no_number": ("nan", 4, r"InvalidInputError: row 0, feature 3 holds nan; .*"),
    "spins": ("spin", 0, r"its Dask workers died, or 15 s were not enough"),
    "crashes": ("crash", 3, r"its Dask workers died, or 15 s were not enough"),
}


@pytest.mark.slow
def test_on_dask_too_a_fault_spoils_its_own_unit_and_no_other(dask, tmp_path):
    mended = str(tmp_path / "mended")
    odd = {name: Odd(deed, at, mended) for name, (deed, at, _) in FAULTS.items()}
    fine = {"dies_once": Odd("die_once", 2, mended), "t_score": "t_score"}
    in_blocks = {"in_blocks": OddInBlocks("raise", 5, mended)}
    study = {
        "selectors": {**odd, **in_blocks, **fine},
        "protocol": hf.Subsampling(16, 0.9),
        "replication": 0,
        "sizes": [5],
        "classifiers": (),
    }
    order = Order(tmp_path / "run", study, {"timeout": 15}, scheduler=dask.address)
    assert finished(tmp_path, order) == {"error": None}
    found = units(tmp_path / "run")
    failed = {unit: why for unit, why in found.items() if why is not None}
    assert len(found) == 16 * 7
    assert set(failed) == {(name, at) for name, (_, at, _) in FAULTS.items()} | {("in_blocks", 5)}
    for name, (_, at, message) in FAULTS.items():
        assert re.fullmatch(message, failed[name, at])


ESCAPES = {
    "leaves": ("leave", "SystemExit: enough"),
    "raises_base_exception": ("raise_base_exception", "Farewell: not for you"),
    "ignores_alarm": ("ignore_alarm", "its Dask workers died, or 5 s were not enough"),
}


@pytest.mark.slow
def test_on_dask_too_a_selector_that_escapes_fails_alone(dask, tmp_path):
    study = {
        "selectors": {name: Odd(deed, 1) for name, (deed, _) in ESCAPES.items()} | {"t": "t_score"},
        "protocol": hf.Subsampling(4, 0.9),
        "replication": 0,
        "sizes": [5],
        "classifiers": (),
    }
    order = Order(tmp_path / "run", study, {"timeout": 5}, scheduler=dask.address)
    assert finished(tmp_path, order) == {"error": None}
    found = units(tmp_path / "run")
    assert len(found) == 4 * (len(ESCAPES) + 1)
    failed = {unit: why for unit, why in found.items() if why is not None}
    assert failed == {(name, 1): why for name, (_, why) in ESCAPES.items()}
