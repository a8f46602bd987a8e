"""The preferences behind a result, by selector and size."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, overload

from holdfast._text import shortened
from holdfast.errors import InvalidInputError
from holdfast.study import _system as system
from holdfast.study._system import rankings, subsets, weights
from holdfast.study._view import OWN, cut, size_label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.preferences import Groups, Rankings, Subsets, Weights
    from holdfast.study._view import View

Key: TypeAlias = "str | tuple[str, int | str]"


class StudyPreferences:
    """What the selectors of a study preferred, read from its store on demand.

    ``preferences["relieff", 10]`` are `Subsets`: the ten best features of each resample (any
    number up to `Result.depth`, the number of features of each ranking that are kept; ``"own"``
    for a selector that chooses the number itself). ``preferences["relieff"]`` are `Weights`, or
    else `Rankings`, of all features; they are kept where the study asked for a measure of them.
    ``preferences.groups("drags", 10)`` are `Groups`. Iteration gives the keys.

    Resamples whose selection failed or is still to do are left out; so are the outer ones of a
    nested study and the reference result on all data.
    """

    def __init__(self, view: View) -> None:
        self._view = view

    @overload
    def __getitem__(self, key: str) -> Weights | Rankings: ...
    @overload
    def __getitem__(self, key: tuple[str, int | str]) -> Subsets: ...
    def __getitem__(self, key: Key) -> Subsets | Weights | Rankings:
        if isinstance(key, str):
            return self._whole(self._view.number(key), key)
        name, size = key
        selector = self._view.number(name)
        return self._subsets(selector, name, self._size(selector, name, size))

    def groups(self, name: str, size: int | str) -> Groups:
        """Return the groups of features that a selector preferred on each resample.

        Parameters
        ----------
        name : str
            The selector; the features of one that finds no groups stand each for itself.
        size : int or "own"
            The best so many groups; ``"own"`` for a selector that chooses their number itself.

        Returns
        -------
        Groups
            One result a resample, with representatives.
        """
        selector = self._view.number(name)
        count = self._size(selector, name, size)
        found = self._view.feature_groups(selector)
        rows = [found[number] for number in self._view.counted(found)]
        _check_any(name, len(rows))
        return system.groups(cut(rows, count), feature_names=self._view.feature_names)

    def keys(self) -> list[Key]:
        """Return the keys: pairs of selector and size, and selectors by themselves."""
        view = self._view
        keys: list[Key] = []
        for selector, name in enumerate(view.selectors):
            keys += [(name, size_label(size)) for size in view.sizes(selector)]
            keys += [name] * bool(view.forms(selector) & {"ranks", "weights"})
        return keys

    def __iter__(self) -> Iterator[Key]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    def __contains__(self, key: object) -> bool:
        return key in self.keys()

    def __repr__(self) -> str:
        return f"<preferences: {shortened(self.keys())}. Next: preferences[key]>"

    def _size(self, selector: int, name: str, size: int | str) -> int:
        known = self._view.sizes(selector)
        if known == [OWN] and size in ("own", OWN):
            return OWN
        if known != [OWN] and not isinstance(size, str) and 1 <= size <= self._view.depth:
            return size
        allowed = '"own"' if known == [OWN] else f"1 to {self._view.depth}"
        raise InvalidInputError(f"sizes of {name} are {allowed}, got {size!r}.")

    def _subsets(self, selector: int, name: str, size: int) -> Subsets:
        found = self._view.choices(selector)
        rows = [found[number] for number in self._view.counted(found)]
        _check_any(name, len(rows))
        return subsets(cut(rows, size), feature_names=self._view.feature_names)

    def _whole(self, selector: int, name: str) -> Weights | Rankings:
        forms = self._view.forms(selector)
        for form, build in (("weights", weights), ("ranks", rankings)):
            if form in forms:
                found = dict(self._view.raw(selector, form))
                rows = [found[number] for number in self._view.counted(found)]
                _check_any(name, len(rows))
                return build(rows, feature_names=self._view.feature_names)
        size = size_label(self._view.sizes(selector)[0])
        raise InvalidInputError(
            f"the whole rankings or weights of {name} were not kept: the study asked for no "
            f"measure of them, or {name} gives none. Its selections are there: "
            f"preferences[{name!r}, {size!r}]."
        )


def _check_any(name: str, count: int) -> None:
    if count == 0:
        raise InvalidInputError(f"no resample of {name} is done yet; resume the study.")
