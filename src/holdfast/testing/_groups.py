"""What holdfast expects of a selector that finds groups, as a class of tests to inherit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from holdfast.testing._contract import Contract, refuses

if TYPE_CHECKING:
    from holdfast.preferences import Groups
    from holdfast.testing._contract import Data


class GroupSelectorConformance(Contract):
    """Inherit from this class, name the child ``Test...``, and return a selector from `make`.

    The selector is a :class:`holdfast.select.Grouper`.

    Examples
    --------
    >>> from holdfast.testing import GroupSelectorConformance
    >>> import holdfast as hf
    >>> class TestMine(GroupSelectorConformance):
    ...     def make(self):
    ...         return hf.KMeansGroups(n_clusters=4)
    >>> TestMine().test_groups_and_scores_fit_together()
    """

    def example(self, classes: int = 2) -> Data:
        """Return 60 samples of 12 features: three blocks of three, and three single ones.

        The first block tells the classes apart.
        """
        rng = np.random.default_rng(0)
        y = np.arange(60) % classes
        sources = rng.normal(size=(60, 3))
        sources[:, 0] += 2.0 * y
        blocks = np.repeat(sources, 3, axis=1) + 0.2 * rng.normal(size=(60, 9))
        return np.hstack([blocks, rng.normal(size=(60, 3))]), y

    def of_fit(self, fitted: Any) -> Groups:  # noqa: ANN401
        """Return the groups that a selector was fitted to."""
        groups: Groups = fitted.groups_
        return groups

    def of_resamples(self, data: Data, rows: Any, first: int = 0) -> Groups:  # noqa: ANN401
        """Return the groups that are found on resamples."""
        groups: Groups = self.make().group_resamples(*data, rows, first=first)
        return groups

    def test_groups_and_scores_fit_together(self) -> None:
        """Groups are sets of features with a representative each, the best first."""
        fitted = self.make().fit(*self.example())
        groups, chosen = fitted.groups_[0], fitted.representatives_
        assert len(fitted.groups_) == 1
        assert 1 <= len(groups) == len(chosen) == len(fitted.group_scores_)
        assert np.isfinite(fitted.group_scores_).all()
        assert (np.diff(fitted.group_scores_) <= 0).all()
        assert np.array_equal(fitted.groups_.representatives[0], chosen)
        for group, representative in zip(groups, chosen, strict=True):
            assert representative in group
            assert (np.diff(group) > 0).all()

    def test_number_of_groups(self) -> None:
        """A count of groups keeps the best; more than there are, or None, keeps all."""
        X, y = self.example()
        everyone = self.make().set_params(n_groups=None).fit(X, y).groups_[0]
        for given in range(1, len(everyone) + 2):
            kept = self.make().set_params(n_groups=given).fit(X, y).groups_[0]
            assert _listed(kept) == _listed(everyone[:given])
        for wrong in (0, -1, 1.5, True, "many"):
            refuses(self.make().set_params(n_groups=wrong), X, y, "n_groups")

    def test_representatives_or_members_are_given(self) -> None:
        """What is selected is what `output` says, in the columns of the data."""
        X, y = self.example()
        for output in ("representatives", "members"):
            fitted = self.make().set_params(output=output, n_groups=2).fit(X, y)
            members = np.concatenate(fitted.groups_[0])
            chosen = fitted.representatives_ if output == "representatives" else members
            assert np.flatnonzero(fitted.get_support()).tolist() == np.unique(chosen).tolist()
            assert np.array_equal(fitted.transform(X), X[:, np.unique(chosen)])
        refuses(self.make().set_params(output="centers"), X, y, "centres")

    def test_centres_are_given(self) -> None:
        """A centre is the mean of the members, standardised by the data of the fit."""
        X, y = self.example()
        fitted = self.make().set_params(output="centres").fit(X[:40], y[:40])
        scaled = (X - X[:40].mean(axis=0)) / X[:40].std(axis=0)
        wanted = [scaled[:, group].mean(axis=1) for group in fitted.groups_[0]]
        assert np.allclose(fitted.transform(X), np.transpose(wanted))
        assert len(fitted.get_feature_names_out()) == len(wanted)

    def test_constant_features_are_in_no_group(self) -> None:
        """A feature that never changes is like no other."""
        X, y = self.example()
        X[:, [1, 9]] = 0.1
        found = np.concatenate(self.make().set_params(n_groups=None).fit(X, y).groups_[0])
        assert not np.isin([1, 9], found).any()


def _listed(groups: Any) -> list[list[int]]:  # noqa: ANN401
    return [group.tolist() for group in groups]
