"""Which units are retried, split or marked as failed when worker processes crash."""

from holdfast.study._execution._scheduler import Scheduler
from holdfast.study._execution._worker import PoolEvent
from holdfast.study._planning._plan import Unit
from holdfast.study._storage._store import Store, UnitResult


class Mortal:
    """A pool of one process that crashes on certain units, a given number of times each."""

    name = "mortal"

    def __init__(self, deaths, *, timed_out=False):
        self.deaths = deaths
        self.timed_out = timed_out
        self.batches = []

    def n_free(self):
        return 1 - len(self.batches[-1:]) if self.batches and self.batches[-1][1] is None else 1

    def submit(self, units):
        self.batches.append([list(units), None])

    def wait(self, seconds):
        batch = self.batches[-1]
        batch[1] = True
        units = batch[0]
        for unit in units:
            if self.deaths.get(unit, 0) > 0:
                self.deaths[unit] -= 1
                return [PoolEvent(units, [], crash="its process died", timed_out=self.timed_out)]
        results = [UnitResult(u.selector, at) for u in units for at in range(u.first, u.stop)]
        return [PoolEvent(units, results, len(units))]

    def close(self):
        pass


def ran(units, deaths, proven=(0,), **how):
    store, pool = Store.create(None), Mortal(dict(deaths), **how)
    Scheduler(store, pool, ["s"], None, proven).run(units)
    rows = store.query("SELECT resample, message FROM units ORDER BY resample")
    return [units for units, _ in pool.batches], dict(rows)


BLOCKS = [Unit(0, 0, 3), Unit(0, 3, 6)]


def test_a_block_that_dies_by_accident_is_tried_again_whole():
    batches, found = ran(BLOCKS, {BLOCKS[0]: 1})
    assert batches == [[BLOCKS[0]], [BLOCKS[1]], [BLOCKS[0]]]  # when nothing else runs
    assert found == dict.fromkeys(range(6))


def test_a_block_that_dies_again_is_cut():
    batches, found = ran(BLOCKS, {BLOCKS[0]: 2, Unit(0, 1, 2): 2})
    assert [Unit(0, at, at + 1) for at in (0, 2)] == [batches[3][0], batches[5][0]]
    assert batches.count([Unit(0, 1, 2)]) == 2
    assert found == {**dict.fromkeys(range(6)), 1: "its process died"}


def test_a_block_past_the_time_limit_is_cut_at_once():
    batches, found = ran([BLOCKS[0]], {BLOCKS[0]: 1, Unit(0, 2, 3): 1}, timed_out=True)
    assert batches.count([BLOCKS[0]]) == 1
    assert batches.count([Unit(0, 2, 3)]) == 1
    assert found == {0: None, 1: None, 2: "took longer than the time limit"}


def test_a_unit_that_dies_in_company_is_tried_by_itself():
    units = [Unit(0, at, at + 1) for at in range(8)]
    batches, found = ran(units, {units[4]: 1})
    assert [units[4]] in batches
    assert found == dict.fromkeys(range(8))


SINGLES = [Unit(0, at, at + 1) for at in range(9)]


def test_a_selector_that_crashes_on_its_first_three_resamples_is_stopped():
    batches, found = ran(SINGLES, dict.fromkeys(SINGLES, 9), proven=())
    assert found == dict.fromkeys(range(3), "its process died")
    assert {unit for batch in batches for unit in batch} == set(SINGLES[:3])
    _, found = ran(SINGLES, dict.fromkeys(SINGLES, 9), proven=(0,))
    assert len(found) == 9


def test_a_selector_that_crashes_twice_runs_on_all_resamples():
    _, found = ran(SINGLES, dict.fromkeys(SINGLES[:2], 9), proven=())
    assert found == {**dict.fromkeys(range(9)), **dict.fromkeys(range(2), "its process died")}


def test_the_first_block_is_the_trial_even_if_it_is_cut():
    singles = [Unit(0, at, at + 1) for at in range(6)]
    deaths = dict.fromkeys([*BLOCKS, *singles], 9)
    _, found = ran(BLOCKS, deaths, proven=())
    assert found == dict.fromkeys(range(3), "its process died")
    _, found = ran(BLOCKS, {**deaths, singles[2]: 0}, proven=())
    assert found == {**dict.fromkeys(range(6), "its process died"), 2: None}


class Patient(Mortal):
    """A pool of many processes that ends one batch at a time."""

    def __init__(self, fails):
        super().__init__({})
        self.fails = fails
        self.at_first = None

    def n_free(self):
        return 100 - sum(batch[1] is None for batch in self.batches)

    def wait(self, seconds):
        if self.at_first is None:
            self.at_first = [unit for units, _ in self.batches for unit in units]
        batch = next(batch for batch in self.batches if batch[1] is None)
        batch[1] = True
        message = "no luck" if batch[0][0].selector in self.fails else None
        results = [UnitResult(unit.selector, unit.first, message) for unit in batch[0]]
        return [PoolEvent(batch[0], results, len(batch[0]))]


def test_nothing_else_of_a_selector_starts_before_its_trial_is_decided():
    both = [Unit(selector, at, at + 1) for selector in range(2) for at in range(9)]
    store, pool = Store.create(None), Patient(fails=(1,))
    scheduler = Scheduler(store, pool, ["a", "b"], None)
    scheduler.run(both)
    # the first unit of each selector is ahead of all others
    assert pool.at_first == [both[0], both[9], *both[1:3], *both[10:12]]
    assert scheduler.stopped == {1}
    tried = store.query("SELECT selector, resample FROM units ORDER BY selector, resample")
    assert tried == [unit[:2] for unit in [*both[:9], *both[9:12]]]
