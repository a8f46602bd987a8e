"""Orders that a Dask cluster loses with their data are sent again, once."""

from __future__ import annotations

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

    def submit(self, _function, data, order, **_):
        self.submitted.append((data, order.units))
        return Future(len(self.submitted))


def test_an_order_that_is_lost_with_its_data_is_sent_again_once(monkeypatch):
    monkeypatch.setattr(module, "without_data", lambda work: work.selectors)
    client, units = Client(), [Unit(0, 2, 3)]
    pool = DaskPool(client, SimpleNamespace(X=None, selectors=()), None)
    pool.order(units)
    assert pool.reports(0.1) == []
    assert client.submitted == [("data 1", units), ("data 2", units)]
    (report,) = pool.reports(0.1)
    assert (report.units, report.answer) == (units, None)
    assert report.death == "its Dask workers died"
    assert len(client.submitted) == 2
