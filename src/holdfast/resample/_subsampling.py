"""Subsampling: training parts drawn without replacement, the rest for testing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from holdfast._formatting import format_short_percent, plural
from holdfast._random import generators
from holdfast._typing import IndexArray
from holdfast._validation import as_count, check_flag, check_integer, check_part_or_count
from holdfast.errors import InvalidInputError
from holdfast.resample._protocol import NOT_INDEPENDENT, Protocol, Resample, stratified_prefix
from holdfast.resample._registry import protocol
from holdfast.resample._strata import (
    Drawing,
    Strata,
    Units,
    check_class_sizes,
    split_disjointly,
)


@protocol(
    name="subsampling",
    title="Random subsampling",
    estimates="how much the selection changes when some samples are left out at random",
    tested="repeatedly",
    overlap="train_size, 90% by default",
    references=("dernoncourt2014", "saeys2008", "somol2008"),
)
@dataclass(frozen=True)
class Subsampling(Protocol):
    """Random subsamples without replacement; the samples left out are for testing.

    Subsamples are drawn independently, so a sample may be tested in several of them, or in none. A
    small class may not be tested at all: one of 2 samples, as every subsample keeps 2, and one
    whose share of the samples left out rounds to none. A warning names such classes.
    ``Subsampling(20)`` begins with the resamples of ``Subsampling(10)``.

    Parameters
    ----------
    n_resamples : int, default 100
        How many subsamples.
    train_size : float or int, default 0.9
        Size of a subsample: a fraction of the samples (rounded up, one is always left out), or a
        count. Where samples belong to subjects, subjects are drawn, and it counts subjects.
    stratify : bool, default True
        Keep the shares of the classes as exactly as possible.

    References
    ----------
    D. Dernoncourt, B. Hanczar, J.-D. Zucker (2014). Analysis of feature selection stability on
    high dimension and small sample data. Computational Statistics & Data Analysis 71, 681-693.

    Y. Saeys, T. Abeel, Y. Van de Peer (2008). Robust feature selection using ensemble feature
    selection techniques. ECML PKDD 2008, LNCS 5212, 313-325.

    Examples
    --------
    >>> from holdfast.resample import Subsampling
    >>> y = ["a"] * 6 + ["b"] * 4
    >>> resamples = Subsampling(3, train_size=0.8).draw(y)
    >>> [len(resample.train) for resample in resamples]
    [8, 8, 8]
    >>> resamples[0].test.tolist()
    [0, 7]
    """

    grows_by = "n_resamples"
    n_resamples: int = 100
    train_size: float = 0.9
    stratify: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_resamples", check_integer(self.n_resamples, "n_resamples", 1))
        object.__setattr__(self, "train_size", check_part_or_count(self.train_size, "train_size"))
        object.__setattr__(self, "stratify", check_flag(self.stratify, "stratify"))

    def _describe(self, unit: str) -> str:
        size = self.train_size
        samples = plural(self.n_resamples, f"{stratified_prefix(self.stratify)}subsample")
        return f"{samples} of " + (
            f"{size:,} {unit}s" if isinstance(size, int) else format_short_percent(size)
        )

    def _explain_estimate(self, unit: str) -> str:
        if isinstance(self.train_size, int):
            return (
                f"How much the selection changes from one random choice of {self.train_size:,} "
                f"{unit}s to another ({self._describe(unit)}); subsamples of one data set share "
                f"{unit}s, the more the larger they are, so {NOT_INDEPENDENT}."
            )
        left_out = format_short_percent(1 - self.train_size)
        return (
            f"How much the selection changes when a random {left_out} of the {unit}s is left out"
            f" ({self._describe(unit)}); two subsamples share about "
            f"{format_short_percent(self.train_size)} of their {unit}s, so {NOT_INDEPENDENT}."
        )

    def _compute_overlap(self, n_units: int | None) -> float | None:
        # a sample of one subsample is in another with the share of that
        if n_units is None:
            return self.train_size if isinstance(self.train_size, float) else None
        return min(as_count(self.train_size, n_units), n_units - 1) / n_units

    def _draw(self, units: Units, random_state: int, n_features: int | None) -> Iterator[Resample]:
        drawing = Drawing(units, self._training_size(units), "subsampling", stratify=self.stratify)
        for generator in generators(random_state, self.n_resamples):
            yield Resample(*units.split(drawing.without_replacement(generator)))

    def _training_size(self, units: Units) -> int:
        if isinstance(self.train_size, float):
            return min(as_count(self.train_size, units.count), units.count - 1)
        if self.train_size >= units.count:
            raise InvalidInputError(
                f"train_size must be below the {plural(units.count, units.noun)} that there are, "
                f"so that some are left for testing; got {self.train_size:,}."
            )
        return self.train_size


# Complementary halves: pairs of disjoint subsamples, each half of the data.


@protocol(
    name="complementary_halves",
    title="Complementary halves",
    estimates="how well the selection of one study agrees with another, each half the size",
    tested="repeatedly",
    overlap="none",
)
@dataclass(frozen=True)
class ComplementaryHalves(Protocol):
    """Pairs of disjoint halves: what two studies of half the size would select.

    Resamples 2i and 2i + 1 are a pair, with i under `outer`: they share no sample, and only they
    are compared with each other. Each is the other's test part. Of an odd number of samples one
    is left out of both, chosen again for each pair.
    ``ComplementaryHalves(20)`` begins with the resamples of ``ComplementaryHalves(10)``.

    Parameters
    ----------
    n_pairs : int, default 50
        How many pairs.
    stratify : bool, default True
        Keep the shares of the classes as exactly as possible.

    Examples
    --------
    >>> from holdfast.resample import ComplementaryHalves
    >>> one, other = ComplementaryHalves(1).draw(["a"] * 5 + ["b"] * 4)
    >>> one.train.tolist(), other.train.tolist()
    ([1, 3, 6, 8], [2, 4, 5, 7])
    """

    grows_by = "n_pairs"
    n_pairs: int = 50
    stratify: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_pairs", check_integer(self.n_pairs, "n_pairs", 1))
        object.__setattr__(self, "stratify", check_flag(self.stratify, "stratify"))

    @property
    def can_be_inner(self) -> bool:
        """Whether it can draw inner resamples: no, all of those are compared with each other."""
        return False

    def count_resamples(self, units: Units) -> int:
        """Return how many resamples will be drawn: two per pair."""
        return 2 * self.n_pairs

    def _describe(self, unit: str) -> str:
        halves = f"{stratified_prefix(self.stratify)}complementary halves"
        return f"{plural(self.n_pairs, 'pair')} of {halves}"

    def _explain_estimate(self, unit: str) -> str:
        return (
            f"How well two studies that share no {unit}s agree, each half the size of this one "
            f"({self._describe(unit)}, compared within each pair); studies of the full size "
            "usually agree better."
        )

    def _compute_overlap(self, n_units: int | None) -> float:
        return 0.0  # only disjoint parts are compared

    def _draw(self, units: Units, random_state: int, n_features: int | None) -> Iterator[Resample]:
        why = (
            f"halves need at least {{needed}} {units.noun}s of every class, so that each half "
            "keeps {keep}"
        )
        check_class_sizes(units, lambda keep: 2 * keep, why, stratify=self.stratify)
        strata = Strata.from_units(units, stratify=self.stratify)
        for pair, generator in enumerate(generators(random_state, self.n_pairs)):
            one, other = map(units.rows, _split_in_halves(strata, generator))
            # each half is tested on the other, so every sample that is drawn is tested once per
            # pair
            yield Resample(one, other, outer=pair)
            yield Resample(other, one, outer=pair)


def _split_in_halves(
    strata: Strata, generator: np.random.Generator
) -> tuple[IndexArray, IndexArray]:
    """Halve each stratum; the odd units of all strata are pooled and halved at random."""
    shuffled = strata.shuffle(generator)
    place, half = strata.place, np.repeat(strata.sizes // 2, strata.sizes)
    # halves get equal sizes even if many strata are odd
    odd = generator.permutation(shuffled[place == 2 * half])
    few = len(odd) // 2
    one, other = shuffled[place < half], shuffled[(place >= half) & (place < 2 * half)]
    return np.concatenate([one, odd[:few]]), np.concatenate([other, odd[few : 2 * few]])


# Disjoint parts: several samples of one size that share no unit, drawn again and again.

SHARES = {2: "half", 3: "a third of", 4: "a quarter of", 5: "a fifth of"}


@protocol(
    name="disjoint_parts",
    title="Disjoint parts (thirds, quarters, ...)",
    estimates="how well studies agree that share nothing, each a part of the size of this one",
    tested="repeatedly",
    overlap="none",
)
@dataclass(frozen=True)
class DisjointParts(Protocol):
    """Thirds, quarters ... of the data: what independent studies of that size would select.

    In each repeat the data are cut into parts of one size that share no sample; only parts of one
    repeat, whose number is under `outer`, are compared with each other. All samples outside a
    part test it. Leftover samples are in no part; each repeat leaves over others. Two parts are
    :class:`ComplementaryHalves`.
    ``DisjointParts(20)`` begins with the resamples of ``DisjointParts(10)``.

    Parameters
    ----------
    n_repeats : int, default 20
        How often the data are divided.
    n_parts : int, default 3
        Number of parts.
    stratify : bool, default True
        Keep the shares of the classes as exactly as possible.

    Examples
    --------
    >>> from holdfast.resample import DisjointParts
    >>> parts = DisjointParts(1).draw(["a"] * 6 + ["b"] * 7)
    >>> [len(part.train) for part in parts]
    [4, 4, 4]
    >>> len(set(parts[0].train) & set(parts[1].train))
    0
    """

    grows_by = "n_repeats"
    n_repeats: int = 20
    n_parts: int = 3
    stratify: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_repeats", check_integer(self.n_repeats, "n_repeats", 1))
        object.__setattr__(self, "n_parts", check_integer(self.n_parts, "n_parts", 2))
        object.__setattr__(self, "stratify", check_flag(self.stratify, "stratify"))

    @property
    def can_be_inner(self) -> bool:
        """Whether it can draw inner resamples: no, all of those are compared with each other."""
        return False

    def count_resamples(self, units: Units) -> int:
        """Return how many resamples will be drawn: all parts of each repeat."""
        return self.n_repeats * self.n_parts

    def _describe(self, unit: str) -> str:
        repeats = plural(self.n_repeats, "repeat")
        return f"{repeats} of {self.n_parts} {stratified_prefix(self.stratify)}disjoint parts"

    def _explain_estimate(self, unit: str) -> str:
        share = SHARES.get(self.n_parts, f"1/{self.n_parts} of")
        return (
            f"How well studies that share no {unit}s agree, each {share} the size of this one "
            f"({self._describe(unit)}, compared within each repeat); larger studies usually "
            "agree better."
        )

    def _compute_overlap(self, n_units: int | None) -> float:
        return 0.0  # only disjoint parts are compared

    def _draw(self, units: Units, random_state: int, n_features: int | None) -> Iterator[Resample]:
        why = (
            f"{self.n_parts} disjoint parts need at least {{needed}} {units.noun}s of every "
            "class, so that each part keeps {keep}"
        )
        check_class_sizes(units, lambda keep: self.n_parts * keep, why, stratify=self.stratify)
        labels = Strata.from_units(units, stratify=self.stratify).labels
        for repeat, generator in enumerate(generators(random_state, self.n_repeats)):
            for part in split_disjointly(np.arange(units.count), labels, self.n_parts, generator):
                yield Resample(*units.split(part), outer=repeat)
