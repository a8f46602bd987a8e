"""Claims that users read hold in a reduced simulation; the full one is ``make calibrate``."""

from __future__ import annotations

import pytest
from benchmarks.claims.__main__ import claims
from benchmarks.claims._false_discovery_tables import PAGE, page_with_tables

SLACK = 3.0
"""Standard errors of the simulation that a figure may be off."""
CLAIMS = claims()


@pytest.mark.slow
@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_is_not_contradicted_by_a_reduced_simulation(name):
    claim = CLAIMS[name]
    rows = list(claim.run(claim.few_data_sets))
    assert rows
    assert claim.missed(rows, SLACK) == []


def test_the_tables_of_false_discoveries_are_what_the_results_make():
    assert PAGE.read_text(encoding="utf-8") == page_with_tables()
