"""Who is tried again, who is cut, who is given up, when processes die."""

from holdfast.study._execution._local_pool import Report
from holdfast.study._execution._scheduler import Scheduler
from holdfast.study._execution._worker import BatchResult
from holdfast.study._planning._plan import Unit
from holdfast.study._storage._store import Outcome, Store


class Mortal:
    """A pool of one process that dies of certain units, so many times each."""

    name = "mortal"

    def __init__(self, deaths, *, timed_out=False):
        self.deaths = deaths
        self.timed_out = timed_out
        self.orders = []

    def room(self):
        return 1 - len(self.orders[-1:]) if self.orders and self.orders[-1][1] is None else 1

    def order(self, units):
        self.orders.append([list(units), None])

    def reports(self, seconds):
        order = self.orders[-1]
        order[1] = True
        units = order[0]
        for unit in units:
            if self.deaths.get(unit, 0) > 0:
                self.deaths[unit] -= 1
                return [Report(units, None, "its process died", self.timed_out)]
        outcomes = [Outcome(u.selector, at) for u in units for at in range(u.first, u.stop)]
        return [Report(units, BatchResult(outcomes, len(units), ()))]

    def close(self):
        pass


def ran(units, deaths, **how):
    store, pool = Store.create(None), Mortal(dict(deaths), **how)
    Scheduler(store, pool, ["s"], None).go(units)
    rows = store.query("SELECT resample, message FROM units ORDER BY resample")
    return [units for units, _ in pool.orders], dict(rows)


BLOCKS = [Unit(0, 0, 3), Unit(0, 3, 6)]


def test_a_block_that_dies_by_accident_is_tried_again_whole():
    orders, found = ran(BLOCKS, {BLOCKS[0]: 1})
    assert orders == [[BLOCKS[0]], [BLOCKS[1]], [BLOCKS[0]]]  # when nothing else runs
    assert found == dict.fromkeys(range(6))


def test_a_block_that_dies_again_is_cut():
    orders, found = ran(BLOCKS, {BLOCKS[0]: 2, Unit(0, 1, 2): 2})
    assert [Unit(0, at, at + 1) for at in (0, 2)] == [orders[3][0], orders[5][0]]
    assert orders.count([Unit(0, 1, 2)]) == 2
    assert found == {**dict.fromkeys(range(6)), 1: "its process died"}


def test_a_block_past_the_time_limit_is_cut_at_once():
    orders, found = ran([BLOCKS[0]], {BLOCKS[0]: 1, Unit(0, 2, 3): 1}, timed_out=True)
    assert orders.count([BLOCKS[0]]) == 1
    assert orders.count([Unit(0, 2, 3)]) == 1
    assert found == {0: None, 1: None, 2: "took longer than the time limit"}


def test_a_unit_that_dies_in_company_is_tried_by_itself():
    units = [Unit(0, at, at + 1) for at in range(8)]
    orders, found = ran(units, {units[4]: 1})
    assert [units[4]] in orders
    assert found == dict.fromkeys(range(8))
