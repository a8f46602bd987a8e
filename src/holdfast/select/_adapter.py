"""Adapters: scikit-learn selectors, estimators with importances, functions, names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from holdfast._formatting import format_list, plural
from holdfast._object_spec import (
    is_object_path,
    make_object,
    names_code,
    parse_spec_or_call,
    snake_case,
)
from holdfast._random import RandomState
from holdfast._typing import (
    AnyArray,
    EstimatorLike,
    FloatArray,
    IndexArray,
    LabelsLike,
    MatrixLike,
    RowLists,
    SelectorLike,
)
from holdfast.errors import InvalidInputError
from holdfast.preferences import Rankings, Weights, get_importance
from holdfast.select._imported_selectors import (
    import_selector_object,
    not_imported_error,
    parse_and_import,
)
from holdfast.select._ranker import Scorer
from holdfast.select._registry import form_of, get_selector, selector
from holdfast.select._selector import Selector
from holdfast.select._univariate import FScore

_SCORES = ("scores_", "feature_importances_", "coef_")


class SparseModelError(InvalidInputError):
    """A model gives a weight to fewer features than are to be selected."""


@selector(
    name="any_selector", title="any scikit-learn selector, estimator or function", references=()
)
class AnySelector(Scorer):
    """Use a scikit-learn selector, an estimator or a function as a selector.

    Parameters
    ----------
    estimator : estimator or callable, default None
        A scikit-learn selector or estimator, which is cloned and fitted; or a function
        ``f(X, y)`` that returns a score per feature (or a tuple that starts with them, as
        :func:`sklearn.feature_selection.f_classif` does). None is :class:`holdfast.FScore`. After
        fitting, the first of these is used: ``scores_``, ``feature_importances_``, ``coef_``
        (absolute values, summed over classes), ``ranking_`` (1 is best), ``get_support()``
        (selected features score 1, others 0).
    n_features_to_select : int, float or None, default None
        How many features to keep: a count, a fraction, or None. None keeps what the estimator
        selects, if it is a selector, else half of the features, without those of weight 0. A
        count that the estimator does not reach, as it gives fewer features a weight other than 0,
        is an error: features without a weight have no order.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the order of features with equal scores, and of the estimator, if it has one.

    Attributes
    ----------
    estimator_ : estimator or callable
        The fitted clone, or the function.
    scores_ : array of shape (p,)
        Scores. A constant feature without a score (NaN) gets the lowest score; a NaN of any other
        feature is an error.
    ranking_ : array of shape (p,)
        Ranks, 1 the best.
    support_ : array of shape (p,)
        Which features are selected.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> tree = hf.AnySelector(DecisionTreeClassifier(), n_features_to_select=2).fit(X, y)
    >>> tree.get_feature_names_out().tolist()
    ['od280/od315_of_diluted_wines', 'proline']
    """

    def __init__(
        self,
        estimator: EstimatorLike = None,
        *,
        n_features_to_select: float | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.estimator = estimator
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    @property
    def selects_own_size(self) -> bool:
        """Whether the wrapped estimator is a selector that chooses the size itself."""
        return self.n_features_to_select is None and hasattr(self.estimator, "get_support")

    def _score(self, X: MatrixLike, y: IndexArray, generator: np.random.Generator) -> FloatArray:
        estimator = self._make_estimator(generator)
        if hasattr(estimator, "fit"):
            scores = _feature_scores(estimator.fit(X, y))
        else:
            # scikit-learn's score functions return (scores, p-values)
            # a function that draws random numbers is seeded like an estimator
            output = estimator(X, y, **_seed_argument(estimator, generator))
            scores = np.asarray(output[0] if isinstance(output, tuple) else output, dtype=float)
        if scores.shape != (X.shape[1],):
            raise InvalidInputError(
                f"one score per feature is needed, that is {X.shape[1]:,}; "
                f"{estimator!r} gave the shape {scores.shape}."
            )
        self.estimator_ = estimator
        return _replace_missing_scores(scores, X)

    def _rank(self, X: MatrixLike, y: IndexArray, generator: np.random.Generator) -> AnyArray:
        ranks = super()._rank(X, y, generator)
        self._check_enough_weights(self.scores_)
        return ranks

    def _select_many(
        self, X: MatrixLike, y: IndexArray, rows: RowLists, rngs: Sequence[np.random.Generator]
    ) -> tuple[Weights | None, Rankings]:
        weights, rankings = super()._select_many(X, y, rows, rngs)
        # resamples that were scored in one call are checked one by one, as separate fits would be
        if weights is not None:
            for scores in weights.values:
                self._check_enough_weights(scores)
        return weights, rankings

    def _check_enough_weights(self, scores: FloatArray) -> None:
        """Raise if features of weight 0 would be selected to reach the requested number."""
        if self.n_features_to_select is None:
            return
        requested = self._count(len(scores))
        positive = np.count_nonzero(scores > 0)
        zeros = np.count_nonzero(scores == 0)
        needs_zeros = positive < requested <= positive + zeros
        # If there are negative scores, 0 is a score like any other. It is then legitimate as the
        # highest score, or if all features that have it are selected.
        signed = positive + zeros < len(scores)
        if not needs_zeros or (signed and (not positive or requested == positive + zeros)):
            return
        raise SparseModelError(self._sparse_model_message(int(positive), requested))

    def _sparse_model_message(self, positive: int, requested: int) -> str:
        """Return how many features have a weight, and what to do about it."""
        name = type(self.estimator).__name__
        remedy = "leave n_features_to_select out, so that it chooses the size itself."
        if not hasattr(self.estimator, "fit"):
            name = getattr(self.estimator, "__name__", None) or repr(self.estimator)
            remedy = "use a scikit-learn selector that chooses the size itself."
        elif not hasattr(self.estimator, "get_support"):
            remedy = (
                "wrap it in scikit-learn's SelectFromModel, so that it chooses the size itself."
            )
        fewer = f"Select at most {positive:,}" if positive else "Let it keep some"
        return (
            f"{name} kept {positive:,} of the {requested:,} features requested; all others have "
            f"the weight 0. {fewer}, or {remedy}"
        )

    def _make_estimator(self, generator: np.random.Generator) -> EstimatorLike:
        """Return a seeded clone of the estimator, or the function as it is."""
        estimator = FScore() if self.estimator is None else self.estimator
        if not hasattr(estimator, "fit"):
            if not callable(estimator):
                raise InvalidInputError(
                    f"an estimator or a function f(X, y) is needed, got {estimator!r}."
                )
            return estimator
        estimator = clone(estimator)
        # nested estimators are seeded as well, such as the steps of a pipeline
        seeds = [key for key in estimator.get_params() if key.split("__")[-1] == "random_state"]
        return estimator.set_params(**{key: int(generator.integers(2**31)) for key in seeds})

    def fit(self, X: MatrixLike, y: LabelsLike) -> Self:
        """Fit the estimator, or call the function, and rank the features; see the class."""
        super().fit(X, y)
        get_support = getattr(self.estimator_, "get_support", None)
        # a selector keeps the features it selected; else features without a weight are left out
        if self.n_features_to_select is None and get_support is not None:
            self.support_ = np.asarray(get_support(), dtype=bool)
        elif self.n_features_to_select is None and self.scores_.min() == 0:
            self.support_ &= self.scores_ > 0
        return self


def _seed_argument(function: Callable[..., Any], generator: np.random.Generator) -> dict[str, int]:
    """Return the keyword ``random_state`` for functions that have it, as mutual_info_classif."""
    try:
        has_seed = "random_state" in inspect.signature(function).parameters
    except ValueError:  # some compiled functions have no signature
        return {}
    return {"random_state": int(generator.integers(2**31))} if has_seed else {}


def _feature_scores(fitted: EstimatorLike) -> FloatArray:
    """Return the feature scores of a fitted estimator, higher being better."""
    # scores say more than ranks, and ranks more than a selection
    if any(getattr(fitted, name, None) is not None for name in _SCORES):
        return np.asarray(get_importance(fitted, 0, _SCORES), dtype=np.float64)
    if hasattr(fitted, "ranking_"):
        # rank 1 is the best, but the highest score is
        return -np.asarray(fitted.ranking_, dtype=np.float64)
    if hasattr(fitted, "get_support"):
        return np.asarray(fitted.get_support(), dtype=np.float64)
    raise InvalidInputError(
        f"{type(fitted).__name__} has none of {', '.join(_SCORES)}, ranking_ and get_support, so "
        "it gives no scores of features."
    )


def _replace_missing_scores(scores: FloatArray, X: AnyArray) -> FloatArray:
    """Give constant features without a score the lowest one; replace infinity by large numbers."""
    if np.isfinite(scores).all():
        return scores
    finite = np.nan_to_num(scores)
    missing = np.isnan(scores)
    # a test statistic of a constant feature is 0/0; any other NaN is a fault of the scorer
    not_constant = np.flatnonzero(missing)[np.ptp(X[:, missing], axis=0) > 0]
    if not_constant.size:
        raise InvalidInputError(
            f"{plural(not_constant.size, 'feature')} got no score (NaN) although the values "
            f"differ: {format_list(not_constant)}."
        )
    finite[missing] = finite[~missing].min(initial=0.0) if missing.all() else finite[~missing].min()
    return finite


# Conversion of what users pass: selectors, estimators, functions, names with options.


def as_selector(given: SelectorLike) -> Selector:
    """Convert to a selector.

    Parameters
    ----------
    given : selector, estimator, callable or str
        A selector, which is cloned; an estimator or a function ``f(X, y)``, which is wrapped in
        :class:`holdfast.AnySelector`; or a name, perhaps with options, as
        ``"relieff:n_neighbors=5"`` or ``"relieff(n_neighbors=5)"``. The paths that
        `named_selector` imports are refused: this text may come from a stored plan.

    Returns
    -------
    Selector
    """
    if isinstance(given, str):
        return _build_named(given, parse_spec_or_call)[1]
    return named_selector(given)[1]


def wrong_kind_error(selector: Selector, requirement: str) -> InvalidInputError:
    """Return the error for a selector that does not give what is required."""
    return InvalidInputError(
        f"{requirement}; {describe_preference(selector)}. hf.list_selectors() shows what each "
        "selector gives."
    )


def named_selector(given: SelectorLike) -> tuple[str, Selector]:
    """Return a name for a selector, and the selector, from what a user gives.

    Parameters
    ----------
    given : selector, estimator, callable or str
        As for `as_selector`; or an object of a module or a file, ``"package.module:object"`` or
        ``"path/to/file.py:object"``, which is imported.

    Returns
    -------
    name : str
    selector : Selector
    """
    if isinstance(given, str) and is_object_path(given):
        name, thing = import_selector_object(given)
        try:
            return name, named_selector(thing)[1]
        except InvalidInputError as error:
            raise InvalidInputError(f"{given}: {error}") from error
    if isinstance(given, str):
        return _build_named(given, parse_and_import if names_code(given) else parse_spec_or_call)
    if isinstance(given, Selector):
        return snake_case(type(given).__name__), clone(given)
    if hasattr(given, "fit") and not inspect.isclass(given):
        return snake_case(type(given).__name__), AnySelector(clone(given))
    if callable(given) and not inspect.isclass(given):
        return getattr(given, "__name__", "function"), AnySelector(given)
    raise InvalidInputError(
        "a selector must be a selector, an estimator, a function f(X, y), or a name; "
        f"got {given!r}."
    )


def _build_named(
    text: str, parse: Callable[[str], tuple[str, Mapping[str, Any]]]
) -> tuple[str, Selector]:
    """Return the name of a registered selector, and the selector with the options of a text."""
    if is_object_path(text):
        raise not_imported_error(text)
    name, options = parse(text)
    record = get_selector(name)
    return record.name, make_object(text, record.kind, options)


def describe_preference(selector: Selector) -> str:
    """Return what a selector gives, for messages if something else is needed."""
    form = form_of(type(selector))
    what = {"ranking": "a ranking", "subset": "a subset without an order"}.get(form, form)
    return f"{type(selector).__name__} gives {what}"
