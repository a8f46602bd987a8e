"""Records of papers and of their experiments."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from holdfast._bibliography import REFERENCES
from holdfast._formatting import did_you_mean
from holdfast.errors import UnknownNameError

if TYPE_CHECKING:
    import pandas as pd

    from holdfast.papers._claims import Claim
    from holdfast.papers._runner import ExperimentResult, ExperimentRunner


REDUCED, FULL = 0, 1
"""Positions in pairs of sizes and times."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One way to run an experiment where the paper leaves details open.

    Attributes
    ----------
    name : str
        A short name.
    title : str
        A sentence or two on what is done.
    """

    name: str
    title: str


def no_facts(_: pd.DataFrame) -> Mapping[str, Any]:
    """Return no facts: the paper prints no more than the numbers of the table."""
    return {}


@dataclass(frozen=True, kw_only=True, eq=False)
class Experiment:
    """A table or a figure of a paper.

    Attributes
    ----------
    name, label : str
        The name on the command line and in the paper: ``"table2"``, ``"Table 2"``.
    title : str
        What it shows.
    make : callable
        Runs the experiment: takes an `ExperimentRunner`, returns an `ExperimentResult`.
    size : pair of str
        The size of a reduced and of a full run, in words.
    data : tuple of str
        Names of the paper's data sets; empty where data are simulated.
    reduced : tuple of str
        The data sets of a reduced run.
    work : tuple of str
        Parts of the computation, to estimate the run time; see `Paper.seconds`.
    keys : tuple of str
        The columns that identify a number; the last ones become column heads of the table.
    n_heads : int
        Number of keys that become column heads.
    part : str, optional
        The key that separates scales: numbers that differ in it are not pooled.
    digits : int
        Number of decimals shown.
    mean_over : str, optional
        The key over which additional rows average, for both our and the published numbers.
    row_means : bool
        Whether rows end with their average.
    settings : tuple of Setting
        The settings in which it is run, the main one first.
    choices : tuple of str
        What the paper leaves open, and what we chose.
    claims : tuple of Claim
        The statements of the paper that are checked.
    place : str
        The section of the paper that states them.
    limits : str
        What a reduced run cannot show.
    published_facts : callable, optional
        Takes the published numbers, returns further results that claims need, as far as the paper
        prints them.
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
    row_means: bool = False
    settings: tuple[Setting, ...] = (Setting(name="as published", title="As in the paper."),)
    choices: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    place: str = ""
    limits: str = (
        "It is smaller than the paper's experiment, so findings near their bar can come out "
        "differently from a full run."
    )
    published_facts: Callable[[pd.DataFrame], Mapping[str, Any]] = no_facts

    @property
    def rows(self) -> tuple[str, ...]:
        """The keys that become row heads."""
        return self.keys[: len(self.keys) - self.n_heads]

    @property
    def heads(self) -> tuple[str, ...]:
        """The keys that become column heads."""
        return self.keys[len(self.keys) - self.n_heads :]


@dataclass(frozen=True, kw_only=True, eq=False)
class Paper:
    """A paper whose experiments are run again.

    Attributes
    ----------
    name : str
        The name on the command line, and the key of the reference.
    title : str
        The topic, in a few words.
    experiments : tuple of Experiment
        Its tables and figures.
    sizes : mapping
        Samples and features of each data set, as stated in the paper.
    terms : mapping
        Explanations of the terms in its tables.
    seconds : mapping
        CPU seconds, reduced and full, of each part of the computation, or of each part and data
        set.
    """

    name: str
    title: str
    experiments: tuple[Experiment, ...]
    sizes: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    terms: Mapping[str, str] = field(default_factory=dict)
    seconds: Mapping[str | tuple[str, str], tuple[float, float]] = field(default_factory=dict)

    @property
    def reference(self) -> str:
        """The full reference."""
        return REFERENCES[self.name].full

    @property
    def short(self) -> str:
        """The short reference."""
        return REFERENCES[self.name].short

    def get(self, name: str) -> Experiment:
        """Return an experiment by its name."""
        known = {experiment.name: experiment for experiment in self.experiments}
        if name not in known:
            raise UnknownNameError(
                f"{self.name} has no experiment called {name!r}.{did_you_mean(name, known)}"
            )
        return known[name]


UNSAFE_CHARACTERS = re.compile(r"[^\w.]+", re.ASCII)


def file_name(text: str) -> str:
    """Return text for use in a file name, with all but letters, digits and dots as hyphens."""
    return UNSAFE_CHARACTERS.sub("-", text).strip("-")
