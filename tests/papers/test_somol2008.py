"""Somol and Novovičová (2008): the table's numbers by hand, its claims on made-up tables."""

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

import holdfast as hf
from holdfast.papers import somol2008
from holdfast.papers._claims import ClaimInput
from holdfast.papers._comparison import published_numbers
from holdfast.papers._dataset_locator import DatasetLocator
from holdfast.papers._runner import ExperimentRunner, WorkerOptions

pytestmark = pytest.mark.slow  # the fixtures run whole experiments

CLAIMS = {claim.text: claim for claim in somol2008.SOMOL2008.get("table").claims}
PUBLISHED = published_numbers("somol2008", "table")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Run the table with few runs and one classifier a setting, all of them quick."""
    patch = pytest.MonkeyPatch()
    patch.setattr(somol2008, "RUNS", dict.fromkeys(somol2008.RUNS, (5, 6)))
    few = {"main": {"3-NN": "knn3"}, "linear SVM": {"SVM": "knn5"}, "naive Bayes": {}}
    patch.setattr(somol2008, "CLASSIFIERS", few)
    folder = tmp_path_factory.mktemp("somol")
    runner = ExperimentRunner(
        paper="somol2008",
        full=False,
        seed=0,
        folder=folder,
        locator=DatasetLocator(),
        names=("wine",),
        workers=WorkerOptions(n_jobs=1),
    )
    made = somol2008.table(runner)
    patch.undo()
    return made, hf.load(folder / "studies" / "somol2008-main-3-NN-reduced")


def naive(subsets, m=5, p=13):
    """Return the measures of the paper's slides, formula by formula."""
    counts = np.array([sum(f in s for s in subsets) for f in range(p)])
    used, q = counts[counts > 0], counts.sum()
    weighted = sum(c / q * (c - 1) / (m - 1) for c in used)
    d, h = q % p, q % m
    low = (q**2 - p * (q - d) - d**2) / (p * q * (m - 1))
    high = (h**2 + q * (m - 1) - h * m) / (q * (m - 1))
    pairs = [(a, b) for i, a in enumerate(subsets) for b in subsets[i + 1 :]]
    return {
        "C": np.mean((used - 1) / (m - 1)),
        "CW": weighted,
        "CW_rel": (weighted - low) / (high - low),
        "GK": np.mean([len(a & b) / len(a | b) for a, b in pairs]),
    }


def test_numbers_are_those_of_the_formulas(made):
    table, study = made
    assert set(table.values["setting"]) == {"main", "linear SVM"}
    values = table.values.set_index(["setting", "method", "what"])["value"]["main"]
    for method in ("random", "SFS", "SFFS", "DOS"):
        subsets = [set(map(int, one)) for one in study.preferences[method, "own"]]
        sizes = [len(one) for one in subsets]
        for what, value in naive(subsets).items():
            assert values[method, what] == pytest.approx(value), (method, what)
        assert values[method, "size"] == pytest.approx(np.mean(sizes))
        assert values[method, "size sd"] == pytest.approx(np.std(sizes, ddof=1))
    assert values["SFFS", "rate"] > values["random", "rate"]


def test_the_rate_is_an_accuracy_on_samples_that_were_drawn(made):
    """The value of a random subset is near what 3-NN does with it on other splits."""
    _, study = made
    data = study.dataset
    subset = study.preferences["random", "own"]
    row = study.values.query("selector == 'random'").iloc[0]
    own = study.store.resamples()[row["resample"]].train
    X, y = data.X[np.ix_(own, list(next(iter(subset))))], data.y[own]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    rng = np.random.default_rng(0)
    rates = []
    for _ in range(30):
        order = rng.permutation(len(X))
        train, test = order[: 2 * len(order) // 3], order[2 * len(order) // 3 :]
        rates.append(KNeighborsClassifier(3).fit(X[train], y[train]).score(X[test], y[test]))
    assert abs(row["value"] - np.mean(rates)) < 3 * np.std(rates) / np.sqrt(10) + 0.01


def test_leads_are_differences_of_the_table(made):
    table, _ = made
    values = table.values.query("setting == 'main' and what == 'CW_rel'").set_index("method")[
        "value"
    ]
    for (one, other), lead in table.facts["main", "leads 3-NN"].items():
        assert lead.difference == pytest.approx(values[one] - values[other])


def claim_input(values=PUBLISHED, **facts):
    return ClaimInput("main", values, PUBLISHED, facts, full=True)


def test_published_numbers_hold_what_the_paper_says_of_them():
    lead = {
        (one, other): pd.Series({"difference": 0.1, "low": 0.0, "high": 0.2})
        for one, other in (("SFFS", "SFS"), ("DOS", "SFFS"), ("DOS", "SFS"))
    }
    facts = {f"leads {name}": lead for name in ("Gaussian", "3-NN", "SVM")}
    found = {text: claim.evaluate(claim_input(**facts)).status for text, claim in CLAIMS.items()}
    assert found == dict.fromkeys(CLAIMS, "held")


def changed(method, what, value):
    table = PUBLISHED.copy()
    table.loc[(table["method"] == method) & (table["what"] == what), "value"] = value
    return table


@pytest.mark.parametrize(
    ("part", "method", "what", "value"),
    [
        ("near 0", "random", "CW_rel", 0.06),
        ("rates random subsets high", "random", "CW", 0.3),
        ("highest GK", "SFS", "GK", 0.9),
        ("smallest subsets", "DOS", "size", 12.0),
        ("highest rate", "SFFS", "rate", 0.999),
    ],
)
def test_other_numbers_would_not_hold(part, method, what, value):
    (claim,) = [claim for text, claim in CLAIMS.items() if part in text]
    assert claim.evaluate(claim_input(changed(method, what, value))).status == "not held"


def test_without_numbers_nothing_can_be_checked():
    nothing = claim_input(PUBLISHED.iloc[:0])
    assert {claim.evaluate(nothing).status for claim in CLAIMS.values()} == {"cannot be checked"}


def test_one_lead_alone_is_not_enough():
    low = pd.Series({"difference": -0.1, "low": -0.2, "high": 0.0})
    high = pd.Series({"difference": 0.1, "low": 0.0, "high": 0.2})
    lead = {("SFFS", "SFS"): high, ("DOS", "SFFS"): low, ("DOS", "SFS"): high}
    (claim,) = [claim for text, claim in CLAIMS.items() if text.startswith("SVM: ")]
    found = claim.evaluate(claim_input(**{"leads SVM": lead}))
    assert found.status == "not held"
    assert found.evidence == (
        "SFFS over SFS +0.100 [+0.000, +0.200]; DOS over SFFS -0.100 [-0.200, +0.000]"
    )
