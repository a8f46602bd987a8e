"""One frozen record a measure; listings, docs, tests and commands all read these records."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdfast._bibliography import REFERENCES
from holdfast._formatting import did_you_mean
from holdfast.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from holdfast.preferences import Form


# Short names for types that many measures use.

Array: TypeAlias = NDArray[np.float64]
Score: TypeAlias = Callable[..., Array]  # (overlap r, sizes a and b, features p) -> values


# A value with what is needed for its interval, its chance level and its explanation.


class ChanceLevel(NamedTuple):
    """Expected value for random preferences of the same sizes, and its standard error.

    The error is 0 where the expectation is exact.
    """

    value: float
    error: float = 0.0
    note: str = ""


def no_chance_level() -> ChanceLevel:
    """Return the chance level of a measure that has none."""
    return ChanceLevel(np.nan, 0.0, "no chance level is defined")


def zero_chance() -> ChanceLevel:
    """Return the chance level of a measure that is corrected for chance."""
    return ChanceLevel(0.0)


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """The value of a measure for one system of preferences.

    Attributes
    ----------
    value : float
        NaN where the measure is undefined; `undefined` then says why.
    leave_one_out : array of shape (m,)
        The value without preference i; the jackknife is made of these.
    chance : callable
        Gives the chance level; called only when somebody asks.
    """

    value: float
    leave_one_out: NDArray[np.float64]
    chance: Callable[[], ChanceLevel]
    undefined: str = ""


# One frozen record a measure; listings, docs, tests and commands all read these records.


@dataclass(frozen=True, kw_only=True, eq=False)
class Measure(ABC):
    """What is known about a stability measure, and how to compute it.

    Attributes
    ----------
    name : str
        The name that `measure` takes.
    title : str
        What it is called in the field.
    form : {"weights", "ranking", "subset", "groups"}
        The form of preferences it takes.
    minimum, maximum : float
        Range of its values; infinite where there is no bound.
    corrected : bool
        Whether it is corrected for chance by definition: random preferences average to 0.
    distance : bool
        Whether lower means more stable.
    needs : frozenset of str
        Among ``"n_features"``, ``"equal_sizes"``, ``"similarity"``, ``"data"``.
    references : tuple of str
        Keys of :data:`holdfast.measures.REFERENCES`.
    aliases : tuple of str
        Other names for it.
    identical : str
        Why identical preferences do not reach the best value; empty where they do.
    function : callable
        Computes it; its keyword-only arguments are the options of the measure.
    """

    name: str
    title: str
    form: Form
    minimum: float
    maximum: float
    references: tuple[str, ...]
    function: Callable[..., Any]
    corrected: bool = False
    distance: bool = False
    needs: frozenset[str] = frozenset()
    aliases: tuple[str, ...] = ()
    identical: str = ""

    @property
    def by_size(self) -> bool:
        """Whether it looks at the best so many features or groups, not at all features."""
        return self.form in ("subset", "groups")

    def __post_init__(self) -> None:
        object.__setattr__(self, "__doc__", self._documentation())

    def _documentation(self) -> str:
        """Put what the record knows between the explanation and the examples of the docstring."""
        text, heading, examples = (inspect.getdoc(self.function) or "").partition(EXAMPLES)
        direction = "lower" if self.distance else "higher"
        corrected = "Corrected for chance." if self.corrected else "Not corrected for chance."
        facts = (
            f"Range: {self.minimum:g} to {self.maximum:g}; {direction} is more stable. {corrected}"
        )
        sources = "\n".join(f"* {REFERENCES[key].full}" for key in self.references)
        return f"{text}{facts}\n\nReferences\n----------\n{sources}\n\n{heading}{examples}"

    @property
    def options(self) -> frozenset[str]:
        """Names of the options that users give to the measure."""
        options = set(self.arguments)
        if "graph" in options:  # built from these three
            options = options - {"graph"} | {"similarity", "data", "threshold"}
        if self.form == "ranking":  # weights are ranked with it
            options.add("random_state")
        return frozenset(options)

    @property
    def arguments(self) -> frozenset[str]:
        """Names of the keyword-only arguments of the function behind the measure."""
        parameters = inspect.signature(self.function).parameters.values()
        return frozenset(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)

    def range_with(self, options: Mapping[str, Any]) -> tuple[float, float]:
        """Return the range under given options: correction for chance moves it."""
        if options.get("clip", True) is False:
            return -np.inf, self.maximum
        parameter = inspect.signature(self.function).parameters.get("corrected")
        if parameter is None or options.get("corrected", parameter.default) == parameter.default:
            return self.minimum, self.maximum
        return (-np.inf, 1.0) if options["corrected"] else (0.0, np.inf)

    @property
    def best(self) -> float:
        """The value of perfect stability."""
        return self.minimum if self.distance else self.maximum

    @abstractmethod
    def estimate(self, view: Any, fill: float | None, options: Mapping[str, Any]) -> Estimate:  # noqa: ANN401
        """Compute the measure for a view of preferences; undefined parts count as `fill`."""


EXAMPLES = "Examples\n--------"
MEASURES: dict[str, Measure] = {}
_ORDER: dict[Form, int] = {"subset": 0, "ranking": 1, "weights": 2, "groups": 3}
_ALIASES: dict[str, str] = {}


def register(measure: Measure) -> Measure:
    """Add a record; a name that is taken is a mistake in the code."""
    for name in (measure.name, *measure.aliases):
        if name in MEASURES or name in _ALIASES:
            raise RuntimeError(f"two measures are called {name!r}")
    MEASURES[measure.name] = measure
    _ALIASES.update(dict.fromkeys(measure.aliases, measure.name))
    return measure


def get_measure(name: str) -> Measure:
    """Return the record of a measure.

    Parameters
    ----------
    name : str
        Its name or one of its aliases.

    Returns
    -------
    Measure

    Raises
    ------
    UnknownNameError
        No measure is called so; the message names the nearest.

    Examples
    --------
    >>> import holdfast as hf
    >>> hf.measures.get_measure("tanimoto").title
    'Jaccard (Tanimoto) index'
    """
    record = MEASURES.get(_ALIASES.get(name, name))
    if record is None:
        known = [*MEASURES, *_ALIASES]
        raise UnknownNameError(f"no measure is called {name!r}.{did_you_mean(str(name), known)}")
    return record


def list_measures(form: Form | None = None) -> pd.DataFrame:
    """List all stability measures.

    Parameters
    ----------
    form : {"weights", "ranking", "subset", "groups"}, optional
        List only the measures of this form of preferences.

    Returns
    -------
    pandas.DataFrame
        One row a measure, indexed by name: title, form, minimum, maximum, corrected, distance,
        needs, reference.

    Examples
    --------
    >>> import holdfast as hf
    >>> hf.list_measures().loc["kuncheva", ["title", "form", "needs"]].tolist()
    ['Kuncheva consistency index', 'subset', 'equal_sizes, n_features']
    """
    import pandas as pd  # noqa: PLC0415  (kept out of the import of the records)

    rows = {
        record.name: {
            "title": record.title,
            "form": record.form,
            "minimum": record.minimum,
            "maximum": record.maximum,
            "corrected": record.corrected,
            "distance": record.distance,
            "needs": ", ".join(sorted(record.needs)),
            "reference": "; ".join(REFERENCES[key].short for key in record.references),
        }
        for record in sorted(MEASURES.values(), key=lambda one: (_ORDER[one.form], one.name))
        if form is None or record.form == form
    }
    if not rows:
        forms = sorted({record.form for record in MEASURES.values()})
        raise UnknownNameError(f"no form is called {form!r}.{did_you_mean(str(form), forms)}")
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("measure")
