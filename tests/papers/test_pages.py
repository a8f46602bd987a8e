"""What people see of a reproduction: page, index, Markdown, files."""

import json
import re

import pytest

from holdfast.errors import StoreError
from holdfast.papers import reproduce
from holdfast.papers._document import ComparisonCell, _format_difference, grid
from holdfast.papers._pages import (
    check_free,
    make_shader,
    read_document,
    to_html,
    to_index,
    to_markdown,
    write,
    write_index,
)
from holdfast.papers._record import file_name
from tests.papers.sample import NAME


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
def made(sample, folder):
    return reproduce(NAME, out=folder, n_jobs=1, datasets=["wine", "breast_cancer"])


@pytest.mark.slow
def test_the_page_shows_all_and_texts_are_text(made):
    html = to_html(made[0].document, made[0].pictures)
    assert "Stability &lt;of&gt; two selectors" in html
    assert "&lt;b&gt;A note.&lt;/b&gt;" in html
    assert "two, &amp; three" in html
    assert html.count('class="held"') == 2
    assert html.count('class="not-held"') == 1
    assert html.count('class="cannot-be-checked"') == 1
    assert "<svg" in html
    assert made[0].document["command"] in html
    assert "Somol" in html
    assert "<script" not in html
    assert "Section 2. Bar: as stated." in html
    assert "data: few samples" in html
    assert "A small run cannot show much." in html
    assert html.index("Two features.") < html.index("<h2>Findings</h2>")
    assert html.index('id="numbers"') < html.index('id="pictures"')


def test_pictures_come_first_for_figures(made):
    figure = {**made[0].document, "experiment": "figure7"}
    html = to_html(figure, made[0].pictures)
    assert html.index('id="pictures"') < html.index('id="findings"')
    assert html.index('href="#pictures"') < html.index('href="#findings"')


def test_a_page_without_findings_or_settings_is_shorter(made):
    html = to_html(made[1].document, made[1].pictures)
    assert "<h2>Findings</h2>" not in html
    assert "Setting" not in html
    assert "0.25" in html


@pytest.mark.parametrize("dark", ["light", "dark"])
def test_the_page_loads_nothing_and_fits_a_phone(made, opened, dark):
    html = to_html(made[0].document, made[0].pictures)
    shown = opened(html, viewport={"width": 400, "height": 800}, color_scheme=dark)
    assert shown.complaints == []
    assert all(address.startswith("file:") for address in shown.requests)
    width = shown.page.evaluate("document.documentElement.scrollWidth")
    assert width <= 400
    assert shown.page.locator("h2").all_inner_texts() == ["Findings", "Numbers", "Pictures", "How"]


def test_the_index_leads_to_the_pages(made):
    html = to_index([one.document for one in made])
    assert f'href="{NAME}-table.html"' in html
    assert f'href="{NAME}-figure1.html"' in html
    cells = re.findall(r'<td class="n">(\d+)</td>', html)
    assert cells == ["1", "1", "1", "0", "0", "0"]


def test_markdown_has_the_command_the_tables_and_the_findings(made):
    text = to_markdown(made[0].document, level=3)
    assert text.startswith("### Table: Stability <of> two selectors\n")
    assert f"holdfast reproduce {NAME} table --datasets wine,breast_cancer" in text
    assert "seed 0, reduced size: 4 resamples" in text
    assert "wine (178 x 13; in the paper 178 x 14)" in text
    assert "stroke (these spectra were not published)" in text
    assert "| data | F | random |" in text
    assert "| mean of these |" in text
    first = "1. F is stabler than chance. (Section 2; bar: as stated)"
    assert f"| {first} | held: on 1 data sets | two | **held** | on 2 data sets |" in text
    assert "|  |  | three | **held** |" in text
    assert "| two | **not held** (data: few samples) | no |" in text
    assert "A small run cannot show much." in text


def test_cells_show_ours_theirs_and_the_difference(made):
    own = grid(made[0].document, "two")
    assert own.titles == ["data"]
    assert own.heads == ["F", "random"]
    names, (f, random) = own.rows[0]
    assert names == ["wine"]
    value = made[0].table.iloc[0]["value"]
    assert f.text() == f"{value:.2f} (0.90, {value - 0.9:+.2f})"
    assert random.published == "0.20"
    assert own.rows[1][1][1].published == ""  # nobody published that


@pytest.mark.parametrize(
    ("value", "text"), [(0.125, "+0.12"), (-0.004, "+0.00"), (-0.5, "-0.50"), (0.5, "+0.50")]
)
def test_differences_have_a_sign(value, text):
    assert _format_difference(value, 2) == text


def test_published_numbers_and_ours_are_in_one_picture(made):
    numbers = made[0].pictures["published and ours"].numbers
    assert numbers["published"].tolist() == [0.9, 0.2, 0.5]
    assert numbers["kind"].tolist() == ["F", "random", "F"]
    table = made[0].table.query("setting == 'two' and data != 'mean of these'")
    ours = table.dropna(subset=["published"])["value"]
    assert numbers["value"].tolist() == ours.tolist()
    assert not made[1].pictures, "nothing is published"


def test_marked_numbers_have_an_asterisk(made):
    cells = [dict(cell) for cell in made[0].document["cells"]]
    cells[0]["marked"] = True
    _, (f, random) = grid({**made[0].document, "cells": cells}, "two").rows[0]
    assert f.ours.endswith("*")
    assert f.text().startswith(f"{f.ours} (0.90")
    assert "*" not in random.ours


def test_rows_can_end_with_their_average_and_numbers_have_a_spread(made):
    cells = [dict(cell) for cell in made[0].document["cells"]]
    cells[0] |= {"spread": 0.12, "published_spread": 0.034}
    document = {**made[0].document, "cells": cells, "row_means": True}
    own = grid(document, "two")
    assert own.heads == ["F", "random", "average"]
    _, (f, _, average) = own.rows[0]
    assert f.ours == f"{cells[0]['value']:.2f} ± 0.12"
    assert f.published == "0.90 ± 0.03"
    assert average.published == "0.55"
    ours = (cells[0]["value"] + cells[1]["value"]) / 2
    assert average.ours == f"{ours:.2f}"
    assert average.difference == f"{ours - 0.55:+.2f}"
    assert own.rows[1][1][2].published == ""  # one of the two is not published


def test_differences_are_shaded_by_the_range_of_what_was_published(made):
    shade = make_shader(made[0].document)  # from 0.2 to 0.9
    gaps = {0.05: "", 0.1: " off1", -0.3: " off2", 0.6: " off3"}
    assert {gap: shade(ComparisonCell("", "", "", gap)) for gap in gaps} == gaps
    assert shade(ComparisonCell("")) == ""
    assert make_shader({**made[0].document, "part": "data"})(ComparisonCell("", "", "", 0.6)) == ""


def test_names_of_files_are_plain():
    assert file_name("m/z from 500 on") == "m-z-from-500-on"
    assert file_name("../a 3-NN 0.5") == "..-a-3-NN-0.5"
    assert file_name("naïve (b)") == "na-ve-b"


def test_files_are_written_together_and_can_be_written_again(made, tmp_path):
    paths = write(made[0], tmp_path)
    pictures = ["table-often.svg", "table-published-and-ours.svg"]
    ends = ["table.html", "table.json", "table.csv", *pictures]
    assert [path.name for path in paths] == [f"{NAME}-{end}" for end in ends]
    assert read_document(tmp_path / f"{NAME}-table.json") == json.loads(
        json.dumps(made[0].document)
    )
    before = [path.read_bytes() for path in paths]
    check_free(tmp_path, [f"{NAME}-table"])
    assert [path.read_bytes() for path in write(made[0], tmp_path)] == before
    index = write_index(tmp_path, [f"{NAME}-figure1", f"{NAME}-table"])
    assert index.read_text(encoding="utf-8").count("<a href=") == 1


@pytest.mark.parametrize("name", [f"{NAME}-table.json", f"{NAME}-table.html", "index.html"])
def test_files_of_others_stay(tmp_path, name):
    (tmp_path / name).write_text("mine", encoding="utf-8")
    with pytest.raises(StoreError, match="not a holdfast reproduction"):
        check_free(tmp_path, [f"{NAME}-table"])


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "out").write_text("mine", encoding="utf-8")
    with pytest.raises(StoreError, match="expected a folder"):
        check_free(tmp_path / "out", [])
