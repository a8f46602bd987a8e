"""What is to be run: which experiments, on which data sets, and how long that takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast._text import did_you_mean, shortened
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.papers._library import get_data
from holdfast.papers._record import FULL, REDUCED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from holdfast.papers._library import Library
    from holdfast.papers._record import Experiment, Paper

EVERYTHING = "all"


@dataclass(frozen=True)
class Order:
    """One experiment that is to be run, on these data sets."""

    paper: Paper
    experiment: Experiment
    names: tuple[str, ...]

    @property
    def runs(self) -> bool:
        """Whether it can be run: it needs no data, or some are at hand."""
        return bool(self.names) or not self.experiment.data


def ordered(
    asked: Mapping[Paper, Sequence[str]],
    library: Library,
    *,
    full: bool,
    datasets: Sequence[str] | None = None,
) -> list[Order]:
    """Return the orders for experiments by paper; an empty list of them asks for all."""
    experiments = [
        (paper, experiment)
        for paper, names in asked.items()
        for experiment in (
            [paper.get(name) for name in dict.fromkeys(names)] if names else paper.experiments
        )
    ]
    if datasets is not None:
        _check_datasets(datasets, [experiment for _, experiment in experiments], library)
    return [
        Order(paper, experiment, _names(experiment, library, full=full, datasets=datasets))
        for paper, experiment in experiments
    ]


def _names(
    experiment: Experiment, library: Library, *, full: bool, datasets: Sequence[str] | None
) -> tuple[str, ...]:
    wanted = experiment.data if full or datasets is not None else experiment.reduced
    at_hand = [name for name in wanted if library.source(name) is not None]
    return tuple(name for name in at_hand if datasets is None or name in datasets)


def _check_datasets(
    datasets: Iterable[str], experiments: Sequence[Experiment], library: Library
) -> None:
    used = list(dict.fromkeys(name for one in experiments for name in one.data))
    for name in datasets:
        get_data(name)
        if name not in used:
            what = did_you_mean(name, used) if used else " They need none."
            raise UnknownNameError(f"none of these experiments uses the data set {name!r}.{what}")
        if library.source(name) is None:
            raise InvalidInputError(f"the data set {name} is not at hand: {library.why_not(name)}.")


def why_none(order: Order, library: Library) -> str:
    """Say why an experiment cannot be run."""
    reasons = dict.fromkeys(f"{name}: {library.why_not(name)}" for name in order.experiment.data)
    return f"none of its data sets is at hand ({shortened(reasons, most=3)})"


def expected_seconds(orders: Iterable[Order], *, full: bool) -> float:
    """Return about how many CPU seconds orders take; what several share counts once."""
    place = FULL if full else REDUCED
    pieces = {
        (order.paper.name, piece): order.paper.seconds[piece][place]
        for order in orders
        if order.runs
        for piece in _pieces(order)
    }
    return sum(pieces.values())


def _pieces(order: Order) -> list[str | tuple[str, str]]:
    known = order.paper.seconds
    pieces: list[str | tuple[str, str]] = [one for one in order.experiment.work if one in known]
    more = [
        (one, name) for one in order.experiment.work if one not in known for name in order.names
    ]
    return [*pieces, *more]
