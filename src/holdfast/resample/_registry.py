"""One frozen record per protocol; listings, docs, tests and commands all read these records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from holdfast._bibliography import REFERENCES
from holdfast._registry import Registry, Row

if TYPE_CHECKING:
    import pandas as pd

    from holdfast.resample._protocol import Protocol

Tested: TypeAlias = Literal["once", "repeatedly", "never"]
Kind = TypeVar("Kind", bound="type[Protocol]")


@dataclass(frozen=True, kw_only=True)
class ProtocolRecord:
    """A registered resampling protocol.

    Attributes
    ----------
    name : str
        Its name on the command line and in study files.
    title : str
        What it is called in the field.
    kind : type
        The class.
    estimates : str
        What the stability over its resamples estimates, in short.
    tested : {"once", "repeatedly", "never"}
        How often a sample is tested, with default parameters; for others,
        see :func:`holdfast.resample.times_tested`. It decides how errors
        are compared: where each sample is tested once at most, by McNemar's test.
    overlap : str
        How much of a training part another one shares, in short; for numbers see
        :meth:`holdfast.resample.Protocol.training_overlap`.
    references : tuple of str
        Keys of :data:`holdfast.measures.REFERENCES`.
    """

    name: str
    title: str
    kind: type[Protocol]
    estimates: str
    tested: Tested
    overlap: str
    references: tuple[str, ...] = ()


def _describe(record: ProtocolRecord) -> Row:
    return {
        "title": record.title,
        "class": record.kind.__name__,
        "estimates": record.estimates,
        "tested": record.tested,
        "overlap": record.overlap,
        "reference": "; ".join(REFERENCES[key].short for key in record.references),
    }


PROTOCOLS: Registry[ProtocolRecord] = Registry("protocol", describe=_describe)


def protocol(
    *,
    name: str,
    title: str,
    estimates: str,
    tested: Tested,
    overlap: str,
    references: tuple[str, ...] = (),
) -> Callable[[Kind], Kind]:
    """Register a protocol class under a name."""

    def record(kind: Kind) -> Kind:
        kind.record = PROTOCOLS.register(
            ProtocolRecord(
                name=name,
                title=title,
                kind=kind,
                estimates=estimates,
                tested=tested,
                overlap=overlap,
                references=references,
            )
        )
        return kind

    return record


def get_protocol(name: str) -> ProtocolRecord:
    """Return the record of a protocol.

    Parameters
    ----------
    name : str
        Its name.

    Returns
    -------
    ProtocolRecord

    Raises
    ------
    UnknownNameError
        No protocol has this name; the message suggests the nearest.

    Examples
    --------
    >>> from holdfast.resample import get_protocol
    >>> get_protocol("bootstrap").kind.__name__
    'Bootstrap'
    """
    return PROTOCOLS.get_record(name)


def list_protocols() -> pd.DataFrame:
    """List all resampling protocols.

    Returns
    -------
    pandas.DataFrame
        One row per protocol, indexed by name: title, class, what it estimates, how often a sample
        is tested, how much of a training part another one shares (overlap), reference.

    Examples
    --------
    >>> from holdfast.resample import list_protocols
    >>> list_protocols().loc["cross_validation", "tested"]
    'once'
    """
    return PROTOCOLS.to_frame()
