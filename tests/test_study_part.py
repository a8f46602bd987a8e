"""Parts of a study: ``2/3``, and ``auto`` in the environments of four schedulers."""

import re

import pytest

import holdfast as hf
from holdfast._study_part import StudyPart, parse_part
from holdfast.errors import InvalidInputError
from holdfast.study._execution._execute import ExecutionOptions


def slurm(task, first, last, count, step=1):
    return {
        "SLURM_ARRAY_TASK_ID": str(task),
        "SLURM_ARRAY_TASK_MIN": str(first),
        "SLURM_ARRAY_TASK_MAX": str(last),
        "SLURM_ARRAY_TASK_COUNT": str(count),
        "SLURM_ARRAY_TASK_STEP": str(step),
    }


def grid_engine(task, first, last, step=1):
    return {
        "SGE_TASK_ID": str(task),
        "SGE_TASK_FIRST": str(first),
        "SGE_TASK_LAST": str(last),
        "SGE_TASK_STEPSIZE": str(step),
    }


NO_ARRAY = {"SGE_TASK_ID": "undefined", "LSB_JOBINDEX": "0", "PBS_ARRAY_INDEX": ""}
"""What jobs that are no arrays have in their environment."""


def without(environment, name):
    return {key: value for key, value in environment.items() if key != name}


@pytest.mark.parametrize("text", ["1/1", "1/3", "3/3", "12/400"])
def test_explicit_parts_are_what_they_say(text):
    assert str(parse_part(text, slurm(2, 1, 3, 3))) == text


@pytest.mark.parametrize(
    "text",
    [
        *("", "0/3", "4/3", "1", "1/", "/3", "-1/3", "1/3/5", "a/3", "1.0/3", "²/3", " 1/3", 2),
        *("Auto", "auto/", "auto/0x3", "auto3", "1/9999999999"),
    ],
)
def test_other_texts_are_refused(text):
    with pytest.raises(InvalidInputError, match=re.escape(f"auto/3; got {text!r}.")):
        parse_part(text, slurm(1, 1, 3, 3))


@pytest.mark.parametrize(
    ("environment", "part"),
    [
        (slurm(1, 1, 3, 3), (1, 3)),
        (slurm(3, 1, 3, 3), (3, 3)),
        (slurm(0, 0, 9, 10), (1, 10)),
        (slurm(9, 0, 9, 10), (10, 10)),
        (slurm(5, 1, 9, 5, step=2), (3, 5)),
        (slurm(4, 0, 5, 3, step=2), (3, 3)),  # --array=0-5:2 has no task 5
        (without(slurm(2, 1, 3, 3), "SLURM_ARRAY_TASK_STEP"), (2, 3)),
        ({**slurm(2, 1, 3, 3), **NO_ARRAY}, (2, 3)),
        (grid_engine(2, 1, 3), (2, 3)),
        (grid_engine(7, 1, 10, step=3), (3, 4)),
    ],
)
def test_auto_is_the_task_of_the_array(environment, part):
    assert parse_part("auto", environment) == StudyPart(*part)


@pytest.mark.parametrize("count", [2, 3, 7])
@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("step", [1, 2, 5])
def test_the_tasks_of_an_array_are_all_parts_once(count, first, step):
    tasks = range(first, first + count * step, step)
    found = [parse_part("auto", slurm(i, first, tasks[-1], count, step)) for i in tasks]
    assert found == [StudyPart(i, count) for i in range(1, count + 1)]


@pytest.mark.parametrize(
    "environment",
    [
        slurm(2, 2, 2, 1),  # one task of a larger array, submitted again
        grid_engine(2, 2, 2),
        {"LSB_JOBINDEX": "2"},
        {"PBS_ARRAY_INDEX": "2"},
        {**NO_ARRAY, "LSB_JOBINDEX": "2"},
    ],
)
def test_a_stated_number_of_parts_needs_the_number_of_the_task_only(environment):
    assert parse_part("auto/3", environment) == StudyPart(2, 3)


@pytest.mark.parametrize(
    ("text", "environment", "message"),
    [
        ("auto", {}, "the environment names none (SLURM_ARRAY_TASK_ID, SGE_TASK_ID, LSB_JOBINDEX"),
        ("auto", NO_ARRAY, "or give the part, as in 1/3."),
        ("auto/3", NO_ARRAY, "sbatch --array=1-3"),
        ("auto", {"PBS_ARRAY_INDEX": "1"}, "PBS does not state its first task. Give the number"),
        ("auto", {"LSB_JOBINDEX": "2", "LSB_JOBINDEX_END": "4"}, "LSF does not state its first"),
        ("auto", slurm(3, 1, 7, 3), "without gaps, but the array 1-7 has 3 tasks"),
        ("auto", slurm(4, 1, 7, 4, step=2), "task 4 is none of the array 1-7:2"),
        ("auto", slurm(9, 1, 3, 3), "task 9 is none of the array 1-3"),
        ("auto", slurm(2, 1, 3, 3, step=0), "task 2 is none of the array 1-3"),
        ("auto", slurm(2, 2, 3, 2), "the array 2-3 may repeat a few tasks of a larger one"),
        ("auto", slurm(1, 1, 1, 1), "An array of one task needs no --part."),
        ("auto", grid_engine(5, 5, 8), "the array 5-8 may repeat"),
        ("auto", without(slurm(1, 1, 3, 3), "SLURM_ARRAY_TASK_MAX"), "TASK_MAX to a number, but"),
        ("auto", slurm(1, 1, 3, "three"), "SLURM_ARRAY_TASK_COUNT to a number, but it is 'three'"),
        ("auto", slurm("x", 1, 3, 3), "SLURM_ARRAY_TASK_ID to a number, but it is 'x'"),
        ("auto", slurm(1, 1, 3, 3) | grid_engine(1, 1, 3), "SLURM_ARRAY_TASK_ID=1 and SGE_TASK_ID"),
        ("auto/3", slurm(0, 0, 2, 3), "Number the tasks of the array 1-3"),
        ("auto/3", slurm(4, 1, 4, 4), "needs a task from 1 to 3, but SLURM_ARRAY_TASK_ID is 4"),
    ],
)
def test_nothing_is_guessed(text, environment, message):
    with pytest.raises(InvalidInputError, match=re.escape(message)):
        parse_part(text, environment)


def test_a_run_reads_its_part_from_the_environment(monkeypatch):
    for name, value in slurm(2, 1, 3, 3).items():
        monkeypatch.setenv(name, value)
    options = ExecutionOptions(n_jobs=1, part="auto")
    assert [position for position in range(9) if options.includes(position)] == [1, 4, 7]
    wine = hf.io.read_data("@wine")
    study = hf.Study(
        lambda X, y: X[0], protocol=hf.Subsampling(9, 0.9), classifiers=(), replication=0
    )
    result = study.run(wine, n_jobs=1, part="auto")
    assert result.n_done == 3
