"""What is known about a paper and its experiments before any of them is run again."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdfast._bibliography import REFERENCES
from holdfast._formatting import did_you_mean
from holdfast.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from holdfast.papers._comparison import Claim
    from holdfast.papers._runner import ExperimentResult, ExperimentRunner


REDUCED, FULL = 0, 1
"""Places in pairs of sizes and times."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One way to run an experiment where the paper leaves something open.

    Attributes
    ----------
    name : str
        A few words.
    title : str
        What is done, in a sentence or two.
    """

    name: str
    title: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Experiment:
    """A table or a figure of a paper.

    Attributes
    ----------
    name, label : str
        Its name on the command line and in the paper: ``"table2"``, ``"Table 2"``.
    title : str
        What it shows.
    make : callable
        From a workshop to what came out.
    size : pair of str
        How large a run is, reduced and full, in words.
    data : tuple of str
        The data sets of the paper, by name; none for simulated ones.
    reduced : tuple of str
        Those that a reduced run takes.
    work : tuple of str
        Pieces of work, for the time that a run takes; see `Paper.seconds`.
    keys : tuple of str
        The columns that tell a number from others; the last ones head the columns of the table.
    n_heads : int
        How many of the keys head columns.
    part : str, optional
        The key that tells scales apart: numbers that differ in it are not pooled.
    digits : int
        Decimals that are shown.
    mean_over : str, optional
        The key whose values are averaged in further rows, ours and the published ones alike.
    settings : tuple of Setting
        The ways in which it is run, the main one first.
    choices : tuple of str
        What the paper leaves open, and what was chosen.
    claims : tuple of Claim
        What the paper states.
    """

    name: str
    label: str
    title: str
    make: Callable[[ExperimentRunner], ExperimentResult]
    size: tuple[str, str]
    keys: tuple[str, ...]
    data: tuple[str, ...] = ()
    reduced: tuple[str, ...] = ()
    work: tuple[str, ...] = ()
    n_heads: int = 1
    part: str | None = None
    digits: int = 2
    mean_over: str | None = None
    settings: tuple[Setting, ...] = (Setting(name="as published", title="As the paper has it."),)
    choices: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()

    @property
    def rows(self) -> tuple[str, ...]:
        """The keys that head rows."""
        return self.keys[: len(self.keys) - self.n_heads]

    @property
    def heads(self) -> tuple[str, ...]:
        """The keys that head columns."""
        return self.keys[len(self.keys) - self.n_heads :]


@dataclass(frozen=True, kw_only=True, eq=False)
class Paper:
    """A paper whose experiments are run again.

    Attributes
    ----------
    name : str
        Its name on the command line, and its key among the references.
    title : str
        What it is about, in a few words.
    experiments : tuple of Experiment
        Its tables and figures.
    sizes : mapping
        Samples and features of each data set, as the paper has them.
    terms : mapping
        Words of its tables that need explaining.
    seconds : mapping
        CPU seconds, reduced and full, of each piece of work, or of each piece and data set.
    """

    name: str
    title: str
    experiments: tuple[Experiment, ...]
    sizes: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    terms: Mapping[str, str] = field(default_factory=dict)
    seconds: Mapping[str | tuple[str, str], tuple[float, float]] = field(default_factory=dict)

    @property
    def reference(self) -> str:
        """The paper, in full."""
        return REFERENCES[self.name].full

    @property
    def short(self) -> str:
        """The paper, in short."""
        return REFERENCES[self.name].short

    def get(self, name: str) -> Experiment:
        """Return an experiment by its name."""
        known = {one.name: one for one in self.experiments}
        if name not in known:
            raise UnknownNameError(
                f"{self.name} has no experiment called {name!r}.{did_you_mean(name, known)}"
            )
        return known[name]


# Names of files.

UNSAFE = re.compile(r"[^\w.]+", re.ASCII)


def file_name(text: str) -> str:
    """Return words as part of a file's name: what is no letter, digit or dot becomes a hyphen."""
    return UNSAFE.sub("-", text).strip("-")
