"""Batches that a Dask cluster loses with their data are submitted again, once."""

from __future__ import annotations

import pickle
from types import SimpleNamespace

import holdfast.study._execution._dask_pool as module
from holdfast.study._execution._dask_pool import DaskPool
from holdfast.study._planning._plan import Unit


class Future:
    """A future that the cluster lost."""

    status = "lost"

    def __init__(self, key):
        self.key = key

    def add_done_callback(self, callback):
        callback(self)


class Client:
    """A cluster of one worker that loses all that it is given."""

    status = "running"
    scheduler = SimpleNamespace(address="nowhere")

    def __init__(self):
        self.scattered, self.submitted = 0, []

    def run(self, function):
        return {"worker": function()}

    def scatter(self, payload, **_):
        self.scattered += 1
        return [f"data {self.scattered}"]

    def submit(self, _function, data, _token, units, *_, pure):
        assert isinstance(units, bytes)  # the scheduler keeps arguments in its log
        self.submitted.append((data, pickle.loads(units)))
        return Future(len(self.submitted))


def test_a_batch_that_is_lost_with_its_data_is_submitted_again_once(monkeypatch):
    monkeypatch.setattr(module, "pickle_runner", lambda runner: b"")
    client, units = Client(), [Unit(0, 2, 3)]
    pool = DaskPool(client, SimpleNamespace(X=None, selectors=()), None)
    pool.submit(units)
    assert pool.wait(0.1) == []
    assert client.submitted == [("data 1", units), ("data 2", units)]
    (event,) = pool.wait(0.1)
    assert (event.units, event.results) == (units, [])
    assert event.crash == "its Dask workers died"
    assert len(client.submitted) == 2
