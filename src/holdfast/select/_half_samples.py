"""Halves of the data: complementary pairs or single ones, of samples or of whole subjects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.errors import InvalidInputError
from holdfast.resample import ComplementaryHalves
from holdfast.select._selector import together
from holdfast.select._stability_settings import SAMPLINGS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from holdfast.select._picks import Data
    from holdfast.select._stability_settings import Sampled

    Rows = list[NDArray[np.intp]]


def halves_of(data: Data, own: NDArray[np.integer], how: Sampled, seed: int) -> Rows:
    """Draw two halves a pair from some rows of the data, which may repeat.

    The samples of a subject stay together, and so do copies of a sample, so that halves of a pair
    share nothing. Classes keep their shares.
    """
    subjects = together(data.subjects, own)
    paired = how.sampling == SAMPLINGS[0]
    pairs = how.n_pairs if paired else 2 * how.n_pairs
    try:
        if data.classes is None:
            halves = _plain_halves(len(own), subjects, pairs, seed)
        else:
            halves = _class_halves(data.classes[data.y[own]], subjects, pairs, seed)
    except InvalidInputError as error:
        n, p = len(own), data.X.shape[1]
        raise InvalidInputError(f"{error} Received {n:,} samples of {p:,} feature(s).") from None
    return [own[half].astype(np.intp) for half in (halves if paired else halves[::2])]


def _class_halves(
    labels: NDArray[Any], subjects: NDArray[Any] | None, n_pairs: int, seed: int
) -> Rows:
    resamples = ComplementaryHalves(n_pairs).draw(labels, subjects, random_state=seed)
    return [resample.train for resample in resamples]


def _plain_halves(n_samples: int, subjects: NDArray[Any] | None, n_pairs: int, seed: int) -> Rows:
    members = _members(n_samples, subjects)
    if len(members) < 4:
        noun = "samples" if subjects is None else "subjects"
        raise InvalidInputError(
            f"halves of at least 2 {noun} need 4 of them; received {len(members)}."
        )
    generator = np.random.default_rng(seed)
    return [half for _ in range(n_pairs) for half in _halves(members, generator)]


def _members(n_samples: int, subjects: NDArray[Any] | None) -> Rows:
    """Return the rows of each unit that is drawn."""
    if subjects is None:
        return list(np.arange(n_samples)[:, None])
    codes = np.unique(subjects, return_inverse=True)[1]
    return np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])


def _halves(members: Rows, generator: np.random.Generator) -> Rows:
    """Split units into two halves of equal number; one that is over is left out."""
    order = generator.permutation(len(members))
    size = len(members) // 2
    parts = order[:size], order[size : 2 * size]
    return [np.sort(np.concatenate([members[unit] for unit in part])) for part in parts]
