"""``--until-width``: a study that stops when its intervals are narrow."""

import pytest

import holdfast as hf
from holdfast.cli._study_command import build_request
from holdfast.study._planning._stopping_rule import DEFAULT_MAX_RESAMPLES
from holdfast.study._storage._checksums import PLAN_CHECKSUM_KEY
from holdfast.study._storage._schema import STOPPING_RULE_KEY
from tests.cli.studies import document, run
from tests.study.inline import work_here
from tests.study.run_folders import tables

WINE = ["study", "@wine", "--selectors=f_score", "--sizes=4", "--classifiers=none"]
WIDTH = 0.09
UNTIL = [*WINE, f"--until-width={WIDTH}", "--replication=0"]


@pytest.fixture(autouse=True)
def _here(monkeypatch):
    work_here(monkeypatch)


@pytest.mark.slow
def test_it_says_how_the_interval_narrows_and_stops(tmp_path):
    result = run(*UNTIL, f"--out={tmp_path / 'run'}")
    assert result.exit_code == 0, result.output
    table = hf.load(tmp_path / "run").running
    assert table["width"].iloc[-1] <= WIDTH < table["width"].iloc[-2]
    lines = [line for line in result.stderr.splitlines() if line.startswith("progress: ")]
    assert (
        lines[0] == "progress: at most 1,000 resamples, until the widest 95% interval is 0.09 wide."
    )
    told = [line for line in lines if "widest interval" in line]
    assert told == [
        f"progress: {row.resamples} resamples: widest interval {row.width:.2g} (f_score, 4 "
        f"features), target {WIDTH}."
        for row in table.itertuples()
    ]
    assert result.stderr.count("How much the selection changes") == 1


@pytest.mark.slow
def test_it_ends_as_the_study_of_that_number(tmp_path):
    grown = run(*UNTIL, f"--out={tmp_path / 'grown'}", "--json", "--quiet")
    count = hf.load(tmp_path / "grown").n_resamples
    protocol = f"--protocol=subsampling:n_resamples={count},train_size=0.9"
    asked = run(*WINE, "--replication=0", protocol, f"--out={tmp_path / 'asked'}", "--json")
    assert document(grown) == document(asked)
    kept, other = (tables(tmp_path / name) for name in ("grown", "asked"))
    for rows in (kept, other):  # the rule, and the checksum that covers it, are of the grown study
        rows["facts"] = [
            row for row in rows["facts"] if row[0] not in (STOPPING_RULE_KEY, PLAN_CHECKSUM_KEY)
        ]
    assert kept == other


def test_a_cap_that_is_reached_is_reported(tmp_path):
    protocol = "--protocol=bootstrap:n_resamples=24"
    result = run(
        *WINE, "--replication=0", protocol, "--until-width=0.001", f"--out={tmp_path / 'r'}"
    )
    assert result.exit_code == 0
    assert "warning: the widest interval of nogueira is" in result.stderr
    assert "after 24 resamples, the maximum of the protocol, not 0.001" in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--protocol=cross_validation"], "until_width: cross_validation cannot grow"),
        (["--protocol=nested"], "until_width: nested cannot grow"),
        (["--part=1/2"], "--until-width and --part cannot be combined"),
        (["--until-width=0"], "0"),
        (["--until-width=nan"], "until_width must be a number above 0"),
    ],
)
def test_wrong_usage_is_reported_before_work_starts(options, message, tmp_path):
    result = run(*UNTIL, f"--out={tmp_path / 'run'}", *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not (tmp_path / "run").exists()


def test_study_files_have_it(tmp_path):
    file = tmp_path / "study.toml"
    file.write_text('[data]\nfile = "@wine"\n\n[run]\nuntil_width = 0.05\n')
    asked = build_request(str(file), {}).study
    assert asked["until_width"] == 0.05
    assert asked["protocol"] == f"subsampling:n_resamples={DEFAULT_MAX_RESAMPLES},train_size=0.9"
    named = build_request(str(file), {"protocol": "bootstrap", "until_width": 0.1}).study
    assert (named["protocol"], named["until_width"]) == ("bootstrap", 0.1)
    file.write_text('[data]\nfile = "@wine"\n\n[run]\nuntil_width = 0.0\n')
    result = run("study", file)
    assert result.exit_code == 3
    assert "run.until_width: input should be greater than 0" in result.stderr


def test_help_says_what_the_interval_is_about():
    text = " ".join(run("study", "--help").stdout.split())
    assert "--until-width W Stop when the 95% intervals" in text
    assert "not what new samples would" in text
