"""The page about the store: it describes the whole schema, and its queries run."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from holdfast.study._storage import _schema as schema
from tests.study.stores import Made, full, subsamples

PAGE = (Path(__file__).parents[2] / "docs" / "store.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"^```sql\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
SECTION = re.compile(r"^### `(\w+)`\n(.*?)(?=^##)", re.MULTILINE | re.DOTALL)


@pytest.fixture
def tables():
    """Return the columns of each table of the schema, as SQLite sees them."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(schema.TABLES)
        names = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        return {
            name: [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
            for (name,) in names
        }


@pytest.fixture
def store(tmp_path):
    """Return a small store with a failure, as a plain SQLite connection."""
    made = Made(resamples=subsamples(30, 4))
    full(made, tmp_path, failed=[(1, 2)]).close()
    with closing(sqlite3.connect(tmp_path / "study.sqlite")) as connection:
        yield connection


def described():
    """Return the columns that the page describes, by table."""
    terms = {
        table: re.findall(r"^((?:`\w+`(?:, )?)+)\n: ", text, re.MULTILINE)
        for table, text in SECTION.findall(PAGE)
    }
    return {table: re.findall(r"`(\w+)`", " ".join(found)) for table, found in terms.items()}


def test_every_table_has_its_section_and_no_other(tables):
    assert sorted(described()) == sorted(tables)


def test_every_column_is_described_under_its_table(tables):
    page = described()
    assert {name: sorted(columns) for name, columns in tables.items()} == {
        name: sorted(columns) for name, columns in page.items()
    }


def test_the_page_says_the_values_that_are_allowed():
    for values in re.findall(r"CHECK \(\w+ IN \((.*?)\)\)", schema.TABLES, re.DOTALL):
        for value in re.findall(r"'(\w+)'", values):
            assert f"`{value}`" in PAGE, value


def test_the_page_is_about_this_version_of_the_schema():
    assert f"describes version {schema.VERSION} of its schema" in PAGE
    assert f"{schema.APPLICATION:#x}" in PAGE.lower()


@pytest.mark.parametrize("query", QUERIES)
def test_an_example_query_gives_rows(store, query):
    assert store.execute(query).fetchall()


def test_the_queries_count_what_is_there(store):
    far, failed, parts, *_ = (store.execute(query).fetchall() for query in QUERIES)
    assert far == [("one", 4, 0), ("two", 3, 1)]
    assert failed == [("two", "ValueError: no", 1, 2)]
    assert parts == [("main", 4, 24, 24, 6, 6)]
