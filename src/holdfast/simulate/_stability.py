"""Stability over training sets that are drawn from a known population."""

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from holdfast._formatting import plural
from holdfast._validation import check_integer, flag, seed_of
from holdfast.errors import InvalidInputError
from holdfast.measures import get_measure
from holdfast.preferences._ranks import count_of
from holdfast.select._adapter import named_selector
from holdfast.select._registry import form_of
from holdfast.simulate._microarray import Generator
from holdfast.simulate._training_sets import (
    ERRORS,
    Seeds,
    SimulatedRows,
    SimulationRequest,
    can_be_exact,
    find,
    model_of,
    side_by_side,
    source_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from holdfast.select import Selector


MEASURES = ("relative_weighted_consistency", "ati_pa", "pearson", "spearman")
"""S2's measures: CW_rel, ATI_PA, S_W and S_R."""
RESULT_KEYS = ["setting", "selector", "size"]
ESTIMATES = ["measure", "value", "low", "high", "chance"]


@dataclass(frozen=True, eq=False, repr=False)
class SimulatedStability:
    """What `simulate_stability` found.

    Attributes
    ----------
    stability : pandas.DataFrame
        One row a setting, selector, size and measure: ``value``, with the ends ``low`` and
        ``high`` of its 95% interval, and ``chance``, what random selections give; then the fields
        of the generator. Measures of scores and of ranks do not depend on the size; they are
        repeated for each.
    frequencies : pandas.DataFrame
        One row a setting, selector, size and feature: ``effect``, half the difference of the
        class means in standard deviations (μ), and ``frequency``, the share of training sets in
        which the feature was selected.
    errors : pandas.DataFrame
        One row a setting, selector and size: mean and standard deviation over the training sets
        of the error of LDA (``lda_error``) and of the best rule on the same features
        (``bayes_observed``), and the error of the best rule on the best features
        (``bayes_optimal``). Empty where errors were not asked for.
    n_sets : int
        Number of training sets.

    Examples
    --------
    >>> from holdfast.simulate import IndependentGaussian, simulate_stability
    >>> found = simulate_stability(IndependentGaussian(n_samples=100), n_sets=20)
    >>> found
    <SimulatedStability: 1 setting, 1 selector, 20 training sets. Next: .to_frame()>
    """

    stability: pd.DataFrame
    frequencies: pd.DataFrame
    errors: pd.DataFrame
    n_sets: int

    def to_frame(self) -> pd.DataFrame:
        """Return one row a setting, selector and size: measures, errors, fields of the setting."""
        tables = [side_by_side(self.stability, RESULT_KEYS, "measure")]
        if not self.errors.empty:
            tables.append(self.errors[[*RESULT_KEYS, *ERRORS]])
        tables.append(self.stability.drop(columns=ESTIMATES).drop_duplicates(RESULT_KEYS))
        return reduce(partial(pd.merge, on=RESULT_KEYS, how="left"), tables)

    def __repr__(self) -> str:
        counts = [plural(self.stability[name].nunique(), name) for name in ("setting", "selector")]
        return (
            f"<SimulatedStability: {', '.join(counts)}, {plural(self.n_sets, 'training set')}. "
            "Next: .to_frame()>"
        )


def simulate_stability(  # noqa: PLR0913  (each can be left out)
    generators: Generator | Iterable[Generator] | Mapping[str, Generator],
    selectors: Any = "t_score",  # noqa: ANN401  (whatever names a selector, or several)
    *,
    size: float | Iterable[float] = 0.1,
    n_sets: int = 100,
    measures: str | Iterable[str] = MEASURES,
    errors: bool = True,
    exact: bool | None = None,
    random_state: int = 0,
    n_jobs: int = 1,
) -> SimulatedStability:
    r"""Measure stability over training sets that are drawn from known populations.

    For each setting, `n_sets` independent training sets are drawn, and each selector selects
    features on each of them. The stability is that between independent samples: what would change
    if the study were done again.

    The pooled t-score on independent Gaussian features is drawn from its exact distribution,
    without making data: the time does not depend on the number of samples. With
    :math:`n_1 + n_2 = n` samples in the classes

    .. math:: t = \frac{Z + 2\mu / \sqrt{1/n_1 + 1/n_2}}{\sqrt{\chi^2_{n-2} / (n-2)}}

    independently for each feature. Where LDA needs more than means and variances, the rest is drawn
    given these, exactly as well. Errors are exact, too: they come from the model, not from test
    samples.

    Parameters
    ----------
    generators : Generator, list of them, or mapping from names to them
        The settings.
    selectors : selector, name, or a list or mapping of these, default "t_score"
        What selects; see :func:`holdfast.list_selectors`. All see the same training sets (but for
        scores that are drawn without data).
    size : int, float, or list of these, default 0.1
        How many features are selected: counts, or fractions of all features. Selectors that
        choose the size themselves have the size ``"own"``.
    n_sets : int, default 100
        Number of training sets, at least 2.
    measures : str or list of str
        Measures of stability; by default CW_rel, ATI_PA, and the correlations of scores and of
        ranks. For a selector that gives no scores, or no ranks, measures of these are left out.
    errors : bool, default True
        Find the errors of LDA on the selected features; its time grows with the cube of the size
        (with its square where scores are drawn exactly).
    exact : bool, optional
        Draw scores without making data: by default where possible; True refuses settings where
        it is not, False always makes data.
    random_state : int, default 0
        Seed. Training sets are seeded by their positions, so results do not depend on `n_jobs`.
    n_jobs : int, default 1
        Number of processes, as for joblib; the work is shared out by settings and selectors.

    Returns
    -------
    SimulatedStability

    References
    ----------
    D. Dernoncourt, B. Hanczar, J.-D. Zucker (2014). Analysis of feature selection stability on
    high dimension and small sample data. Computational Statistics & Data Analysis 71, 681-693.

    Examples
    --------
    >>> from holdfast.simulate import IndependentGaussian, simulate_stability
    >>> settings = {
    ...     f"{n:,} samples": IndependentGaussian(n_samples=n, n_features=1000)
    ...     for n in (100, 1000, 10000)
    ... }
    >>> table = simulate_stability(settings, size=100, n_sets=50).to_frame()
    >>> table[["setting", "relative_weighted_consistency", "lda_error", "bayes_optimal"]].round(2)
              setting  relative_weighted_consistency  lda_error  bayes_optimal
    0     100 samples                           0.05       0.47           0.16
    1   1,000 samples                           0.45       0.21           0.16
    2  10,000 samples                           0.82       0.16           0.16
    """
    settings, named = settings_of(generators), selectors_of(selectors)
    names, seed = measures_of(measures, named), seed_of(random_state)
    check_errors(settings, wanted=flag(errors, "errors"))
    check_exact(settings, named, exact)
    check_jobs(n_jobs)
    sets = check_integer(n_sets, "n_sets", 2)
    wanted = [
        SimulationRequest(sets, counts_of(size, one), names, errors) for one in settings.values()
    ]
    tasks = [
        _Task(setting, generator, name, selector, Seeds(seed, position), exact, wanted[position])
        for position, (setting, generator) in enumerate(settings.items())
        for name, selector in named.items()
    ]
    found = Parallel(n_jobs=n_jobs)(delayed(_work)(task) for task in tasks)
    return _result(tasks, found, n_sets)


class _Task(NamedTuple):
    """One selector in one setting."""

    setting: str
    generator: Generator
    name: str
    selector: Selector
    seeds: Seeds
    exact: bool | None
    wanted: SimulationRequest


def _work(task: _Task) -> SimulatedRows:
    """Do a task; with one thread, as the number of threads would change the last bits."""
    source = source_of(task.generator, task.selector, task.seeds, exact=task.exact)
    with threadpool_limits(1):
        return find(source, task.wanted, model_of(task.generator))


def _result(
    tasks: Sequence[_Task], found: Sequence[SimulatedRows], n_sets: int
) -> SimulatedStability:
    stability, errors, frequencies = [], [], []
    for task, own in zip(tasks, found, strict=True):
        key = {"setting": task.setting, "selector": task.name}
        fields = dataclasses.asdict(task.generator)  # type: ignore[call-overload]
        stability += [{**key, **row, **fields} for row in own.stability]
        errors += [{**key, **row, **fields} for row in own.errors]
        frequencies += [
            _frequencies(task, size, counts / n_sets) for size, counts in own.counts.items()
        ]
    tables = pd.DataFrame(stability), pd.concat(frequencies, ignore_index=True)
    return SimulatedStability(*tables, pd.DataFrame(errors), n_sets)


def _frequencies(task: _Task, size: int | str, shares: NDArray[np.float64]) -> pd.DataFrame:
    model = model_of(task.generator)
    return pd.DataFrame(
        {
            "setting": task.setting,
            "selector": task.name,
            "size": size,
            "feature": np.arange(len(shares)),
            "effect": task.generator.draw(0).effects / 2 if model is None else model.mu,
            "frequency": shares,
        }
    )


# What `simulate_stability` is asked for, checked before any work.

MIN_TRAINING_SAMPLES = 4
_GIVES = {"weights": {"weights", "ranking", "subset"}, "ranking": {"ranking", "subset"}}


def settings_of(given: Any) -> dict[str, Generator]:  # noqa: ANN401
    """Return the settings by name; those without one are numbered."""
    if not isinstance(given, Mapping):
        alone = isinstance(given, Generator) or not isinstance(given, Iterable)
        several = [given] if alone else given
        given = {str(position): one for position, one in enumerate(several)}
    odd = [repr(one) for one in given.values() if not isinstance(one, Generator)]
    if odd or not given:
        raise InvalidInputError(
            "generators must be one or more generators of holdfast.simulate, such as "
            f"IndependentGaussian(); received {odd[0] if odd else 'none'}."
        )
    for name, one in given.items():
        _check_samples(str(name), one)
    return {str(name): one for name, one in given.items()}


def _check_samples(name: str, generator: Generator) -> None:
    """Refuse training sets in which a class has no variance."""
    n_samples = getattr(generator, "n_samples", MIN_TRAINING_SAMPLES)
    if n_samples < MIN_TRAINING_SAMPLES:
        raise InvalidInputError(
            f"setting {name}: training sets need at least two samples of each class, so "
            f"n_samples={MIN_TRAINING_SAMPLES} or more; received {n_samples}."
        )


def selectors_of(given: Any) -> dict[str, Selector]:  # noqa: ANN401
    """Return the selectors by name."""
    if isinstance(given, Mapping):
        named = {str(name): named_selector(one)[1] for name, one in given.items()}
    else:
        several = given if isinstance(given, list | tuple) else [given]
        pairs = [named_selector(one) for one in several]
        named = dict(pairs)
        if len(named) < len(pairs):
            raise InvalidInputError(
                "two selectors go by one name; name them: selectors={'one': ..., 'other': ...}."
            )
    for name, selector in named.items():
        if form_of(type(selector)) == "groups":
            raise InvalidInputError(
                f"{name} gives groups of features, not features; give a selector of features."
            )
    if not named:
        raise InvalidInputError("at least one selector is needed; received none.")
    return named


def measures_of(given: Any, selectors: Mapping[str, Selector]) -> tuple[str, ...]:  # noqa: ANN401
    """Return the measures; refuse them if none applies to a selector."""
    several = [given] if isinstance(given, str) else _as_nonempty_list(given, "measures")
    records = {get_measure(name).name: get_measure(name) for name in several}
    forms = {record.form for record in records.values()}
    for name, selector in selectors.items():
        form = form_of(type(selector))
        if not forms & _GIVES.get(form, {"subset"}):
            raise InvalidInputError(
                f"no measure applies to {name}; give one of subsets, such as 'ati_pa', too."
            )
    return tuple(records)


def check_errors(settings: Mapping[str, Generator], *, wanted: bool) -> None:
    """Refuse errors where they are not known exactly."""
    for name, generator in settings.items():
        if wanted and model_of(generator) is None:
            raise InvalidInputError(
                f"setting {name}: exact errors are known of Gaussian models only, not of "
                f"{type(generator).__name__}; leave them out: errors=False."
            )


def check_exact(
    settings: Mapping[str, Generator], selectors: Mapping[str, Selector], exact: bool | None
) -> None:
    """Refuse to draw scores without data where that is not possible."""
    if exact is not None and not flag(exact, "exact"):
        return
    for setting, generator in settings.items():
        for name, selector in selectors.items():
            if exact and not can_be_exact(generator, selector):
                raise InvalidInputError(
                    f"setting {setting}, {name}: scores can be drawn without data for the pooled "
                    "t-score on independent Gaussian features only; leave exact out."
                )


def counts_of(size: Any, generator: Generator) -> tuple[int, ...]:  # noqa: ANN401
    """Return the sizes as counts of the features of a setting, each once."""
    n_features = int(generator.n_features)  # type: ignore[attr-defined]
    several = _as_nonempty_list(size, "size") if isinstance(size, Iterable) else [size]
    return tuple(dict.fromkeys(count_of(one, n_features, "size") for one in several))


def check_jobs(n_jobs: object) -> None:
    """Refuse a number of processes that joblib does not take."""
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise InvalidInputError(
            f"n_jobs must be a whole number of processes, or -1 for all processors; received "
            f"{n_jobs!r}."
        )


def _as_nonempty_list(given: Any, name: str) -> list[Any]:  # noqa: ANN401
    """Return one or more things as a list."""
    items = list(given) if isinstance(given, Iterable) else []
    if not items:
        raise InvalidInputError(
            f"{name} must be one, or a list of at least one; received {given!r}."
        )
    return items
