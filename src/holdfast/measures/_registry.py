"""One frozen record per measure; listings, docs, tests and commands all read these records."""

from __future__ import annotations

import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, TypeAlias, TypeVar

from holdfast._bibliography import REFERENCES
from holdfast._formatting import did_you_mean
from holdfast._registry import Registry, Row
from holdfast.errors import UnknownNameError

if TYPE_CHECKING:
    import pandas as pd

    from holdfast._typing import FloatArray, PreferenceView
    from holdfast.preferences import Form


Focus: TypeAlias = Literal["features", "subsets"]
Registers: TypeAlias = Literal["selection", "selection and exclusion"]
Score: TypeAlias = "Callable[..., FloatArray]"  # (overlap r, sizes a and b, features p) -> values


class ChanceLevel(NamedTuple):
    """Expected value for random preferences of the same sizes, and its standard error.

    The error is 0 where the expectation is exact.
    """

    value: float
    error: float = 0.0
    note: str = ""


def no_chance_level() -> ChanceLevel:
    """Return the chance level of a measure that has none."""
    return ChanceLevel(math.nan, 0.0, "no chance level is defined")


def zero_chance() -> ChanceLevel:
    """Return the chance level of a measure that is corrected for chance."""
    return ChanceLevel(0.0)


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """The value of a measure for one system of preferences.

    Attributes
    ----------
    value : float
        NaN if the measure is undefined; `undefined` then says why.
    leave_one_out : array of shape (m,)
        The value without preference i, for the jackknife.
    chance : callable
        Returns the chance level; called only on demand.
    """

    value: float
    leave_one_out: FloatArray
    chance: Callable[[], ChanceLevel]
    undefined: str = ""


# The records; listings, docs, tests and commands all read them.


@dataclass(frozen=True, kw_only=True, eq=False)
class Measure(ABC):
    """A registered stability measure, and how to compute it.

    Attributes
    ----------
    name : str
        The name that `measure` takes.
    title : str
        Its name in the literature.
    form : {"weights", "ranking", "subset", "groups"}
        The form of preferences that it needs.
    minimum, maximum : float
        Range of its values; infinite if there is no bound.
    corrected : bool
        Whether it is corrected for chance by definition: random preferences average to 0.
    distance : bool
        Whether lower means more stable.
    focus : {"features", "subsets"} or None
        Whether it looks at the selection frequencies of features over all subsets, or at
        similarities of pairs of subsets. This and the next two are the taxonomy of Somol and
        Novovičová that Dernoncourt et al. (2014) describe; None for other forms than subsets.
    registers : {"selection", "selection and exclusion"} or None
        Whether features that no subset selects count as agreement: then the value tends to the
        best one as such features are added, whatever the subsets are.
    size_biased : bool or None
        Whether its value for random subsets changes with their size.
    needs : frozenset of str
        Among ``"n_features"``, ``"equal_sizes"``, ``"similarity"``, ``"data"``.
    references : tuple of str
        Keys of :data:`holdfast.measures.REFERENCES`.
    aliases : tuple of str
        Alternative names.
    identical : str
        Why identical preferences do not reach the best value; empty if they do.
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
    focus: Focus | None = None
    registers: Registers | None = None
    size_biased: bool | None = None
    needs: frozenset[str] = frozenset()
    aliases: tuple[str, ...] = ()
    identical: str = ""

    @classmethod
    def from_function(cls, function: Callable[..., Any], **attributes: Any) -> Self:
        """Return the record of the measure that a decorated function defines."""
        return cls(function=function, **attributes)

    @property
    def by_size(self) -> bool:
        """Whether it depends on the number of selected features or groups."""
        return self.form in ("subset", "groups")

    def __post_init__(self) -> None:
        taxonomy = (self.focus, self.registers, self.size_biased)
        if (self.form == "subset") == (None in taxonomy):
            raise TypeError(
                f"{self.name}: measures of subsets, and only they, need focus, registers and "
                f"size_biased; got {taxonomy} for the form {self.form}."
            )
        # range and references go between the explanation and the examples of the docstring
        text, heading, examples = (inspect.getdoc(self.function) or "").partition(EXAMPLES)
        direction = "lower" if self.distance else "higher"
        corrected = "Corrected for chance." if self.corrected else "Not corrected for chance."
        facts = (
            f"Range: {self.minimum:g} to {self.maximum:g}; {direction} is more stable. {corrected}"
        )
        sources = "\n".join(f"* {REFERENCES[key].full}" for key in self.references)
        references = f"References\n----------\n{sources}\n\n"
        object.__setattr__(self, "__doc__", f"{text}{facts}\n\n{references}{heading}{examples}")

    @property
    def options(self) -> frozenset[str]:
        """Names of the options that users can give."""
        options = set(self.arguments)
        if "graph" in options:  # the graph is built from these three
            options = options - {"graph"} | {"similarity", "data", "threshold"}
        if self.form == "ranking":  # breaks ties when weights are ranked
            options.add("random_state")
        return frozenset(options)

    @property
    def arguments(self) -> frozenset[str]:
        """Names of the keyword-only arguments of the function behind the measure."""
        parameters = inspect.signature(self.function).parameters.values()
        return frozenset(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)

    def range_with(self, options: Mapping[str, Any]) -> tuple[float, float]:
        """Return the range under given options; correction for chance changes it."""
        if options.get("clip", True) is False:
            return -math.inf, self.maximum
        parameter = inspect.signature(self.function).parameters.get("corrected")
        if parameter is None or options.get("corrected", parameter.default) == parameter.default:
            return self.minimum, self.maximum
        return (-math.inf, 1.0) if options["corrected"] else (0.0, math.inf)

    @property
    def best(self) -> float:
        """The value of perfect stability."""
        return self.minimum if self.distance else self.maximum

    @abstractmethod
    def estimate(
        self, view: PreferenceView, fill: float | None, options: Mapping[str, Any]
    ) -> Estimate:
        """Compute the measure for a view of preferences; undefined parts count as `fill`."""


EXAMPLES = "Examples\n--------"
MeasureT = TypeVar("MeasureT", bound=Measure)


def _describe(record: Measure) -> Row:
    return {
        "title": record.title,
        "form": record.form,
        "minimum": record.minimum,
        "maximum": record.maximum,
        "corrected": record.corrected,
        "distance": record.distance,
        "focus": record.focus or "",
        "registers": record.registers or "",
        "size_biased": record.size_biased,
        "needs": ", ".join(sorted(record.needs)),
        "reference": "; ".join(REFERENCES[key].short for key in record.references),
    }


MEASURES: Registry[Measure] = Registry("measure", describe=_describe)
_ORDER: dict[str, int] = {"subset": 0, "ranking": 1, "weights": 2, "groups": 3}


def register_measure(
    record_type: type[MeasureT],
    *,
    title: str,
    minimum: float,
    maximum: float,
    references: tuple[str, ...],
    form: Form = "subset",
    focus: Focus | None = None,
    registers: Registers | None = None,
    size_biased: bool | None = None,
    needs: Iterable[str] = (),
    aliases: tuple[str, ...] = (),
    corrected: bool = False,
    distance: bool = False,
    identical: str = "",
) -> Callable[[Callable[..., Any]], MeasureT]:
    """Register the decorated function as a measure; its docstring documents the measure.

    The type of the record decides what the function computes: a score of two subsets
    (`OverlapMeasure`), the similarities of all pairs (`PairMeasure`), or the value of the whole
    system (`SystemMeasure`). The other arguments are attributes of `Measure`.
    """

    def register(function: Callable[..., Any]) -> MeasureT:
        record = record_type.from_function(
            function,
            name=function.__name__,
            title=title,
            form=form,
            focus=focus,
            registers=registers,
            size_biased=size_biased,
            minimum=minimum,
            maximum=maximum,
            references=references,
            needs=frozenset(needs),
            aliases=aliases,
            corrected=corrected,
            distance=distance,
            identical=identical,
        )
        MEASURES.register(record, aliases=aliases)
        return record

    return register


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
        No measure has this name; the message suggests the nearest.

    Examples
    --------
    >>> import holdfast as hf
    >>> hf.measures.get_measure("tanimoto").title
    'Jaccard (Tanimoto) index'
    """
    return MEASURES.get_record(name)


def list_measures(form: Form | None = None) -> pd.DataFrame:
    """List all stability measures.

    Parameters
    ----------
    form : {"weights", "ranking", "subset", "groups"}, optional
        List only the measures of this form of preferences.

    Returns
    -------
    pandas.DataFrame
        One row per measure, indexed by name: title, form, minimum, maximum, corrected, distance,
        focus, registers, size_biased, needs, reference. :class:`holdfast.measures.Measure`
        describes them; the taxonomy (focus to size_biased) is that of subsets, and empty or None
        for other forms.

    Examples
    --------
    >>> import holdfast as hf
    >>> hf.list_measures().loc["kuncheva", ["title", "form", "needs"]].tolist()
    ['Kuncheva consistency index', 'subset', 'equal_sizes, n_features']
    >>> table = hf.list_measures("subset")
    >>> table.index[table["registers"] == "selection and exclusion"].tolist()
    ['anhd', 'hamming']
    """
    table = MEASURES.to_frame()
    return table.loc[[row["name"] for row in measure_rows(form)]]


def measure_rows(form: str | None = None) -> list[Row]:
    """Return one row per measure, by form and name; see `list_measures`."""
    if form not in (None, *_ORDER):
        raise UnknownNameError(f"no form is called {form!r}.{did_you_mean(str(form), _ORDER)}")
    rows = [row for row in MEASURES.rows() if form in (None, row["form"])]
    return sorted(rows, key=lambda row: _ORDER[row["form"]])
