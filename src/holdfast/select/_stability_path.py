"""How selection probabilities grow along the path: what stability selection looks at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from holdfast._text import plural
from holdfast.select._penalty_path import NEVER

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from holdfast.select._picks import Picks

    Array = NDArray[np.float64]

STEPS = 100
"""Most steps of a path."""
SIZE, PENALTY = "number of selected features", "relative penalty"


@dataclass(frozen=True, eq=False, repr=False)
class StabilityPath:
    """The share of subsamples in which features have been selected by each step of the path.

    Attributes
    ----------
    axis : {"number of selected features", "relative penalty"}
        What the steps are. A penalty is relative to the one at which the first feature of the
        subsample enters.
    steps : array of shape (s,)
        Numbers of features rise; penalties fall. At most 100.
    features : tuple of str or int
        Names, or numbers, of the features that are selected in at least one subsample, the most
        frequent first. All others have probability 0 all along.
    probabilities : array of shape (s, f)
        Rows are steps; they never fall along the path.
    threshold : float
        The least share at the last step that is enough to be selected.
    selected : array of shape (f,)
        Which of the features are selected.

    Examples
    --------
    >>> import holdfast as hf
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> path = hf.StabilitySelection("t_score").fit(X, y).stability_path_
    >>> path
    <StabilityPath: 6 features, 3 steps of the number of selected features>
    >>> path.to_frame().query("feature == 'flavanoids'")["probability"].tolist()
    [0.0, 0.09, 0.65]
    """

    axis: str
    steps: NDArray[np.generic]
    features: tuple[str, ...] | tuple[int, ...]
    probabilities: Array
    threshold: float
    selected: NDArray[np.bool_]

    def to_frame(self) -> pd.DataFrame:
        """Return a table: one row a feature and step, with its probability.

        Returns
        -------
        pandas.DataFrame
            Columns ``feature``, ``step``, ``probability`` and ``selected``.
        """
        import pandas as pd  # noqa: PLC0415  (only where a table is wanted)

        s, f = self.probabilities.shape
        return pd.DataFrame(
            {
                "feature": np.repeat(np.array(self.features, dtype=object), s),
                "step": np.tile(self.steps, f),
                "probability": self.probabilities.T.ravel(),
                "selected": np.repeat(self.selected, s),
            }
        )

    def __repr__(self) -> str:
        features, steps = plural(len(self.features), "feature"), plural(len(self.steps), "step")
        return f"<StabilityPath: {features}, {steps} of the {self.axis}>"


def path_of(
    picks: Picks,
    threshold: float,
    selected: NDArray[np.bool_],
    names: NDArray[np.object_] | None,
) -> StabilityPath:
    """Return the path that led to these picks."""
    counts = picks.counts()
    features = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    axis, times = _times(picks, features)
    steps = _steps(times)
    shares = np.array([(times <= step).mean(axis=0) for step in steps])
    named = features.tolist() if names is None else [str(name) for name in names[features]]
    return StabilityPath(
        axis=axis,
        steps=steps.astype(np.intp) if axis == SIZE else -steps,
        features=tuple(named),
        probabilities=shares.reshape(len(steps), len(features)),
        threshold=threshold,
        selected=selected[features],
    )


def _times(picks: Picks, features: NDArray[np.intp]) -> tuple[str, Array]:
    """Return when each feature is picked on each subsample: the number picked, minus the penalty.

    Later is larger; infinite is never.
    """
    if picks.penalties is not None:
        penalties = picks.penalties[:, features]
        return PENALTY, np.where(penalties > 0, -penalties, np.inf)
    positions = picks.positions[:, features]
    return SIZE, np.where(positions < NEVER, positions, np.inf)


def _steps(times: Array) -> Array:
    """Return the times at which something happens; where they are many, some, evenly spread."""
    known = np.unique(times[np.isfinite(times)])
    if len(known) <= STEPS:
        return known
    return known[np.linspace(0, len(known) - 1, STEPS).round().astype(np.intp)]
