"""All papers: their records, their published numbers, and the API they use."""

import ast
import importlib
import inspect
from pathlib import Path

import pytest

import holdfast
from holdfast.papers import PAPERS
from holdfast.papers._comparison import published_numbers
from holdfast.papers._dataset_locator import DATA, DatasetLocator
from holdfast.papers._document import describe_published_outcome, make_published_input

FOLDER = Path(holdfast.__file__).parent / "papers"
EXPERIMENTS = [(paper, one) for paper in PAPERS.values() for one in paper.experiments]
ASKED = {
    "kalousis2005": ["table2", "table3", "figure1", "figure2"],
    "dernoncourt2014": ["table2", *(f"figure{number}" for number in range(1, 10))],
    "somol2008": ["table"],
    "yu2008": ["table2", "figure1", "figure2", "figure3"],
    "saeys2008": ["table2", "table3", "table4", "figure1"],
}
each = pytest.mark.parametrize(
    ("paper", "one"), EXPERIMENTS, ids=[f"{paper.name}-{one.name}" for paper, one in EXPERIMENTS]
)


def test_every_table_and_figure_is_there():
    found = {name: sorted(one.name for one in paper.experiments) for name, paper in PAPERS.items()}
    assert found == {name: sorted(names) for name, names in ASKED.items()}


@each
def test_a_record_says_all_that_readers_need(paper, one):
    assert paper.reference
    assert one.title[0].isupper()
    assert not one.title.endswith(".")
    assert all(one.size)
    assert one.claims
    assert set(one.reduced) <= set(one.data)
    assert bool(one.reduced) == bool(one.data)
    names = [setting.name for setting in one.settings]
    assert len(set(names)) == len(names)
    texts = [*(claim.text for claim in one.claims), *(s.title for s in one.settings), *one.choices]
    assert all(text.endswith((".", "?")) and text == text.strip() for text in texts)
    assert len({claim.text for claim in one.claims}) == len(one.claims)


@each
def test_every_bar_holds_on_the_published_numbers(paper, one):
    """A bar that the published numbers fail is no bar, unless the paper contradicts itself."""
    published = make_published_input(paper.name, one)
    for claim in one.claims:
        outcome = describe_published_outcome(claim, published)
        by_paper = claim.cause is not None and claim.cause.source == "paper"
        assert outcome["status"] != "not held" or by_paper, (claim.text, outcome["evidence"])


def test_most_bars_of_tables_are_applied_to_published_numbers():
    counts = {}
    for paper, one in EXPERIMENTS:
        published = make_published_input(paper.name, one)
        found = [describe_published_outcome(claim, published)["status"] for claim in one.claims]
        counts[f"{paper.name} {one.name}"] = found.count("held")
    assert {name: count for name, count in counts.items() if count} == {
        "kalousis2005 table2": 11,
        "kalousis2005 table3": 1,
        "dernoncourt2014 table2": 7,
        "dernoncourt2014 figure1": 1,
        "somol2008 table": 8,
        "yu2008 table2": 7,
        "saeys2008 table2": 14,
        "saeys2008 table3": 6,
        "saeys2008 table4": 3,
    }


@each
def test_every_claim_has_a_place_and_a_bar(paper, one):
    for claim in one.claims:
        assert claim.place or one.place
        assert claim.bar
        assert "threshold" not in claim.statement
        assert claim.statement.endswith(".")


@each
def test_published_numbers_have_the_keys_of_the_experiment(paper, one):
    numbers = published_numbers(paper.name, one.name)
    if numbers.empty:
        return assert_is_figure(one)
    assert sorted({*numbers.columns} - {"spread"}) == sorted([*one.keys, "value"])
    assert numbers["value"].notna().all()
    return assert_unique(numbers, one)


def assert_is_figure(one):
    assert one.name.startswith("figure"), "tables have published numbers"


def assert_unique(numbers, one):
    assert not numbers.duplicated(list(one.keys)).any()


def test_every_file_of_published_numbers_belongs_to_an_experiment():
    names = {f"{paper.name}_{one.name}" for paper, one in EXPERIMENTS}
    assert {file.stem for file in (FOLDER / "published").glob("*.csv")} <= names


def modules():
    """Yield the files of the papers themselves, not those of the frame."""
    for name in PAPERS:
        yield from sorted((FOLDER / name).glob("*.py")) or [FOLDER / f"{name}.py"]


@pytest.mark.parametrize(
    "path", list(modules()), ids=lambda path: f"{path.parent.name}/{path.name}"
)
def test_papers_use_the_public_api_only(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("holdfast."):
            parts = node.module.split(".")[1:]
            frame = parts[0] in {"papers", "_typing"}  # aliases of types are no API
            assert frame or not any(part.startswith("_") for part in parts), node.module
            assert frame or not any(name.name.startswith("_") for name in node.names), node.module
        if isinstance(node, ast.Attribute):
            assert not (node.attr.startswith("_") and _is_holdfast(node)), ast.unparse(node)


def _is_holdfast(node):
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in {"hf", "holdfast"}


@each
def test_what_makes_an_experiment_is_documented(paper, one):
    assert inspect.getdoc(one.make)
    assert importlib.import_module(one.make.__module__).__name__.startswith(
        f"holdfast.papers.{paper.name}"
    )


def test_the_folder_of_data_sets_has_all_that_can_be_had(data_folder):
    locator = DatasetLocator(data_folder)
    missing = [name for name in DATA if locator.source(name) is None]
    assert missing == ["prostate_ms", "stroke"]
