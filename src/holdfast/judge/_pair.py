"""What is compared: a selector with a classifier at a size, and the predictions of many such."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from holdfast._text import plural
from holdfast.errors import InvalidInputError

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Pair(NamedTuple):
    """A selector with a classifier, at a number of selected features.

    Attributes
    ----------
    selector, classifier : str
        Their names.
    size : int or str
        The number of features; ``"own"`` where the selector chooses it.

    Examples
    --------
    >>> import holdfast as hf
    >>> print(hf.judge.Pair("relieff", "knn3", 10))
    relieff with knn3 on 10 features
    """

    selector: str
    classifier: str | None
    size: int | str

    def __str__(self) -> str:
        classifier = "" if self.classifier is None else f" with {self.classifier}"
        return f"{self.selector}{classifier} on {_features(self.size)}"


def _features(size: int | str) -> str:
    return "as many features as it chooses" if isinstance(size, str) else plural(size, "feature")


@dataclass(frozen=True, eq=False, kw_only=True)
class Tested:
    """The predictions of many pairs, side by side: one column is one test of one sample.

    Attributes
    ----------
    pairs : tuple of Pair
        What predicts.
    wrong : bool array of shape (pairs, predictions)
        Whether a prediction is wrong.
    known : bool array of shape (pairs, predictions)
        Whether there is a prediction: not where work failed or is still to do.
    samples : int array of shape (predictions,)
        The sample that is predicted.
    group : int array of shape (predictions,)
        The test part that it is in.
    once : bool
        Whether no sample is predicted twice.
    overlap : float
        How many samples are tested for each that trains; 0 where each test part comes with a
        data set of its own.
    units : int array of shape (predictions,), optional
        What is drawn as a whole when samples are drawn anew, such as the subject that several
        samples belong to; by default the sample. Samples of one unit are not independent: where
        each sample is tested once, tests and standard errors are then those of units.

    Examples
    --------
    >>> import holdfast as hf
    >>> tested = hf.judge.Tested(
    ...     pairs=(hf.judge.Pair("a", "knn3", 5), hf.judge.Pair("b", "knn3", 5)),
    ...     wrong=[[True, False, False], [True, True, False]],
    ...     known=[[True, True, True], [True, True, True]],
    ...     samples=[0, 1, 2], group=[0, 0, 1], once=True, overlap=0.5,
    ... )
    >>> tested
    <Tested: 2 pairs, 3 predictions each, each sample once. Next: hf.judge.compare_pairs(tested)>
    """

    pairs: tuple[Pair, ...]
    wrong: NDArray[np.bool_]
    known: NDArray[np.bool_]
    samples: NDArray[np.int64]
    group: NDArray[np.int64]
    once: bool
    overlap: float
    units: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        shape = len(self.pairs), len(self.samples)
        for name, kind in (("wrong", np.bool_), ("known", np.bool_)):
            self._set(name, np.asarray(getattr(self, name), dtype=kind), shape)
        for name in ("samples", "group", "units"):
            given = self.samples if getattr(self, name) is None else getattr(self, name)
            self._set(name, np.asarray(given, dtype=np.int64), shape[1:])

    def _set(self, name: str, values: NDArray[np.generic], shape: tuple[int, ...]) -> None:
        if values.shape != shape:
            raise InvalidInputError(
                f"{name} must have the shape {shape}, one row a pair and one column a "
                f"prediction; received {values.shape}."
            )
        object.__setattr__(self, name, values)

    def at(self, columns: NDArray[np.bool_]) -> Tested:
        """Return some of the predictions.

        Parameters
        ----------
        columns : bool array of shape (predictions,)
            Which of them.

        Returns
        -------
        Tested
        """
        units = None if self.units is None else self.units[columns]
        return Tested(
            pairs=self.pairs,
            wrong=self.wrong[:, columns],
            known=self.known[:, columns],
            samples=self.samples[columns],
            group=self.group[columns],
            once=self.once,
            overlap=self.overlap,
            units=units,
        )

    @property
    def drawn(self) -> str:
        """What is drawn as a whole when samples are drawn anew: what `units` are.

        ``"data sets"`` where each test part comes with one of its own, ``"subjects"`` where
        several samples belong to one unit, else ``"samples"``.
        """
        if self.overlap == 0:
            return "data sets"
        several = len(np.unique(np.asarray(self.units))) < len(np.unique(self.samples))
        return "subjects" if several else "samples"

    def __repr__(self) -> str:
        times = "each sample once" if self.once else "samples repeatedly"
        return (
            f"<Tested: {plural(len(self.pairs), 'pair')}, "
            f"{plural(len(self.samples), 'prediction')} each, {times}. "
            "Next: hf.judge.compare_pairs(tested)>"
        )
