"""Other people's selectors: scikit-learn's, estimators with importances, plain functions."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import clone

from holdfast._formatting import format_list, plural
from holdfast._object_spec import made_of, parse_either, snake_case
from holdfast.errors import InvalidInputError
from holdfast.preferences._scores import importance
from holdfast.select._ranker import Scorer
from holdfast.select._registry import form_of, get_selector, selector
from holdfast.select._selector import Selector
from holdfast.select._univariate import FScore

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from holdfast.preferences import Rankings, Weights
    from holdfast.preferences._ranks import RandomState
    from holdfast.select._selector import Array, Rows


_SCORES = ("scores_", "feature_importances_", "coef_")


class SparseModelError(InvalidInputError):
    """A model gives fewer features a weight than are to be selected."""


@selector(
    name="any_selector", title="any scikit-learn selector, estimator or function", references=()
)
class AnySelector(Scorer):
    """Use somebody else's way of judging features.

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
        Seed of the order of features with equal scores, and of the estimator, if it takes one.

    Attributes
    ----------
    estimator_ : estimator or callable
        The fitted clone, or the function.
    scores_ : array of shape (p,)
        Scores; a constant feature without one (NaN) gets the lowest, any other without one is an
        error.
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
        estimator: Any = None,  # noqa: ANN401  (an estimator or a function)
        *,
        n_features_to_select: float | None = None,
        random_state: RandomState = 0,
    ) -> None:
        self.estimator = estimator
        self.n_features_to_select = n_features_to_select
        self.random_state = random_state

    @property
    def chooses_size(self) -> bool:
        """Whether the wrapped estimator is a selector that is left to choose the size."""
        return self.n_features_to_select is None and hasattr(self.estimator, "get_support")

    def _score(self, X: Any, y: NDArray[np.intp], generator: np.random.Generator) -> Array:  # noqa: ANN401
        judge = self._made(generator)
        if hasattr(judge, "fit"):
            scores = _judgement(judge.fit(X, y))
        else:
            answer = judge(X, y, **_seed(judge, generator))
            scores = np.asarray(answer[0] if isinstance(answer, tuple) else answer, dtype=float)
        if scores.shape != (X.shape[1],):
            raise InvalidInputError(
                f"one score per feature is needed, that is {X.shape[1]:,}; "
                f"{judge!r} gave the shape {scores.shape}."
            )
        self.estimator_ = judge
        return _finite(scores, X)

    def _rank(self, X: Any, y: NDArray[np.intp], generator: np.random.Generator) -> NDArray[Any]:  # noqa: ANN401
        ranks = super()._rank(X, y, generator)
        self._check_reached(self.scores_)
        return ranks

    def _judge(
        self,
        X: Any,  # noqa: ANN401
        y: NDArray[np.intp],
        rows: Rows,
        seeded: Sequence[np.random.Generator],
    ) -> tuple[Weights | None, Rankings]:
        weights, rankings = super()._judge(X, y, rows, seeded)
        if weights is not None:
            for scores in weights.values:
                self._check_reached(scores)
        return weights, rankings

    def _check_reached(self, scores: Array) -> None:
        """Refuse a number of features that would be filled up with features of weight 0."""
        if self.n_features_to_select is None:
            return
        asked = self._count(len(scores))
        reached = np.count_nonzero(scores > 0)
        zeros = np.count_nonzero(scores == 0)
        filled = reached < asked <= reached + zeros
        # where scores go below 0, a score of 0 has its place in their order: as the highest, or
        # where the cut leaves out none of the features that have it
        signed = reached + zeros < len(scores)
        if not filled or (signed and (not reached or asked == reached + zeros)):
            return
        raise SparseModelError(self._too_sparse(int(reached), asked))

    def _too_sparse(self, reached: int, asked: int) -> str:
        """Say how many features have a weight, and how to ask for no more."""
        own = "leave n_features_to_select out, so that it chooses the size itself."
        if not hasattr(self.estimator, "fit"):
            own = "take a selector of scikit-learn that chooses the size itself."
        elif not hasattr(self.estimator, "get_support"):
            own = "wrap it in scikit-learn's SelectFromModel, so that it chooses the size itself."
        fewer = f"ask for at most {reached:,}" if reached else "let it keep some"
        return (
            f"{_name_of(self.estimator)} kept {reached:,} of the {asked:,} features asked for; all "
            f"others have the weight 0. {fewer.capitalize()}, or {own}"
        )

    def _made(self, generator: np.random.Generator) -> Any:  # noqa: ANN401
        given = FScore() if self.estimator is None else self.estimator
        if not hasattr(given, "fit"):
            if not callable(given):
                raise InvalidInputError(
                    f"an estimator or a function f(X, y) is needed, got {given!r}."
                )
            return given
        judge = clone(given)
        seeds = [key for key in judge.get_params() if key.split("__")[-1] == "random_state"]
        return judge.set_params(**{key: int(generator.integers(2**31)) for key in seeds})

    def fit(self, X: Any, y: Any) -> Self:  # noqa: ANN401
        """Fit the estimator, or call the function, and rank the features; see the class."""
        super().fit(X, y)
        chosen = getattr(self.estimator_, "get_support", None)
        if self.n_features_to_select is None and chosen is not None:
            self.support_ = np.asarray(chosen(), dtype=bool)
        elif self.n_features_to_select is None and self.scores_.min() == 0:
            self.support_ &= self.scores_ > 0
        return self


def _name_of(estimator: Any) -> str:  # noqa: ANN401
    """Return what messages call an estimator or a function."""
    if hasattr(estimator, "fit"):
        return type(estimator).__name__
    return getattr(estimator, "__name__", None) or repr(estimator)


def _seed(function: Callable[..., Any], generator: np.random.Generator) -> dict[str, int]:
    """Return a seed for a function that takes one, as mutual_info_classif does."""
    try:
        takes = "random_state" in inspect.signature(function).parameters
    except ValueError:  # some compiled functions have no signature
        return {}
    return {"random_state": int(generator.integers(2**31))} if takes else {}


def _judgement(fitted: Any) -> Array:  # noqa: ANN401
    """Return what a fitted estimator thinks of the features, higher being better."""
    if any(getattr(fitted, name, None) is not None for name in _SCORES):
        return np.asarray(importance(fitted, 0, _SCORES), dtype=np.float64)
    if hasattr(fitted, "ranking_"):
        return -np.asarray(fitted.ranking_, dtype=np.float64)
    if hasattr(fitted, "get_support"):
        return np.asarray(fitted.get_support(), dtype=np.float64)
    raise InvalidInputError(
        f"{type(fitted).__name__} has none of {', '.join(_SCORES)}, ranking_ and get_support: "
        "it does not say what it thinks of features."
    )


def _finite(scores: Array, X: NDArray[Any]) -> Array:
    """Make the missing scores of constant features the lowest, infinite ones large numbers."""
    if np.isfinite(scores).all():
        return scores
    finite = np.nan_to_num(scores)
    missing = np.isnan(scores)
    odd = np.flatnonzero(missing)[np.ptp(X[:, missing], axis=0) > 0]
    if odd.size:
        raise InvalidInputError(
            f"{plural(odd.size, 'feature')} got no score (NaN) although the values differ: "
            f"{format_list(odd)}."
        )
    finite[missing] = finite[~missing].min(initial=0.0) if missing.all() else finite[~missing].min()
    return finite


# Selectors as people give them: objects, names with options, estimators, functions.


def as_selector(given: Any) -> Selector:  # noqa: ANN401
    """Return the selector that is meant.

    Parameters
    ----------
    given : selector, estimator, callable or str
        A selector, which is cloned; an estimator or a function ``f(X, y)``, which is wrapped in
        :class:`holdfast.AnySelector`; or a name, perhaps with options, as
        ``"relieff:n_neighbors=5"`` or ``"relieff(n_neighbors=5)"``.

    Returns
    -------
    Selector
    """
    return named_selector(given)[1]


def named_selector(given: Any) -> tuple[str, Selector]:  # noqa: ANN401
    """Return a name for a selector, and the selector; see `as_selector`."""
    if isinstance(given, str):
        return _parse_selector(given)
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


def given_by(selector: Selector) -> str:
    """Say what a selector gives, for messages to those who need something else."""
    form = form_of(type(selector))
    what = {"ranking": "a ranking", "subset": "a subset without an order"}.get(form, form)
    return f"{type(selector).__name__} gives {what}"


def _parse_selector(text: str) -> tuple[str, Selector]:
    name, options = parse_either(text)
    selector: Selector = made_of(text, get_selector(name).kind, options)
    return name, selector
