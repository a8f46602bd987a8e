"""Weights of samples: who uses them, whether resamples can be fitted with them, and in which form.

A weight of 2 counts like two copies of the sample in every fit that takes weights. Resamples are
drawn, and errors are counted, without weights.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from holdfast._classifiers import takes_counts_only
from holdfast._formatting import format_list
from holdfast._typing import JSON, EstimatorLike, FloatArray, IndexArray
from holdfast.errors import HoldfastWarning, InvalidInputError
from holdfast.resample import Resample
from holdfast.select import (
    Selector,
    check_class_weights,
    ignored_weights_sentence,
    sample_weight_argument,
)


def weighting_facts(
    selectors: Mapping[str, Selector],
    classifiers: Mapping[str, Any],
    codes: IndexArray,
    weights: FloatArray,
    resamples: Sequence[Resample],
) -> dict[str, JSON]:
    """Return the section of a plan about sample weights.

    Parameters
    ----------
    selectors, classifiers : mapping
        By name.
    codes, weights : ndarray of shape (n,)
        The class and the weight of each sample.
    resamples : sequence of Resample
        All resamples of the study, auxiliary ones included.

    Raises
    ------
    InvalidInputError
        Nothing uses the weights; samples are drawn independently; or a class has no weight in the
        training part of a resample.
    """
    ignoring = {
        "selectors": [name for name, s in selectors.items() if not s.supports_sample_weight],
        "classifiers": [
            name for name, given in classifiers.items() if sample_weight_argument(given) is None
        ],
    }
    names = [*ignoring["selectors"], *ignoring["classifiers"]]
    if len(names) == len(selectors) + len(classifiers):
        raise InvalidInputError(
            f"no selector or classifier uses the sample weights: {format_list(names)} "
            f"{'does' if len(names) == 1 else 'do'} not take any. Choose estimators whose fit "
            "takes sample_weight, such as scikit-learn's LogisticRegression, or leave the "
            "weights out."
        )
    if any(resample.draw >= 0 for resample in resamples):
        raise InvalidInputError(
            "weights belong to samples, but this protocol draws new samples; leave the weights "
            "out, or choose a protocol that resamples the data."
        )
    for position, resample in enumerate(resamples):
        rows = resample.train
        check_class_weights(codes[rows], weights[rows], f"the training part of resample {position}")
    if names:
        sentence = ignored_weights_sentence(format_list(names), len(names))
        warnings.warn(sentence, HoldfastWarning, stacklevel=3)
    return {"ignored_by": ignoring}


def classification_weights(
    classifier: EstimatorLike, weights: FloatArray | None
) -> dict[str, FloatArray]:
    """Return the arguments of ``fit`` that weigh the steps of a classification.

    Features are scaled by weighted moments, so that a weight of 2 equals two copies; for a
    classifier that takes no weights, nothing is weighted.
    """
    argument = None if weights is None else sample_weight_argument(classifier)
    if weights is None or argument is None:
        return {}
    scaling = {} if takes_counts_only(classifier) else {"scale__sample_weight": weights}
    return {**scaling, f"classify__{argument}": weights}
