"""``holdfast plan``: with data, without, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from holdfast.cli._plan_run import needed_text
from holdfast.cli._program import Program
from holdfast.theory import expected_stability, required_samples

FAST = ["--n-pairs=8", "--selectors=f_score", "--sizes=3,0.3"]
NAN = np.nan
THEORY = ["--effects=0.35", "--informative=20", "--features=500", "--sizes=20"]


def run(*arguments):
    main = Program("holdfast", commands_at={"plan": "holdfast.cli._plan_command:plan"})
    return CliRunner().invoke(main, ["plan", *map(str, arguments)], prog_name="holdfast")


@pytest.fixture(scope="module")
def planned():
    result = run("@wine", *FAST, "--stability=0.9")
    assert result.exit_code == 0, result.stderr
    return result


def test_a_row_for_each_selector_and_size(planned):
    header, *lines = planned.stdout.split("\n\n")[0].splitlines()
    assert "at 89" in header
    assert "at 178" in header
    assert "samples for 0.9" in header
    assert [line.split()[:2] for line in lines] == [["f_score", "3"], ["f_score", "4"]]
    assert " of 3 [" in lines[0]


def test_talk_goes_to_standard_error(planned):
    assert planned.stderr.startswith("data: 178 samples of 13 features")
    assert "work: 1 selector x 2 sizes." in planned.stderr
    assert run("@wine", *FAST, "--stability=0.9", "--quiet").stderr == ""


def test_the_meaning_of_the_numbers_is_reported(planned):
    assert "Stability is nogueira" in planned.stdout
    assert "disjoint halves" in planned.stdout


@pytest.mark.parametrize(
    ("needed", "low", "high", "text"),
    [
        (90, 40, 200, "90 [40, 200]"),
        (90, 4, NAN, "90 [<20, unknown]"),
        (7, 4, 12, "<20 [<20, <20]"),
        (NAN, 40, NAN, "at least 40"),
        (np.inf, 40, NAN, "at chance"),
    ],
)
def test_numbers_below_the_smallest_parts_are_not_named(needed, low, high, text):
    row = {"needed": needed, "needed_low": low, "needed_high": high, "fewest_compared": 20}
    assert needed_text(row) == text


def test_json_holds_what_the_table_shows():
    document = json.loads(run("@wine", *FAST, "--json").stdout)
    assert document["n_features"] == 13
    assert document["target"] == 0.8
    row = document["plan"][0]
    assert (row["selector"], row["size"], row["n_samples"]) == ("f_score", 3, 178)
    assert row["low"] <= row["value"] <= row["high"]
    assert row["again_low"] <= row["again"] <= row["again_high"] <= 3


@pytest.mark.slow
def test_the_seed_settles_everything():
    first, again, other = (run("@wine", *FAST, f"--seed={seed}").stdout for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_subjects_are_counted_where_there_are_any(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(80, 6)))
    table.insert(0, "class", np.repeat(["a", "b"], 40))
    table.insert(0, "subject", np.arange(80) // 2)
    table.to_csv(tmp_path / "data.csv", index=False)
    result = run(tmp_path / "data.csv", "--groups=subject", *FAST)
    assert result.exit_code == 0, result.stderr
    assert "at 20 " in result.stdout
    assert "subjects for 0.8" in result.stdout


def test_small_classes_give_an_estimate_but_no_prediction(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(12, 6)))
    table.insert(0, "class", np.repeat(["a", "b"], 6))
    table.to_csv(tmp_path / "data.csv", index=False)
    result = run(tmp_path / "data.csv", *FAST)
    assert result.exit_code == 0, result.stderr
    assert "samples for" not in result.stdout
    assert "too small" in result.stdout


def test_the_true_reason_is_reported_where_nothing_is_predicted():
    result = run("@wine", "--selectors=f_score", "--n-pairs=8", "--sizes=13")
    assert result.exit_code == 0, result.stderr
    assert "Nothing is predicted for larger studies: 8 of 8 pairs of halves" in result.stdout
    assert "(all features are selected)" in result.stdout
    assert "too small" not in result.stdout


def test_what_is_found_again_is_reported_where_the_measure_says_it(planned):
    result = run("@wine", *FAST, "--measure=jaccard")
    for text, there in ((planned.stdout, True), (result.stdout, False)):
        assert ("found again" in text) == there
        assert ("a second study of this size selects" in " ".join(text.split())) == there


@pytest.fixture
def holes(tmp_path):
    """Write data in which three values are missing."""
    y = np.arange(40) % 2
    X = np.random.default_rng(0).normal(size=(40, 6)) + y[:, None] * (np.arange(6) < 3)
    X[[1, 5, 9], [0, 2, 4]] = np.nan
    table = pd.DataFrame(X, columns=list("abcdef"))
    table.insert(0, "class", y)
    table.to_csv(tmp_path / "data.csv", index=False)
    return tmp_path / "data.csv"


def test_missing_values_are_refused_or_imputed(holes):
    names = "--selectors=f_score,relieff"
    result = run(holes, names, "--sizes=3", "--n-pairs=8")
    assert result.exit_code == 3
    assert "3 missing values, which f_score does not take" in result.stderr
    assert "work" not in result.stderr
    result = run(holes, names, "--sizes=3", "--n-pairs=8", "--impute=median")
    assert result.exit_code == 0, result.stderr
    assert len(result.stdout.split("\n\n")[0].splitlines()) == 3


def test_measures_of_rankings_have_one_row_of_all_features():
    result = run("@wine", "--selectors=f_score", "--n-pairs=8", "--measure=spearman")
    assert result.stdout.splitlines()[1].split()[:2] == ["f_score", "all"]


def test_a_selector_that_fails_does_not_take_the_others_along():
    names = "--selectors=f_score,forward_selection"
    result = run("@wine", "--n-pairs=8", names, "--measure=spearman")
    assert result.exit_code == 1  # a subset without an order has no ranks to compare
    assert "f_score" in result.stdout
    assert "error: forward_selection" in result.stderr


def test_theory_says_what_the_library_says():
    setting = {"effect": 0.35, "n_informative": 20, "n_features": 500, "n_selected": 20}
    row = json.loads(run(*THEORY, "--samples=80", "--json").stdout)["plan"][0]
    assert row["needed"] == required_samples(0.8, **setting).n_samples
    assert row["value"] == pytest.approx(expected_stability("nogueira", n_per_class=40, **setting))
    assert row["again"] == pytest.approx(20 * (row["value"] * 0.96 + 0.04))


def test_theory_as_a_table_explains_effects():
    result = run(*THEORY, "--samples=80")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1].split() == ["20", "0.49", "10.2", "of", "20", "144"]
    assert "half the difference of the class means" in result.stdout


def test_a_ceiling_of_theory_is_reported():
    result = run(*THEORY[:3], "--sizes=40")
    assert result.exit_code == 0
    assert "not reached" in result.stdout
    assert "Not reached with 40: nogueira cannot reach 0.8" in result.stdout
    assert json.loads(run(*THEORY[:3], "--sizes=40", "--json").stdout)["plan"][0]["needed"] is None


@pytest.mark.slow
@pytest.mark.parametrize("effects", ["0.1,0.2,0.3", "triangular:gamma=2,largest=0.3"])
def test_effects_may_differ(effects):
    result = run("--effects", effects, "--features=50", "--sizes=3", "--stability=0.5")
    assert result.exit_code == 0, result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give DATA"),
        (["--effects=0.3"], "--features must be given"),
        (["--features=30"], "--effects must be given"),
        (["@wine", "--effects=0.3"], "--effects cannot be combined with DATA"),
        (
            ["@wine", "--features=9", "--samples=9"],
            "--features, --samples cannot be combined with DATA",
        ),
        ([*THEORY, "--target=class"], "--target needs DATA"),
        ([*THEORY, "--n-pairs=9"], "--n-pairs needs DATA"),
        (["--effects=0.3", "--features=30", "--sizes=3"], "--informative"),
        (["--effects=a b", "--features=30"], "got 'a b'"),
        (["--effects=0.3,x", "--features=30"], "comma-separated numbers"),
        (["--effects=square:gamma=2", "--features=30"], "triangular"),
        (["--effects=triangular:gama=2", "--features=30"], "Did you mean 'gamma'?"),
        (["--effects=triangular:gamma=2", "--features=30"], "need either largest"),
        (["--effects=.3,.2", "--informative=50", "--features=90"], "is 50 but 2 effects"),
        (["--effects=.3,.2,.1", "--features=2", "--sizes=1"], "but --features is 2"),
        ([*THEORY[:3], "--sizes=500"], "--sizes must be below --features (500)"),
        ([*THEORY, "--impute=median"], "--impute needs DATA"),
        (["--effects=triangular:gamma=-1,largest=0.1", "--features=30"], "gamma must be"),
        (["--effects=nan", "--informative=3", "--features=30"], "effect"),
        (["--effects=0.3", "--informative=40", "--features=30"], "most --features (30)"),
        ([*THEORY[:3], "--sizes=501"], "501"),
        ([*THEORY, "--measure=spearman"], "spearman"),
        ([*THEORY, "--stability=1"], "--stability"),
        ([*THEORY, "--stability=nan"], "nan"),
        (["@wine", "--measure=anhd"], "distance"),
        (["@wine", "--measure=noguera"], "Did you mean 'nogueira'?"),
        (["@wine", "--selectors=f_scor"], "Did you mean 'f_score'?"),
        (["@wine", "--selectors=relieff:k=3"], "k"),
        (["@wine", "--n-pairs=1"], "--n-pairs"),
        (["@wine", "--sizes=0"], "--sizes"),
    ],
)
def test_wrong_usage_has_exit_code_2(arguments, said):
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert said in result.stderr
    assert result.stdout == ""


def test_bad_data_have_exit_code_3(tmp_path):
    (tmp_path / "data.csv").write_text("class,x,y\na,1,2\nb,2,3\n")
    result = run(tmp_path / "data.csv", *FAST)
    assert result.exit_code == 3
    assert result.stderr.count("error: ") == 1
    assert run("@wine", "--sizes=14", "--selectors=f_score").exit_code == 3


def test_a_file_that_is_not_there_is_named(tmp_path):
    result = run(tmp_path / "none.csv")
    assert result.exit_code in (1, 3)
    assert "none.csv" in result.stderr


@pytest.mark.integration
def test_help_imports_nothing_slow():
    code = (
        "import sys; from holdfast.cli._plan_command import plan;"
        "plan.main(['--help'], standalone_mode=False);"
        "sys.exit(bool({'numpy', 'scipy', 'pandas', 'sklearn', 'numba'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
