"""What every generator of data gives, and how it is asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False, kw_only=True)
class Simulated:
    """A data set that was drawn, with the truth about its features.

    Attributes
    ----------
    X : ndarray of shape (n, p)
        The data, one row a sample.
    y : ndarray of shape (n,)
        The label of each sample, as text.
    feature_names : tuple of str
        The name of each feature.
    informative : ndarray of shape (p,)
        Which features differ between the classes.
    effects : ndarray of shape (p,)
        By how much: the difference of the class means in standard deviations within a class,
        0 for features that are not informative.

    Examples
    --------
    >>> from holdfast.simulate import Microarray
    >>> drawn = Microarray(n_samples=20, n_features=300).draw(0)
    >>> drawn.X.shape, int(drawn.informative.sum())
    ((20, 300), 40)
    """

    X: NDArray[np.float64]
    y: NDArray[np.str_]
    feature_names: tuple[str, ...]
    informative: NDArray[np.bool_]
    effects: NDArray[np.float64]


class Generator(ABC):
    """A population that data sets are drawn from.

    Children are frozen dataclasses whose fields are numbers and text, so that a generator can be
    written down as JSON. The fields fix the population, hence the truth; a draw adds the samples.
    """

    @abstractmethod
    def draw(self, random_state: int) -> Simulated:
        """Draw a data set.

        Parameters
        ----------
        random_state : int
            Seed of the samples; another seed gives independent samples of the same population.

        Returns
        -------
        Simulated
        """
