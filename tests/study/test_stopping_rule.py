"""Studies that stop when their intervals are narrow: the same as if asked for that number."""

import json
import math
from contextlib import closing
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import holdfast as hf
from holdfast.errors import HoldfastWarning, InvalidInputError, StoreError
from holdfast.resample import PROTOCOLS
from holdfast.study._execution import _sequential_run
from holdfast.study._execution._sequential_run import SequentialStudy
from holdfast.study._planning import _plan
from holdfast.study._planning._make_plan import make_plan
from holdfast.study._planning._stopping_rule import steps
from holdfast.study._storage._checksums import PLAN_CHECKSUM_KEY
from holdfast.study._storage._schema import STOPPING_RULE_KEY
from tests.resample.strategies import same
from tests.study.inline import Died, work_here
from tests.study.run_folders import tables
from tests.study.selectors import Odd
from tests.study.small_data import small_data

Y = ["a"] * 12 + ["b"] * 9
QUICK = {
    "selectors": ["t_score", "random_score"],
    "sizes": [3, 5],
    "classifiers": (),
    "replication": 2,
}
GROWING = {
    hf.Subsampling(60, 0.8): 0.09,
    hf.resample.Bootstrap(60): 0.15,
    hf.resample.ComplementaryHalves(30): 0.25,
    hf.resample.DisjointParts(20, 3): 0.2,
    hf.resample.FeatureSubsets(60): 0.19,
    hf.resample.AddedNoise(60): 0.05,
    hf.resample.IndependentSamples(60): 0.16,
}
"""Protocols that grow, each with a width that more than one step is needed for."""


def data(n_features=30):
    return hf.io.from_arrays(*small_data(n_features))


@dataclass(frozen=True)
class Source:
    """Draws data sets like the others."""

    def draw(self, number):
        X, y = small_data(30)
        noise = np.random.default_rng(number).standard_normal(X.shape)
        return SimpleNamespace(X=X + noise, y=y.astype(str))


def found(folder):
    """Return a store's tables, but for the rule by which the study stopped, and its plan's file.

    The rule stays in the store to tell why there are so many resamples.
    """
    kept = tables(folder)
    kept["facts"] = [
        row for row in kept["facts"] if row[0] not in (STOPPING_RULE_KEY, PLAN_CHECKSUM_KEY)
    ]
    return kept | {"plan.json": (folder / "plan.json").read_bytes()}


def study(count, width=None, **options):
    protocol = options.pop("protocol", hf.Subsampling(1, 0.8)).resized(count)
    return hf.Study(protocol=protocol, until_width=width, **QUICK | options)


# which resamples, and when it looks


def test_protocols_that_grow_begin_with_the_resamples_of_smaller_ones():
    grown = {}
    for name, record in PROTOCOLS.items():
        if record.kind.grows_by is not None:
            some, more = (record.kind().resized(count) for count in (3, 7))
            drawn = [one.draw(Y, None, 5, 30) for one in (some, more)]
            assert same(drawn[0], drawn[1][: len(drawn[0])]), name
            assert len(drawn[1]) * 3 == len(drawn[0]) * 7
            assert some == replace(more, **{record.kind.grows_by: 3})
            assert some.asked_for == 3
            grown[name] = record
    assert {one.record.name for one in GROWING} == set(grown)
    assert set(PROTOCOLS) - set(grown) == {"cross_validation", "nested", "splits"}


def test_steps_double_then_grow_by_half():
    assert steps(1000, 1, [12, 1]) == [24, 48, 96, 144, 216, 324, 492, 744, 1000]
    assert steps(24, 1, [12]) == [24]
    assert steps(7, 1, [12]) == [7]
    assert steps(300, 5, [12]) == [60, 120, 180, 300]


@given(
    most=st.integers(1, 3000),
    each=st.integers(1, 7),
    blocks=st.lists(st.integers(1, 12), min_size=1, max_size=3),
)
def test_steps_end_where_blocks_and_repeats_end(most, each, blocks):
    found = steps(most * each, each, blocks)
    assert found[-1] == most * each
    assert found == sorted(set(found))
    for step in found[:-1]:
        assert not any(step % size for size in (12, each, *blocks))


@pytest.mark.parametrize(("block", "stops"), [(12, [24, 48, 96, 100]), (7, [84, 100])])
def test_units_of_a_step_are_units_of_the_whole(block, stops, monkeypatch):
    few = data()
    # wide data have small blocks
    monkeypatch.setattr(_plan, "MAX_SCORES_PER_BLOCK", block * few.n_features)
    asked = study(100, 0.1)._settings
    growing = SequentialStudy(make_plan(asked, few), few, asked.stopping_rule, asked.protocol)
    assert growing.steps == stops
    whole = {*growing.final_plan(100).units()}
    for step in growing.steps:
        assert {*growing.plan_with(step).units()} <= whole
        assert len(growing.plan_with(step).resamples) == step


# the same result


@pytest.mark.slow
@pytest.mark.parametrize(("protocol", "width"), GROWING.items(), ids=lambda one: str(one)[:9])
def test_it_is_the_study_that_asked_for_that_number(protocol, width, tmp_path, monkeypatch):
    work_here(monkeypatch)
    dataset = replace(data(), generator=Source())
    asked = study(protocol.asked_for, width, protocol=protocol)
    grown = asked.run(dataset, out=tmp_path / "grown")
    assert grown.n_resamples == 48
    count = 48 * protocol.asked_for // 60
    study(count, protocol=protocol).run(dataset, out=tmp_path / "asked")
    assert found(tmp_path / "grown") == found(tmp_path / "asked")
    assert grown.complete
    assert len(grown.versions) == 1


@pytest.mark.integration
@pytest.mark.parametrize("pairs", [0, pytest.param(2, marks=pytest.mark.slow)])
def test_it_is_the_same_with_processes(pairs, tmp_path, monkeypatch):
    options = {"classifiers": ["gaussian"], "sizes": [3], "replication": pairs}
    grown = study(200, 0.07, **options).run(data(), out=tmp_path / "grown", n_jobs=2)
    work_here(monkeypatch)
    asked = study(grown.n_resamples, **options).run(data(), out=tmp_path / "asked")
    assert grown.n_resamples > 48
    assert found(tmp_path / "grown") == found(tmp_path / "asked")
    for table in ("stability", "replication", "errors", "frequencies", "running"):
        assert getattr(grown, table).equals(getattr(asked, table))


def test_in_memory_it_is_the_same(monkeypatch):
    work_here(monkeypatch)
    grown = study(200, 0.09).run(data())
    asked = study(grown.n_resamples).run(data())
    assert grown.plan == asked.plan
    assert grown.stability.equals(asked.stability)


def test_rankings_are_kept_as_deep_as_if_asked_for_that_number(tmp_path, monkeypatch):
    """Fewer resamples leave room for longer rankings; these are cut when there are more."""
    work_here(monkeypatch)
    monkeypatch.setattr(_plan, "MAX_STORED_FEATURES", 1500)
    groups = {"selectors": ["t_score", "drags"], "sizes": [2], "replication": 4}
    asked = study(100, 0.15, **groups)
    settings = asked._settings
    growing = SequentialStudy(
        make_plan(settings, data()), data(), settings.stopping_rule, settings.protocol
    )
    depths = [growing.plan_with(n).depth for n in (24, 48)]
    assert 2 < depths[1] < depths[0] < 40
    grown = asked.run(data(), out=tmp_path / "grown")
    assert grown.n_resamples >= 48
    study(grown.n_resamples, **groups).run(data(), out=tmp_path / "asked")
    assert found(tmp_path / "grown") == found(tmp_path / "asked")


def test_features_that_stand_for_two_groups_are_cut_as_they_were_kept(monkeypatch):
    work_here(monkeypatch)
    result = study(5, selectors=["drags"], sizes=[2]).run(data())
    store, plan = result.store, make_plan(study(5)._settings, data())
    with store.transaction():
        store.connection.execute("UPDATE groups SET representative = 7 WHERE position < 2")
        _sequential_run._shorten_rankings(store, replace(plan, depth=3))
    rows = store.query("SELECT resample, representative FROM groups WHERE resample = 0")
    assert len(rows) == 3
    top = store.query("SELECT data FROM preferences WHERE resample = 0 AND form = 'top'")[0][0]
    assert np.frombuffer(top, "<i4").tolist() == [7, rows[2][1]]


# interrupted


@pytest.mark.slow
def test_wherever_it_dies_it_goes_on_to_the_same_end(tmp_path, monkeypatch):
    log = work_here(monkeypatch)
    asked = study(200, 0.09, replication=2)
    asked.run(data(), out=tmp_path / "whole")
    orders, whole = len(log), found(tmp_path / "whole")
    assert orders > 6
    for lives in range(orders):
        folder = tmp_path / str(lives)
        work_here(monkeypatch, lives)
        with pytest.raises(Died):
            asked.run(data(), out=folder)
        begun = hf.load(folder)  # what is there can be looked at
        assert not begun.complete
        assert json.loads((folder / "plan.json").read_text()) == begun.plan
        begun.store.close()
        work_here(monkeypatch)
        ended = asked.run(data(), out=folder) if lives % 2 else hf.resume(folder)
        assert ended.complete
        assert found(folder) == whole


@pytest.mark.parametrize("step", [1, 2])
def test_it_may_die_between_the_plan_and_the_store(step, tmp_path, monkeypatch):
    work_here(monkeypatch)
    asked = study(200, 0.09, replication=2)
    asked.run(data(), out=tmp_path / "whole")
    write, written = _sequential_run.write_file, []

    def dying(path, content):
        write(path, content)
        written.append(path)
        if len(written) == step:
            raise Died

    monkeypatch.setattr(_sequential_run, "write_file", dying)
    with pytest.raises(Died):
        asked.run(data(), out=tmp_path / "run")
    hf.resume(tmp_path / "run")
    assert found(tmp_path / "run") == found(tmp_path / "whole")


def test_a_study_that_has_enough_has_nothing_left_to_do(tmp_path, monkeypatch):
    work_here(monkeypatch)
    asked = study(200, 0.09)
    first = asked.run(data(), out=tmp_path / "run")
    log = work_here(monkeypatch)
    assert asked.run(data(), out=tmp_path / "run").n_resamples == first.n_resamples
    assert hf.resume(tmp_path / "run").complete
    assert log == []


def test_what_failed_is_not_tried_in_every_step(monkeypatch):
    log = work_here(monkeypatch)
    options = {"selectors": {"odd": Odd("raise", 3)}, "replication": 0}
    grown = study(200, 0.09, **options).run(data())
    assert grown.n_resamples > 24
    assert grown.failures["resample"].tolist() == [3]
    tried = [unit for units in log for unit in units if unit.first <= 3 < unit.stop]
    assert len(tried) == 1


# what is told


class Listener:
    def __init__(self):
        self.notes, self.starts = [], []

    def start(self, totals, done, where):
        self.starts.append((sum(totals.values()), sum(done.values())))

    def advance(self, done, failed):
        pass

    def stop(self):
        pass

    def note(self, text):
        self.notes.append(text)


def test_the_width_is_reported_after_each_step(monkeypatch):
    work_here(monkeypatch)
    listener = Listener()
    asked = study(200, 0.09, selectors=["t_score"], sizes=[3], replication=0)
    grown = asked.run(data(), progress=listener)
    rule, *notes = listener.notes
    assert rule == "at most 200 resamples, until the widest 95% interval is 0.09 wide"
    assert notes == [
        f"{row.resamples} resamples: widest interval {row.width:.2g} (t_score, 3 features), "
        "target 0.09"
        for row in grown.running.itertuples()
    ]
    assert listener.starts[:2] == [(24, 0), (48, 24)]


def test_the_running_table_shows_what_smaller_studies_would_have_shown(monkeypatch):
    work_here(monkeypatch)
    result = study(60).run(data())
    assert result.running["resamples"].unique().tolist() == [24, 48, 60]
    for count, table in result.running.groupby("resamples"):
        alone = study(count).run(data()).stability.query("measure == 'nogueira'")
        columns = ["selector", "size", "value", "low", "high"]
        assert table[columns].reset_index(drop=True).equals(alone[columns].reset_index(drop=True))
        assert table["width"].equals((table["high"] - table["low"]).rename("width"))


def test_protocols_that_are_planned_as_a_whole_have_one_step(monkeypatch):
    work_here(monkeypatch)
    asked = hf.Study("t_score", protocol=hf.CrossValidation(5, 6), sizes=[3], classifiers=())
    assert asked.run(data()).running["resamples"].tolist() == [30]


def test_a_width_that_is_out_of_reach_is_reported(monkeypatch):
    work_here(monkeypatch)
    asked = study(30, 0.001)
    with pytest.warns(HoldfastWarning, match="after 30 resamples, the maximum of") as told:
        grown = asked.run(data())
    width = grown.running.query("resamples == 30")["width"].max()
    assert grown.n_resamples == 30
    assert f"is {width:.2g} (" in str(told[0].message)
    needed = float(str(told[0].message).partition("About ")[2].split()[0].replace(",", ""))
    assert math.isclose(needed, 30 * (width / 0.001) ** 2, rel_tol=0.5)


def test_intervals_that_are_not_defined_do_not_count(monkeypatch):
    work_here(monkeypatch)
    some = study(100, 0.2, sizes=[3, 30]).run(data())  # all features: no measure of agreement
    assert some.running.query("size == 30")["width"].isna().all()
    assert some.n_resamples < 100
    with pytest.warns(HoldfastWarning, match="no interval of nogueira is defined, so all 30"):
        study(30, 0.2, sizes=[30]).run(data())


# refused


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"protocol": hf.CrossValidation(5)}, "until_width: cross_validation cannot grow"),
        ({"protocol": hf.resample.Nested(3, 3)}, "until_width: nested cannot grow"),
        ({"protocol": [([0, 1], [2])]}, "until_width: splits cannot grow"),
        ({"until_width": 0}, "until_width must be a number above 0; got 0"),
        ({"until_width": math.nan}, "until_width must be a number above 0"),
        ({"until_width": math.inf}, "until_width must be a number above 0"),
        ({"measures": []}, "until_width needs a measure"),
    ],
)
def test_what_cannot_be_is_refused_at_once(options, message):
    with pytest.raises(InvalidInputError, match=message):
        hf.Study("t_score", **{"until_width": 0.1} | options)


def test_without_a_protocol_there_are_at_most_a_thousand():
    assert hf.Study("t_score", until_width=0.1)._settings.protocol == hf.Subsampling(1000, 0.9)


def test_parts_are_refused(tmp_path, monkeypatch):
    with pytest.raises(InvalidInputError, match=r"run as a whole.*got part 1/2"):
        study(100, 0.1).run(data(), out=tmp_path / "run", part="1/2")
    assert not (tmp_path / "run").exists()
    work_here(monkeypatch, 1)
    with pytest.raises(Died):
        study(100, 0.1).run(data(), out=tmp_path / "run")
    with pytest.raises(InvalidInputError, match="as a whole"):
        hf.resume(tmp_path / "run", part="1/2")


def test_another_rule_is_another_study(tmp_path, monkeypatch):
    work_here(monkeypatch)
    grown = study(100, 0.2).run(data(), out=tmp_path / "run")
    for other in (study(100, 0.1), study(200, 0.2)):
        with pytest.raises(StoreError, match=r"another study: until_width is .* there has 0\.2"):
            other.run(data(), out=tmp_path / "run")
    study(grown.n_resamples).run(data(), out=tmp_path / "run")  # that is what it became
    study(24).run(data(), out=tmp_path / "plain")
    with pytest.raises(StoreError, match=r"until_width is 0\.2 here, the study there has none"):
        study(100, 0.2).run(data(), out=tmp_path / "plain")


def test_a_study_that_still_grows_is_not_one_of_so_many_resamples(tmp_path, monkeypatch):
    work_here(monkeypatch, 1)
    with pytest.raises(Died):
        study(100, 0.2, replication=0).run(data(), out=tmp_path / "run")
    with pytest.raises(StoreError, match="until_width is not given here"):
        study(24, replication=0).run(data(), out=tmp_path / "run")


def test_the_rule_stays_in_the_store(tmp_path, monkeypatch):
    work_here(monkeypatch)
    with closing(study(100, 0.2, replication=3).run(data(), out=tmp_path / "run").store) as store:
        fact = {"width": 0.2, "most": 100, "replication": 3, "stopped": True}
        assert store.fact(STOPPING_RULE_KEY) == fact
