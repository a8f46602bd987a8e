"""Discoveries of a study are those of data splitting on its own halves."""

from __future__ import annotations

import numpy as np
import pytest

import holdfast as hf
from holdfast.errors import InvalidInputError, UnknownNameError
from holdfast.select import discover


def data(informative=15):
    rng = np.random.default_rng(0)
    y = np.arange(80) % 2
    X = rng.standard_normal((80, 60))
    X[:, :informative] += 1.5 * y[:, np.newaxis]
    return X, y


def run(selectors=("t_score", "relieff"), **more):
    settings = {
        "sizes": [3],
        "classifiers": (),
        "protocol": hf.Subsampling(2, 0.9),
        "replication": 8,
    }
    study = hf.Study(list(selectors), **{**settings, **more})
    return study.run(*data(), n_jobs=1)


@pytest.fixture(scope="module")
def result():
    return run()


@pytest.mark.parametrize("fdr", [0.1, 0.3])
def test_discoveries_come_from_the_halves_of_the_study(result, fdr):
    X, y = data()
    pairs = result._reader.replication_pairs.halves
    stored = dict(result.store.query("SELECT resample, train FROM resamples"))
    rows = [np.frombuffer(stored[at], "<i4") for at in pairs.ravel().tolist()]
    t = hf.TScore().signed_statistics(X, y, rows)
    mirror = np.sign(t[::2] * t[1::2]) * (np.abs(t[::2]) + np.abs(t[1::2]))
    expected = discover(mirror, fdr)
    table = result.discoveries(fdr)
    names = result._reader.feature_names
    assert set(table["feature"]) == set(names[expected.support])
    assert set(table["selector"]) == {"t_score"}
    position = {name: at for at, name in enumerate(names)}
    features = [position[name] for name in table["feature"]]
    np.testing.assert_allclose(table["inclusion_rate"], expected.inclusion_rates[features])
    np.testing.assert_allclose(table["agreement"], (mirror[:, features] > 0).mean(axis=0))
    np.testing.assert_allclose(table["statistic"], t[:, features].mean(axis=0))
    assert table["inclusion_rate"].is_monotonic_decreasing
    # the second class has the larger means
    informative = table["feature"].isin(names[:15])
    assert (table["statistic"][informative] > 0).all()
    assert informative.sum() >= 12


def test_no_effects_give_an_empty_table():
    X, y = data(informative=0)
    study = hf.Study(
        "t_score", sizes=[3], classifiers=(), protocol=hf.Subsampling(2, 0.9), replication=8
    )
    table = study.run(X, y, n_jobs=1).discoveries()
    assert table.empty
    assert list(table) == ["selector", "feature", "inclusion_rate", "agreement", "statistic"]


def test_selectors_without_signed_statistics_are_named(result):
    with pytest.raises(InvalidInputError, match=r"not for relieff\. Add t_score"):
        result.discoveries(selectors=["relieff"])
    with pytest.raises(UnknownNameError, match="no selector of this study"):
        result.discoveries(selectors=["t_scor"])
    with pytest.raises(InvalidInputError, match="fdr must be"):
        result.discoveries(fdr=2)


def test_studies_without_halves_say_why():
    with pytest.raises(InvalidInputError, match="need disjoint halves of the data"):
        run(replication=0).discoveries()
