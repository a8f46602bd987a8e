"""All pairs of selector, classifier and size against each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from holdfast.judge._pair import Pair
from holdfast.judge._scored import Sheet
from holdfast.judge._tests import check_correction, corrected

if TYPE_CHECKING:
    from holdfast.judge._pair import Tested
    from holdfast.judge._tests import Correction


def compare_pairs(tested: Tested, *, correction: Correction = "holm") -> pd.DataFrame:
    """Test the difference in error between all pairs of selector, classifier and size.

    The question is about the population: would the selectors with their classifiers err equally
    often, over data sets like this one? Where each sample is predicted once, by McNemar's test,
    or, where several samples belong to one subject (``tested.units``), by a t-test on the
    subjects' sums of differences, because samples of one subject are not independent. Where samples
    are tested repeatedly, by a t-test on the samples' (subjects') sums. All classifiers are trained
    on nearly the same samples, so variances are enlarged; see the guide, "Which selector to take".
    Predictions that one of the two lacks are left out.

    Without a correction the tests are those published: McNemar's exact test (`mcnemar`), which
    takes the classifiers for fixed, the plain t-test on subjects, and the corrected resampled
    t-test (`corrected_t_test`). They find differences between equals too often.

    Parameters
    ----------
    tested : Tested
        The predictions of all of them.
    correction : {"holm", None}, default "holm"
        How p-values are corrected for being many; None: not at all, with the tests as published.

    Returns
    -------
    pandas.DataFrame
        One row for each two of them: ``selector_a``, ``classifier_a``, ``size_a``, the same of
        b; ``error_a``, ``error_b`` and their ``difference`` (a minus b), on all that is known of
        each; ``p_value`` as it is and ``p_corrected``; the ``test``.

    Examples
    --------
    >>> import holdfast as hf
    >>> tested = hf.judge.Tested(
    ...     pairs=(hf.judge.Pair("a", "knn3", 5), hf.judge.Pair("b", "knn3", 5)),
    ...     wrong=[[False] * 10, [True] * 6 + [False] * 4], known=[[True] * 10] * 2,
    ...     samples=range(10), group=[0] * 10, once=True, overlap=0.1,
    ... )
    >>> hf.judge.compare_pairs(tested)[["selector_a", "selector_b", "difference", "p_value"]]
      selector_a selector_b  difference   p_value
    0          a          b        -0.6  0.117307
    """
    check_correction(correction)
    scored = Sheet(tested).weighed()
    count = len(tested.pairs)
    a, b = np.triu_indices(count, 1)
    as_published = correction is None
    rows = [
        scored.p_values(first, as_published=as_published)[first + 1 :] for first in range(count)
    ]
    p_values = np.concatenate([*rows, np.empty(0)])
    columns = {
        f"{part}_{side}": pd.Series([pair[at] for pair in tested.pairs], dtype=object)
        .iloc[numbers]
        .to_numpy()
        for side, numbers in (("a", a), ("b", b))
        for at, part in enumerate(Pair._fields)
    }
    errors = {"error_a": scored.errors[a], "error_b": scored.errors[b]}
    return pd.DataFrame(columns).assign(
        **errors,
        difference=errors["error_a"] - errors["error_b"],
        p_value=p_values,
        p_corrected=corrected(p_values, correction),
        test=scored.published if as_published else scored.test,
    )
