"""Adapters: scikit-learn selectors, estimators with importances, functions, names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import get_tags

from holdfast._formatting import did_you_mean, format_list
from holdfast._object_spec import (
    is_file_place,
    is_object_path,
    make_object,
    names_code,
    parse_spec_or_call,
    snake_case,
)
from holdfast._random import RandomState, generators
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
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.preferences import as_feature_count, rank_weights
from holdfast.select._imported_selectors import (
    import_selector_object,
    not_imported_error,
    parse_and_import,
)
from holdfast.select._ranker import Scorer
from holdfast.select._recognition._expected_form import (
    DECLARED_FORMS,
    ESTIMATOR_FORMS,
    ExpectedForm,
    expect_form,
    sample_weight_argument,
)
from holdfast.select._recognition._function_output import FUNCTION_FORMS, read_output
from holdfast.select._recognition._pipeline import read_estimator
from holdfast.select._recognition._reading import SUBSET, Reading
from holdfast.select._registry import form_of, get_selector, selector
from holdfast.select._selector import OfferedFeatures, Selector, renumber_classes
from holdfast.select._univariate import FScore

PARAMETERS_OF_DATA = ("_column_names", "_class_labels")
"""What an `AnySelector` knows of the data of a study; clones keep it."""
RETURNS = tuple(DECLARED_FORMS)
"""Values of the parameter `returns`."""


@selector(
    name="any_selector", title="any scikit-learn selector, estimator or function", references=()
)
class AnySelector(Scorer):
    """Use a scikit-learn selector, an estimator or a function as a selector.

    What it selects is read from the first of these: ``get_support()`` or ``support_``, a subset of
    its own size; ``coef_``, absolute values summed over classes, of which a sparse model selects
    those other than 0; ``feature_importances_``; ``ranking_``, 1 the best; ``scores_``. A function
    returns scores, a ranking, a mask, or indices or names of the selected features. The guide has
    a table of all cases (page "Selectors"), and :func:`holdfast.explain_selector` explains one.

    Parameters
    ----------
    estimator : estimator or callable, default None
        A scikit-learn selector or estimator, a pipeline or a search of them, which is cloned and
        fitted; or a function ``f(X, y)``. The result of a function may be the first item of a
        tuple, as of :func:`sklearn.feature_selection.f_classif`. None is :class:`holdfast.FScore`.
    n_features_to_select : int, float or None, default None
        How many features to keep: a count, a fraction, or None. None keeps the subset of its own
        size, if there is one, else half of the features. Features of weight 0 are never selected,
        so that a sparse model may give fewer than requested.
    returns : {"scores", "ranking", "mask", "indices", "names", "subset"}, default None
        What the function returns, or what of an estimator is used: its weights (``"scores"``), its
        ``ranking_``, or the subset that it selects (``"subset"``). None recognises it, and refuses
        output that may be several things.
    class_codes : bool, default True
        Whether the estimator gets the classes numbered from 0; False passes the labels themselves.
    as_frame : bool, default False
        Whether the estimator gets a data frame of pandas with the names of the features.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the order of features with equal scores, and of the estimator, if it has one.

    Attributes
    ----------
    estimator_ : estimator or callable
        The fitted clone, or the function.
    reading_ : Reading
        How the result was read: its text says so, and it has ``form``, ``source`` and ``subset``.
    n_found_ : int
        How many features there are to select: the size of the subset of its own size, or the
        number of features that have an order if a size is requested.
    scores_ : array of shape (p,)
        Scores. A constant feature without a score (NaN) gets the lowest score; a NaN of any other
        feature is an error.
    ranking_ : array of shape (p,)
        Ranks, 1 the best. Features beyond `n_found_` are in random order and never selected.
    support_ : array of shape (p,)
        Which features are selected.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.svm import LinearSVC
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> tree = hf.AnySelector(DecisionTreeClassifier(), n_features_to_select=2).fit(X, y)
    >>> tree.get_feature_names_out().tolist()
    ['od280/od315_of_diluted_wines', 'proline']
    >>> sparse = LinearSVC(penalty="l1", dual=False, C=0.001)
    >>> asked = hf.AnySelector(sparse, n_features_to_select=10).fit(X, y)
    >>> print(asked.reading_, asked.get_support().sum())
    a subset of 2 of 13 features (coef_, the features with a weight other than 0) 2
    """

    _sparse_format = "csr"
    _column_names: tuple[str, ...] | None = None
    """The names of the features of a study, whose data are passed without them."""
    _class_labels: tuple[str, ...] | None = None
    """The labels of the classes of a study, whose samples have the numbers of classes."""
    _found_counts: list[int] | None = None

    def __init__(
        self,
        estimator: EstimatorLike = None,
        *,
        n_features_to_select: float | None = None,
        returns: str | None = None,
        class_codes: bool = True,
        as_frame: bool = False,
        random_state: RandomState = 0,
    ) -> None:
        self.estimator = estimator
        self.n_features_to_select = n_features_to_select
        self.returns = returns
        self.class_codes = class_codes
        self.as_frame = as_frame
        self.random_state = random_state

    def __sklearn_clone__(self) -> Self:
        copy: Self = super().__sklearn_clone__()
        for name in PARAMETERS_OF_DATA:
            setattr(copy, name, getattr(self, name))
        return copy

    @property
    def expected_form(self) -> ExpectedForm:
        """What is known of the form before a fit."""
        return expect_form(self.estimator, self._check_returns())

    @property
    def selects_own_size(self) -> bool:
        """Whether what is wrapped is known to choose the size itself."""
        return self.n_features_to_select is None and self.expected_form.form == SUBSET

    @property
    def supports_sparse(self) -> bool:
        """Whether the data may be a sparse matrix: if the estimator takes one, or a function."""
        if self.as_frame or self.estimator is None:
            return False
        if not hasattr(self.estimator, "fit"):
            return True
        try:
            return bool(get_tags(self.estimator).input_tags.sparse)
        except (AttributeError, TypeError):  # estimators of other packages may have no tags
            return False

    @property
    def supports_sample_weight(self) -> bool:
        """Whether samples may have weights: if ``fit``, or the function, takes sample_weight."""
        if self.estimator is None or inspect.isclass(self.estimator):
            return False
        if hasattr(self.estimator, "fit"):
            return sample_weight_argument(self.estimator) is not None
        return "sample_weight" in _parameters(self.estimator)

    def with_feature_indices(self, columns: OfferedFeatures) -> Self:
        """Return an unfitted copy that knows the names of the offered features."""
        copy: Self = super().with_feature_indices(columns)
        names = tuple(columns.numbers) or self._column_names
        copy._column_names = None if names is None else columns.restrict_to_offered(names)
        return copy

    def with_class_labels(self, labels: Sequence[str]) -> Self:
        """Return an unfitted copy that knows the labels of the classes."""
        copy: Self = clone(self)
        copy._class_labels = tuple(labels)
        return copy

    @property
    def needs_rehearsal(self) -> bool:
        """Whether only a fit shows if it chooses the size itself."""
        return self.n_features_to_select is None and self.expected_form.form is None

    def with_own_form(self, returns: str) -> Self:
        """Return an unfitted copy that is declared to give a subset of its own size."""
        copy: Self = clone(self).set_params(returns=returns)
        return copy

    def fit(self, X: MatrixLike, y: LabelsLike, **fit_params: Any) -> Self:
        """Fit the estimator, or call the function, and select features.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n, p)
            The data, samples in rows. A sparse matrix is passed on, if the estimator takes one.
        y : array-like of shape (n,)
            The class of each sample.
        **fit_params
            Passed to ``fit`` of the estimator, or to the function, such as ``sample_weight``. The
            last step of a pipeline gets ``sample_weight``, and so does the estimator inside
            ``SelectFromModel``, ``RFE`` or a search.

        Returns
        -------
        self
        """
        data, codes = self._validate_data(X, y)
        if self.n_features_to_select is not None:  # fail before the work, not after it
            as_feature_count(self.n_features_to_select, data.shape[1], "n_features_to_select")
        generator = next(generators(self.random_state, 1))
        self.reading_ = self._read(data, self._as_targets(codes), generator, fit_params)
        self.scores_ = self.reading_.scores
        self.ranking_ = rank_weights(self.scores_, "random", generator)
        subset = self.reading_.subset
        if self.n_features_to_select is None and subset is not None:
            self.n_found_ = int(np.count_nonzero(subset))
            self.support_ = subset.copy()
        else:
            self.n_found_ = self.reading_.n_eligible
            self.support_ = self.ranking_ <= min(self._count(data.shape[1]), self.n_found_)
        return self

    def _score(self, X: MatrixLike, y: IndexArray, generator: np.random.Generator) -> FloatArray:
        return self._read(X, y, generator).scores

    def rank_found(
        self, X: MatrixLike, y: AnyArray, generator: np.random.Generator, never: int
    ) -> AnyArray:
        """Rank features by a target of any kind; those that cannot be selected get `never`."""
        reading = self._read(X, y, generator)
        ranks = rank_weights(reading.scores, "random", generator)
        return np.where(ranks <= reading.n_eligible, ranks, never)

    def _score_many(
        self, X: MatrixLike, y: IndexArray, rows: RowLists, rngs: Sequence[np.random.Generator]
    ) -> FloatArray:
        weights = self._sample_weight
        readings = [
            self._read(
                X[indices],
                self._as_targets(y[indices]),
                generator,
                None if weights is None else {"sample_weight": weights[indices]},
            )
            for indices, generator in zip(rows, rngs, strict=True)
        ]
        self._found_counts = [reading.n_eligible for reading in readings]
        return np.array([reading.scores for reading in readings])

    @property
    def has_batch_path(self) -> bool:
        """Whether one call for many resamples costs less than one call per resample."""
        return False

    def _read(
        self,
        X: MatrixLike,
        y: AnyArray,
        generator: np.random.Generator,
        fit_params: Mapping[str, Any] | None = None,
    ) -> Reading:
        """Fit the estimator, or call the function, and read the result."""
        estimator, returns = self._make_estimator(generator), self._check_returns()
        names = self._column_names if self._column_names is not None else self._feature_names()
        data, options = X, dict(fit_params or {})
        if self.as_frame:
            columns = [f"f{j}" for j in range(X.shape[1])] if names is None else list(names)
            data = pd.DataFrame(X, columns=columns)
        self.estimator_ = estimator
        if hasattr(estimator, "fit"):
            if returns not in (None, *ESTIMATOR_FORMS):
                raise InvalidInputError(
                    f"an estimator returns {format_list(ESTIMATOR_FORMS)}, got returns={returns!r}."
                )
            fitted = estimator.fit(data, y, **_route_sample_weight(estimator, options))
            # some estimators of other packages return nothing
            return read_estimator(estimator if fitted is None else fitted, X, returns)
        # a function that draws random numbers is seeded like an estimator
        output = estimator(data, y, **_seed_argument(estimator, generator), **options)
        if returns == "subset":
            raise InvalidInputError(
                f"a function returns {format_list(FUNCTION_FORMS)}, got returns='subset'."
            )
        return read_output(output, X, None if names is None else list(names), returns)

    def _as_targets(self, codes: IndexArray) -> AnyArray:
        """Return what the estimator gets as classes: numbers without gaps, or labels."""
        if self.class_codes:
            return renumber_classes(codes)
        labels = self.classes_
        if self._class_labels is not None:
            # a study numbers the classes, a comparison of halves passes their labels as text
            numbered = labels.dtype.kind in "iu"
            known = [self._class_labels[int(label)] if numbered else str(label) for label in labels]
            labels = _as_numbers(known)
        targets: AnyArray = labels[codes]
        return targets

    def _check_returns(self) -> str | None:
        if self.returns is not None and self.returns not in RETURNS:
            raise UnknownNameError(
                f"returns must be one of {format_list(RETURNS)}, or None, got {self.returns!r}."
                f"{did_you_mean(str(self.returns), RETURNS)}"
            )
        return self.returns

    def _make_estimator(self, generator: np.random.Generator) -> EstimatorLike:
        """Return a seeded clone of the estimator, or the function as it is."""
        estimator = FScore() if self.estimator is None else self.estimator
        if inspect.isclass(estimator):
            raise _class_error(estimator)
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


def _seed_argument(function: Callable[..., Any], generator: np.random.Generator) -> dict[str, int]:
    """Return the keyword ``random_state`` for functions that have it, as mutual_info_classif."""
    has_seed = "random_state" in _parameters(function)
    return {"random_state": int(generator.integers(2**31))} if has_seed else {}


def _parameters(function: Callable[..., Any]) -> Collection[str]:
    """Return the names of the parameters of a function."""
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):  # some compiled functions have no signature
        return ()


def _route_sample_weight(estimator: EstimatorLike, options: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of ``fit``, with sample weights under the name that it takes."""
    if "sample_weight" not in options:
        return options
    argument = sample_weight_argument(estimator)
    if argument is None:
        raise InvalidInputError(f"{type(estimator).__name__} takes no sample_weight; leave it out.")
    weights = options.pop("sample_weight")
    return {**options, argument: weights}


def _as_numbers(labels: Sequence[str]) -> AnyArray:
    """Return labels as numbers, if all are: data sets store labels as text."""
    for kind in (int, float):
        try:
            return np.array([kind(label) for label in labels])
        except ValueError:
            continue
    return np.array(labels)


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
    if inspect.isclass(given):
        raise _class_error(given)
    raise InvalidInputError(
        "a selector must be a selector, an estimator, a function f(X, y), or a name; "
        f"got {given!r}."
    )


def _class_error(given: type[Any]) -> InvalidInputError:
    """Return the error for a class where an instance is needed."""
    return InvalidInputError(
        f"a selector must be an instance, got the class {given.__name__}; add brackets, as in "
        f"{given.__name__}()."
    )


def _build_named(
    text: str, parse: Callable[[str], tuple[str, Mapping[str, Any]]]
) -> tuple[str, Selector]:
    """Return the name of a registered selector, and the selector with the options of a text."""
    if is_object_path(text):
        raise not_imported_error(text)
    if is_file_place(text.strip()):
        raise InvalidInputError(
            f"{text!r} names a file; also name the function, class or instance in it, as in "
            f"{text.strip()}:object."
        )
    name, options = parse(text)
    record = get_selector(name)
    return record.name, make_object(text, record.kind, options)


def describe_preference(selector: Selector) -> str:
    """Return what a selector gives, for messages if something else is needed."""
    form = form_of(type(selector))
    what = {"ranking": "a ranking", "subset": "a subset without an order"}.get(form, form)
    return f"{type(selector).__name__} gives {what}"
