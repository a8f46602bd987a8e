"""Parts of a study: written as ``2/3``, or read from the job array that runs this process.

Four schedulers number the tasks of an array in the environment of each task. Only SLURM and Grid
Engine also state the first and the last task. LSF and PBS do not, so the number of tasks must be
given; it is never guessed, as a wrong number would leave units out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from holdfast.errors import InvalidInputError

_EXPLICIT = re.compile(r"(\d{1,9})/(\d{1,9})", re.ASCII)
_AUTO = re.compile(r"auto(?:/(\d{1,9}))?", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class ArrayVariables:
    """Names of the environment variables by which a scheduler describes a job array."""

    scheduler: str
    task: str
    no_task: str = ""
    """Value of `task` in a job that is no array."""
    first: str = ""
    last: str = ""
    step: str = ""
    count: str = ""


SCHEDULERS = (
    ArrayVariables(
        scheduler="SLURM",
        task="SLURM_ARRAY_TASK_ID",
        first="SLURM_ARRAY_TASK_MIN",
        last="SLURM_ARRAY_TASK_MAX",
        step="SLURM_ARRAY_TASK_STEP",
        count="SLURM_ARRAY_TASK_COUNT",
    ),
    ArrayVariables(
        scheduler="Grid Engine",
        task="SGE_TASK_ID",
        no_task="undefined",
        first="SGE_TASK_FIRST",
        last="SGE_TASK_LAST",
        step="SGE_TASK_STEPSIZE",
    ),
    ArrayVariables(scheduler="LSF", task="LSB_JOBINDEX", no_task="0"),
    ArrayVariables(scheduler="PBS", task="PBS_ARRAY_INDEX"),
)


@dataclass(frozen=True)
class StudyPart:
    """Part `number` of `count` of the units of a study, counted from 1; by default all units."""

    number: int = 1
    count: int = 1

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"


def parse_part(text: str, environment: Mapping[str, str] = os.environ) -> StudyPart:
    """Return the part that a text names.

    Parameters
    ----------
    text : str
        ``"2/3"``: the second of three parts. ``"auto"``: the task of the job array that runs this
        process. ``"auto/3"``: its number, in an array of three tasks.
    environment : mapping
        The environment variables.

    Returns
    -------
    StudyPart

    Raises
    ------
    InvalidInputError
        The text has another form, or the environment does not say which part this is.

    Examples
    --------
    >>> from holdfast._study_part import parse_part
    >>> parse_part("2/3")
    StudyPart(number=2, count=3)
    >>> parse_part("auto/3", {"PBS_ARRAY_INDEX": "2"})
    StudyPart(number=2, count=3)
    """
    if match := _AUTO.fullmatch(str(text)):
        return _read_array_task(environment, None if match[1] is None else int(match[1]))
    match = _EXPLICIT.fullmatch(str(text))
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise InvalidInputError(
            "expected a part such as 1/3, 2/3 or 3/3, or in a job array auto or auto/3; "
            f"got {text!r}."
        )
    return StudyPart(int(match[1]), int(match[2]))


def _read_array_task(environment: Mapping[str, str], count: int | None) -> StudyPart:
    """Return the part of the array task that runs this process, of `count` parts if given."""
    arrays = [
        names
        for names in SCHEDULERS
        if environment.get(names.task, names.no_task) not in ("", names.no_task)
    ]
    if not arrays:
        known = ", ".join(names.task for names in SCHEDULERS)
        raise InvalidInputError(
            f"part auto needs a task of a job array, but the environment names none ({known}). "
            "Submit the job as an array, as in sbatch --array=1-3, or give the part, as in 1/3."
        )
    if len(arrays) > 1:
        tasks = " and ".join(f"{names.task}={environment[names.task]}" for names in arrays)
        raise InvalidInputError(
            f"part auto is ambiguous: the environment has {tasks}. Unset all but one, or give the "
            "part, as in 1/3."
        )
    (names,) = arrays
    task = _read_number(environment, names, names.task)
    if count is not None:
        return _check_task(names, task, count)
    return _read_whole_array(environment, names, task)


def _check_task(names: ArrayVariables, task: int, count: int) -> StudyPart:
    if not 1 <= task <= count:
        raise InvalidInputError(
            f"part auto/{count} needs a task from 1 to {count}, but {names.task} is {task}. Number "
            f"the tasks of the array 1-{count}, or correct the number of parts."
        )
    return StudyPart(task, count)


def _read_whole_array(
    environment: Mapping[str, str], names: ArrayVariables, task: int
) -> StudyPart:
    """Return the part from the first and last task, which must be those of the whole study."""
    remedy = "Give the number of parts, as in --part auto/3, in an array of the tasks 1-3."
    if not names.first:
        raise InvalidInputError(
            f"part auto cannot know how many tasks this array has: {names.scheduler} does not "
            f"state its first task. {remedy}"
        )
    first = _read_number(environment, names, names.first)
    last = _read_number(environment, names, names.last)
    # early versions of SLURM do not export the step
    step = _read_number(environment, names, names.step) if names.step in environment else 1
    count = (last - first) // max(step, 1) + 1
    array = f"the array {first}-{last}" + (f":{step}" if step > 1 else "")
    if not first <= task <= last or step < 1 or (task - first) % step:
        raise InvalidInputError(f"part auto: task {task} is none of {array}. {remedy}")
    stated = _read_number(environment, names, names.count) if names.count else count
    if stated != count:
        raise InvalidInputError(
            f"part auto needs an array without gaps, but {array} has {stated} tasks. {remedy}"
        )
    if first > 1 or count == 1:
        raise InvalidInputError(
            f"part auto needs all tasks in one array, but {array} may repeat a few tasks of a "
            f"larger one. {remedy} An array of one task needs no --part."
        )
    return StudyPart((task - first) // step + 1, count)


def _read_number(environment: Mapping[str, str], names: ArrayVariables, variable: str) -> int:
    text = environment.get(variable, "")
    if re.fullmatch(r"\d{1,9}", text, re.ASCII) is None:
        raise InvalidInputError(
            f"part auto: {names.scheduler} should set {variable} to a number, but it is {text!r}. "
            "Give the part, as in 1/3."
        )
    return int(text)
