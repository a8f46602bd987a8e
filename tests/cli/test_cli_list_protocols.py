"""``holdfast list protocols``."""

from __future__ import annotations

import json

from click.testing import CliRunner

from holdfast.cli import main
from holdfast.resample import list_protocols


def run(*arguments):
    return CliRunner().invoke(main, ["list", "protocols", *arguments], prog_name="holdfast")


def test_table_holds_every_protocol():
    result = run()
    assert result.exit_code == 0
    assert result.stderr == ""
    header, *lines = result.stdout.splitlines()
    assert header.split() == ["protocol", "tested", "title", "estimates", "overlap", "reference"]
    assert [line.split()[0] for line in lines] == list(list_protocols().index)
    assert [line.split()[1] for line in lines] == list(list_protocols()["tested"])


def test_json_holds_every_record():
    records = {record.pop("name"): record for record in json.loads(run("--json").stdout)}
    assert list(records) == list(list_protocols().index)
    assert records["cross_validation"]["overlap"] == "(k - 2) / (k - 1) with k folds, 88.9% with 10"
    assert records["nested"]["class"] == "Nested"
    assert records["nested"]["tested"] == "once"
    assert records["added_noise"]["tested"] == "never"
    assert "Kalousis" in records["nested"]["reference"]
