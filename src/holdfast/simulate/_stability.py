"""Stability over training sets drawn from known populations."""

from __future__ import annotations

import dataclasses
import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from holdfast._formatting import plural
from holdfast._imported_objects import (
    IMPORTED_FILES,
    pickle_with_files,
    unpickle_with_files,
)
from holdfast._typing import FloatArray, SelectorLike
from holdfast._validation import check_flag, check_integer, check_seed
from holdfast.errors import InvalidInputError
from holdfast.measures import get_measure
from holdfast.preferences import as_feature_count
from holdfast.select import Selector, form_of, named_selector
from holdfast.simulate._microarray import Generator
from holdfast.simulate._training_sets import (
    ERROR_COLUMNS,
    Seeds,
    SimulatedRows,
    SimulationRequest,
    choose_source,
    get_gaussian_model,
    pivot_in_order,
    run_simulation,
    supports_exact_scores,
)

MEASURES = ("relative_weighted_consistency", "ati_pa", "pearson", "spearman")
"""The measures of Dernoncourt et al. (2014): CW_rel, ATI_PA, S_W and S_R."""
RESULT_KEYS = ["setting", "selector", "size"]
ESTIMATE_COLUMNS = ["measure", "value", "low", "high", "chance"]


@dataclass(frozen=True, eq=False, repr=False)
class SimulatedStability:
    """Result of `simulate_stability`.

    Attributes
    ----------
    stability : pandas.DataFrame
        One row per setting, selector, size and measure: ``value``, the ends ``low`` and ``high``
        of its 95% interval, ``chance`` (the expected value under random selection), and the
        fields of the generator. Measures of scores and of ranks do not depend on the size and are
        repeated for each size.
    frequencies : pandas.DataFrame
        One row per setting, selector, size and feature: ``effect``, half the difference of the
        class means in standard deviations (μ), and ``frequency``, the fraction of training sets
        in which the feature was selected.
    errors : pandas.DataFrame
        One row per setting, selector and size: mean and standard deviation over the training sets
        of the error of LDA, by the pseudo-inverse (``lda_error``) and by the shrunken covariance
        matrix (``shrinkage_lda_error``), and of the best rule on the same features
        (``bayes_observed``), and the error of the best rule on the best features
        (``bayes_optimal``). Empty if ``errors=False``.
    n_sets : int
        Number of training sets.

    Examples
    --------
    >>> from holdfast.simulate import IndependentGaussian, simulate_stability
    >>> result = simulate_stability(IndependentGaussian(n_samples=100), n_sets=20)
    >>> result
    <SimulatedStability: 1 setting, 1 selector, 20 training sets. Next: .to_frame()>
    """

    stability: pd.DataFrame
    frequencies: pd.DataFrame
    errors: pd.DataFrame
    n_sets: int

    def to_frame(self) -> pd.DataFrame:
        """Return one row per setting, selector and size: measures, errors, generator fields."""
        tables = [pivot_in_order(self.stability, RESULT_KEYS, "measure")]
        if not self.errors.empty:
            tables.append(self.errors[[*RESULT_KEYS, *ERROR_COLUMNS]])
        tables.append(self.stability.drop(columns=ESTIMATE_COLUMNS).drop_duplicates(RESULT_KEYS))
        return reduce(partial(pd.merge, on=RESULT_KEYS, how="left"), tables)

    def __repr__(self) -> str:
        counts = [plural(self.stability[name].nunique(), name) for name in ("setting", "selector")]
        return (
            f"<SimulatedStability: {', '.join(counts)}, {plural(self.n_sets, 'training set')}. "
            "Next: .to_frame()>"
        )


def simulate_stability(
    generators: Generator | Iterable[Generator] | Mapping[str, Generator],
    selectors: SelectorLike = "t_score",
    *,
    size: float | Iterable[float] = 0.1,
    n_sets: int = 100,
    measures: str | Iterable[str] = MEASURES,
    errors: bool = True,
    exact: bool | None = None,
    random_state: int = 0,
    n_jobs: int = 1,
) -> SimulatedStability:
    r"""Measure stability over training sets drawn from known populations.

    For each setting, `n_sets` independent training sets are drawn, and each selector selects
    features on each of them. The result is the stability between independent samples, as if the
    study were repeated.

    The pooled t-score on independent Gaussian features is drawn from its exact distribution,
    without generating data: the time does not depend on the number of samples. With
    :math:`n_1 + n_2 = n` samples in the two classes

    .. math:: t = \frac{Z + 2\mu / \sqrt{1/n_1 + 1/n_2}}{\sqrt{\chi^2_{n-2} / (n-2)}}

    independently for each feature. What LDA needs beyond means and variances is drawn from its
    exact conditional distribution. Errors are exact as well: they are computed from the model, not
    estimated on test samples.

    Parameters
    ----------
    generators : Generator, list of them, or mapping from names to them
        The settings. Settings without a name are numbered.
    selectors : selector, name, or a list or mapping of these, default "t_score"
        The selectors, see :func:`holdfast.list_selectors`. All are run on the same training sets,
        except if scores are drawn without data.
    size : int, float, or list of these, default 0.1
        Number of selected features: counts, or fractions of all features. For selectors that
        choose the size themselves, the size is ``"own"`` in the tables.
    n_sets : int, default 100
        Number of training sets, at least 2.
    measures : str or list of str
        Measures of stability; by default CW_rel, ATI_PA, and the correlations of scores and of
        ranks. Measures that need scores or ranks are omitted for selectors without them.
    errors : bool, default True
        Compute the errors of LDA on the selected features. The time grows with the cube of the
        size (with its square if scores are drawn exactly).
    exact : bool, optional
        Whether to draw scores without generating data. By default this is done where possible;
        True raises an error where it is not possible, False always generates data.
    random_state : int, default 0
        Seed. Training sets are seeded by position, so results do not depend on `n_jobs`.
    n_jobs : int, default 1
        Number of processes, as in joblib; a task is one selector in one setting.

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
    settings, named_selectors = name_settings(generators), name_selectors(selectors)
    names, seed = resolve_measures(measures, named_selectors), check_seed(random_state)
    if check_flag(errors, "errors"):
        check_exact_errors(settings)
    check_exact_scores(settings, named_selectors, exact)
    check_jobs(n_jobs)
    n_sets = check_integer(n_sets, "n_sets", 2)
    requests = [
        SimulationRequest(n_sets, resolve_sizes(size, generator), names, errors)
        for generator in settings.values()
    ]
    # a setting's training sets are the same for all selectors: the seed has its position only
    tasks = [
        _Task(setting, generator, name, selector, Seeds(seed, position), exact, requests[position])
        for position, (setting, generator) in enumerate(settings.items())
        for name, selector in named_selectors.items()
    ]
    if IMPORTED_FILES:  # processes of joblib know nothing of them
        packed = map(pickle_with_files, tasks)
        rows = Parallel(n_jobs=n_jobs)(delayed(_run_packed_task)(task) for task in packed)
    else:
        rows = Parallel(n_jobs=n_jobs)(delayed(_run_task)(task) for task in tasks)
    return _collect_result(tasks, rows, n_sets)


class _Task(NamedTuple):
    """One selector in one setting."""

    setting: str
    generator: Generator
    name: str
    selector: Selector
    seeds: Seeds
    exact: bool | None
    request: SimulationRequest


def _run_task(task: _Task) -> SimulatedRows:
    """Run a task in a single thread: the number of threads would change the last bits."""
    source = choose_source(task.generator, task.selector, task.seeds, exact=task.exact)
    with threadpool_limits(1):
        return run_simulation(source, task.request, get_gaussian_model(task.generator))


def _run_packed_task(task: bytes) -> SimulatedRows:
    return _run_task(unpickle_with_files(task))


def _collect_result(
    tasks: Sequence[_Task], rows_by_task: Sequence[SimulatedRows], n_sets: int
) -> SimulatedStability:
    stability, errors, frequencies = [], [], []
    for task, rows in zip(tasks, rows_by_task, strict=True):
        key = {"setting": task.setting, "selector": task.name}
        fields = dataclasses.asdict(task.generator)  # type: ignore[call-overload]
        stability += [{**key, **row, **fields} for row in rows.stability]
        errors += [{**key, **row, **fields} for row in rows.errors]
        frequencies += [
            _tabulate_frequencies(task, size, counts / n_sets)
            for size, counts in rows.counts.items()
        ]
    tables = pd.DataFrame(stability), pd.concat(frequencies, ignore_index=True)
    return SimulatedStability(*tables, pd.DataFrame(errors), n_sets)


def _tabulate_frequencies(task: _Task, size: int | str, frequencies: FloatArray) -> pd.DataFrame:
    model = get_gaussian_model(task.generator)
    return pd.DataFrame(
        {
            "setting": task.setting,
            "selector": task.name,
            "size": size,
            "feature": np.arange(len(frequencies)),
            "effect": task.generator.draw(0).effects / 2 if model is None else model.mu,
            "frequency": frequencies,
        }
    )


# Validation of the arguments of `simulate_stability`.

MIN_TRAINING_SAMPLES = 4
"""Derived: a variance within classes needs two samples of each."""
_MEASURABLE_FORMS = {"weights": {"weights", "ranking", "subset"}, "ranking": {"ranking", "subset"}}
"""Forms of measures that apply to the output of a selector, by its form."""


def name_settings(generators: object) -> dict[str, Generator]:
    """Return the settings by name; settings without a name are numbered."""
    if isinstance(generators, Mapping):
        settings = {str(name): generator for name, generator in generators.items()}
    else:
        several: Iterable[object] = [generators]
        if isinstance(generators, Iterable) and not isinstance(generators, Generator):
            several = generators
        settings = {str(position): generator for position, generator in enumerate(several)}
    invalid = [value for value in settings.values() if not isinstance(value, Generator)]
    if invalid or not settings:
        raise InvalidInputError(
            "generators must be one or more generators of holdfast.simulate, such as "
            f"IndependentGaussian(); got {repr(invalid[0]) if invalid else 'none'}."
        )
    for name, generator in settings.items():
        n_samples = getattr(generator, "n_samples", MIN_TRAINING_SAMPLES)
        if n_samples < MIN_TRAINING_SAMPLES:
            raise InvalidInputError(
                f"setting {name}: n_samples must be at least {MIN_TRAINING_SAMPLES}, which gives "
                f"two samples per class; got {n_samples}."
            )
    return settings


def name_selectors(selectors: SelectorLike) -> dict[str, Selector]:
    """Return the selectors by name."""
    if isinstance(selectors, Mapping):
        named = {str(name): named_selector(value)[1] for name, value in selectors.items()}
    else:
        several = selectors if isinstance(selectors, list | tuple) else [selectors]
        pairs = [named_selector(value) for value in several]
        named = dict(pairs)
        if len(named) < len(pairs):
            raise InvalidInputError(
                "two selectors have the same name; give names: selectors={'a': ..., 'b': ...}."
            )
    for name, selector in named.items():
        if form_of(type(selector)) == "groups":
            raise InvalidInputError(
                f"{name} selects groups of features; give a selector of single features."
            )
    if not named:
        raise InvalidInputError("selectors must have at least one selector; got none.")
    return named


def resolve_measures(measures: object, selectors: Mapping[str, Selector]) -> tuple[str, ...]:
    """Return the names of the measures; raise an error if none applies to a selector."""
    several = [measures] if isinstance(measures, str) else _as_nonempty_list(measures, "measures")
    records = {record.name: record for record in map(get_measure, several)}
    forms = {record.form for record in records.values()}
    for name, selector in selectors.items():
        form = form_of(type(selector))
        if not forms & _MEASURABLE_FORMS.get(form, {"subset"}):
            raise InvalidInputError(
                f"no measure applies to {name}; add a measure of subsets, such as 'ati_pa'."
            )
    return tuple(records)


def check_exact_errors(settings: Mapping[str, Generator]) -> None:
    """Raise an error for settings without exact errors."""
    for name, generator in settings.items():
        if get_gaussian_model(generator) is None:
            raise InvalidInputError(
                f"setting {name}: errors are available only for Gaussian models, not for "
                f"{type(generator).__name__}; set errors=False."
            )


def check_exact_scores(
    settings: Mapping[str, Generator], selectors: Mapping[str, Selector], exact: bool | None
) -> None:
    """Raise an error if scores must be drawn without data but cannot be."""
    if exact is not None and not check_flag(exact, "exact"):
        return
    for setting, generator in settings.items():
        for name, selector in selectors.items():
            if exact and not supports_exact_scores(generator, selector):
                raise InvalidInputError(
                    f"setting {setting}, {name}: scores can be drawn without data only for the "
                    "pooled t-score on independent Gaussian features; omit exact."
                )


def resolve_sizes(size: float | Iterable[float], generator: Generator) -> tuple[int, ...]:
    """Return the distinct sizes as numbers of features of a setting."""
    n_features = int(generator.n_features)  # type: ignore[attr-defined]
    several = _as_nonempty_list(size, "size") if isinstance(size, Iterable) else [size]
    return tuple(dict.fromkeys(as_feature_count(value, n_features, "size") for value in several))


def check_jobs(n_jobs: object) -> None:
    """Raise an error for a number of processes that joblib does not accept."""
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise InvalidInputError(
            f"n_jobs must be a non-zero integer, such as -1 for all processors; got {n_jobs!r}."
        )


def _as_nonempty_list(values: object, name: str) -> list[Any]:
    """Return the values as a list; raise an error if there are none."""
    items = list(values) if isinstance(values, Iterable) else []
    if not items:
        raise InvalidInputError(
            f"{name} must be a single value or a non-empty list; got {values!r}."
        )
    return items
