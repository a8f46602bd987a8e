"""Splits by scikit-learn splitters or given as pairs of rows; conversion to protocols."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from holdfast._formatting import did_you_mean, format_list, plural
from holdfast._object_spec import parse_call, parse_object_spec
from holdfast._typing import AnyArray, IndexArray, ProtocolLike
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.resample._protocol import NOT_INDEPENDENT, Protocol, Resample
from holdfast.resample._registry import PROTOCOLS, protocol
from holdfast.resample._strata import Units


@protocol(
    name="splits",
    title="Splits of a scikit-learn splitter, or given ones",
    estimates="how much the selection changes between the training parts of these splits",
    tested="repeatedly",
    overlap="depends on the splits",
)
@dataclass(frozen=True, eq=False)
class Splits(Protocol):
    """The splits of any scikit-learn splitter, or splits that are given as rows.

    A splitter that shuffles and has no seed of its own is seeded by `random_state` of `draw`.
    Subjects are handed to the splitter; one that ignores them is refused when a subject
    is on both sides. How often samples are tested depends on the splitter; see
    :func:`holdfast.resample.times_tested`.

    Parameters
    ----------
    splitter : splitter or iterable of pairs
        An object with ``split(X, y, groups)``, or pairs (train, test) of rows or of masks.

    Examples
    --------
    >>> from sklearn.model_selection import LeaveOneOut
    >>> from holdfast.resample import Splits
    >>> resamples = Splits(LeaveOneOut()).draw(["a"] * 4 + ["b"] * 3)
    >>> len(resamples), resamples[2].test.tolist()
    (7, [2])
    """

    splitter: Any

    def __post_init__(self) -> None:
        if isinstance(self.splitter, str) or not hasattr(self.splitter, "split"):
            # pairs may come from a generator, which can be read only once
            object.__setattr__(self, "splitter", _check_pairs(self.splitter))

    @property
    def can_be_inner(self) -> bool:
        """Whether it can draw inner resamples: not from given rows, which are rows of all data."""
        return not isinstance(self.splitter, tuple)

    def count_resamples(self, units: Units) -> int:
        """Return how many resamples will be drawn, as the splitter states it."""
        if isinstance(self.splitter, tuple):
            return len(self.splitter)
        if not hasattr(self.splitter, "get_n_splits"):
            return 1  # unknown until it splits
        try:
            # splitters look at the number of rows only
            return int(
                self.splitter.get_n_splits(np.zeros((len(units.y), 1)), units.y, units.groups)
            )
        except (ValueError, TypeError) as error:
            raise self._unfit_splitter_error(error) from error

    def _describe(self, unit: str) -> str:
        if isinstance(self.splitter, tuple):
            return plural(len(self.splitter), "given split")
        return f"the splits of {self.splitter!r}"

    def _explain_estimate(self, unit: str) -> str:
        return (
            f"How much the selection changes between training parts ({self._describe(unit)}); as "
            f"far as they share {unit}s, {NOT_INDEPENDENT}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the name and a description; a splitter cannot be restored from it."""
        return {"name": self.record.name, "splitter": self.description}

    def _draw(self, units: Units, random_state: int, n_features: int | None) -> Iterator[Resample]:
        for position, (train, test) in enumerate(self._split(units, random_state)):
            where = f"split {position}"
            resample = Resample(_check_rows(train, units, where), _check_rows(test, units, where))
            _check_disjoint(resample, units, where)
            yield resample

    def _split(self, units: Units, random_state: int) -> Iterable[tuple[ArrayLike, ArrayLike]]:
        if isinstance(self.splitter, tuple):
            return self.splitter
        # splitters look at the number of rows only
        splitter, X = copy.deepcopy(self.splitter), np.zeros((len(units.y), 1))
        # seed a splitter that would be random; the user's object is not changed
        if getattr(splitter, "random_state", 0) is None and getattr(splitter, "shuffle", True):
            splitter.random_state = int(np.random.SeedSequence(random_state).generate_state(1)[0])
        try:
            with warnings.catch_warnings():
                # about classes rarer than folds, and ignored subjects: both are checked here
                warnings.simplefilter("ignore", UserWarning)
                return list(splitter.split(X, units.y, units.groups))
        except (ValueError, TypeError) as error:
            raise self._unfit_splitter_error(error) from error

    def _unfit_splitter_error(self, error: Exception) -> InvalidInputError:
        return InvalidInputError(
            f"{self.splitter!r} cannot split these data: {str(error).rstrip('.')}."
        )


def _check_pairs(given: ProtocolLike) -> tuple[tuple[AnyArray, AnyArray], ...]:
    try:
        pairs = tuple((np.asarray(train), np.asarray(test)) for train, test in given)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            "splits must be a splitter with a method split, or pairs (train, test) of rows; "
            f"got {type(given).__name__}."
        ) from error
    if not pairs:
        raise InvalidInputError("splits must hold at least one pair (train, test); got none.")
    return pairs


def _check_rows(given: ArrayLike, units: Units, where: str) -> IndexArray:
    """Return rows in order, from rows or from a mask."""
    rows, n = np.asarray(given), len(units.y)
    if rows.dtype == bool and rows.shape == (n,):
        return np.flatnonzero(rows)
    if rows.size == 0:
        return np.empty(0, dtype=np.intp)
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= n:
        raise InvalidInputError(
            f"{where}: rows must be whole numbers from 0 to {n - 1}, or a mask of {n}; got "
            f"{format_list(rows.ravel())}."
        )
    return np.sort(rows.astype(np.intp))


def _check_disjoint(resample: Resample, units: Units, where: str) -> None:
    names = np.arange(len(units.y)) if units.groups is None else units.groups
    both = np.intersect1d(names[resample.train], names[resample.test])
    if both.size:
        remedy = (
            "" if units.groups is None else "; splitters such as GroupKFold keep subjects together"
        )
        raise InvalidInputError(
            f"{where}: {plural(both.size, units.noun)} in training and test at once: "
            f"{format_list(both)}{remedy}."
        )


# Conversion of text, dictionaries, splitters and pairs of rows to protocols.


def as_protocol(given: ProtocolLike) -> Protocol:
    """Convert a name, a mapping, a splitter or pairs of rows to a protocol.

    Parameters
    ----------
    given : Protocol, str, mapping, splitter or iterable of pairs
        A protocol stays as it is. Text is a name with options, as on the command line. A mapping
        has the name under ``"name"``, next to the options. A splitter has a method `split`, as
        those of scikit-learn. Pairs are rows for training and rows for testing.

    Returns
    -------
    Protocol

    Raises
    ------
    UnknownNameError
        There is no such protocol, or it has no such option.
    InvalidInputError
        A value cannot be used, or `given` is none of these.

    Examples
    --------
    >>> from holdfast.resample import as_protocol
    >>> as_protocol("subsampling:n_resamples=50,train_size=0.8")
    Subsampling(n_resamples=50, train_size=0.8, stratify=True)
    >>> as_protocol("nested:outer=subsampling(10,0.9),inner=bootstrap(40)").inner
    Bootstrap(n_resamples=40, size=1.0, stratify=True)
    >>> from sklearn.model_selection import KFold
    >>> as_protocol(KFold(5)).description
    'the splits of KFold(n_splits=5, random_state=None, shuffle=False)'
    """
    if isinstance(given, Protocol):
        return given
    if isinstance(given, str):
        if "(" in given.partition(":")[0]:
            return _make_protocol(*parse_call(given))
        name, options = parse_object_spec(given)
        return _make_protocol(name, [], options)
    if isinstance(given, Mapping):
        entries: dict[str, Any] = dict(given)
        if not isinstance(entries.get("name"), str):
            raise InvalidInputError(f"a protocol needs a name, as text; got {entries!r}.")
        return _make_protocol(entries.pop("name"), [], entries)
    if hasattr(given, "split") or isinstance(given, Iterable):
        return Splits(given)
    raise InvalidInputError(
        "a protocol must be a Protocol, its name, a splitter or pairs of rows (train, test); "
        f"got {given!r}."
    )


def _make_protocol(name: str, values: list[Any], options: dict[str, Any]) -> Protocol:
    kind = PROTOCOLS.get_record(name).kind
    if kind is Splits:
        raise InvalidInputError(
            "splits must be a splitter or pairs of rows; they cannot be given as text."
        )
    known = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    if len(values) > len(known):
        raise InvalidInputError(f"{name} takes at most {len(known)} values; got {values!r}.")
    positional = dict(zip(known, values, strict=False))
    for key in options:
        if key in positional:
            raise InvalidInputError(f"{key!r} of {name} is given twice.")
        if key not in known:
            raise UnknownNameError(f"{name} has no option {key!r}.{did_you_mean(key, known)}")
    return kind(**positional, **options)
