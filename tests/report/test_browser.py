"""The page in use: sorted, searched, exported, by hand and by key, and under attack."""

from __future__ import annotations

import re

import pytest

from holdfast._formatting import INVISIBLE_CHARACTERS, spell_out_invisible
from holdfast.report._rendering import to_html
from tests.report.page_queries import FEATURES, UNFOLD, exported, names, visible_names
from tests.report.sample_report import HOSTILE, sample


def test_the_page_opens_in_silence_and_asks_for_nothing_but_itself(opened, html):
    found = opened(html)
    found.page.wait_for_timeout(200)
    assert found.requests == [found.address]
    assert found.complaints == []


def test_the_policy_stops_what_would_reach_out(opened, html):
    found = opened(html)
    refused = found.page.evaluate("fetch('https://example.org').then(() => false, () => true)")
    loaded = found.page.evaluate(
        """() => new Promise(done => { const image = new Image(); image.onload = () => done(true);
        image.onerror = () => done(false); image.src = 'https://example.org/a.png'; })"""
    )
    assert refused
    assert not loaded
    assert any("Content Security Policy" in text for text in found.complaints)


def test_scripts_and_handlers_put_into_the_page_do_not_run(opened, html):
    injected = html.replace(
        "</main>", "<script>window.hurt = 3</script><i onclick='hurt = 4'>x</i></main>"
    )
    found = opened(injected)
    found.page.locator("i[onclick]").click()
    assert found.page.evaluate("window.hurt") is None


def test_hostile_names_are_nothing_but_text(opened, html):
    found = opened(html)
    assert {spell_out_invisible(name) for name in HOSTILE} <= set(names(found.page))
    assert not INVISIBLE_CHARACTERS.search(found.page.content())
    assert found.page.evaluate("window.hurt") is None
    assert found.page.locator("main script, main img, main b:not(.badge)").count() == 0
    assert "49" not in names(found.page)


def test_a_press_on_a_head_sorts_numbers_as_numbers(opened, html):
    page = opened(html).page
    head = page.locator("#feature-table thead th", has_text="In resamples")
    assert head.get_attribute("aria-sort") is None
    assert names(page) == [
        spell_out_invisible(row["feature"]) for row in sample()["features"]["rows"]
    ]
    head.get_by_role("button").dblclick()
    assert head.get_attribute("aria-sort") == "ascending"
    assert page.locator("#features [role=status]").text_content() == (
        "Sorted by In resamples, ascending."
    )
    rows = sorted(sample()["features"]["rows"], key=lambda row: row["frequency"])
    assert names(page) == [spell_out_invisible(row["feature"]) for row in rows]


@pytest.mark.parametrize("presses", [1, 2])
def test_missing_numbers_come_last_both_ways(opened, html, presses):
    page = opened(html).page
    head = page.locator("#feature-table thead th", has_text="Rank")
    for _ in range(presses):
        head.get_by_role("button").click()
    rows = sample()["features"]["rows"]
    without = {spell_out_invisible(row["feature"]) for row in rows if row["rank_median"] is None}
    known = sorted((row for row in rows if row["rank_median"]), key=lambda row: row["rank_median"])
    shown = names(page)
    assert set(shown[-len(without) :]) == without
    assert shown[: len(known)] == [
        spell_out_invisible(row["feature"]) for row in known[:: 3 - 2 * presses]
    ]


def test_text_sorts_as_text_and_only_one_head_says_that_it_sorts(opened, html):
    page = opened(html).page
    page.locator("#feature-table thead button", has_text="Rank").click()
    page.locator("#feature-table thead button", has_text="Feature").click()
    genes = [name for name in names(page) if name.startswith("gene")]
    assert genes == sorted(genes)
    assert page.locator("#feature-table [aria-sort]").count() == 1


def test_the_search_finds_names_classes_and_caveats(opened, html):
    page = opened(html).page
    box = page.locator("#features input")
    box.fill("  GENE   02 ")
    assert len(visible_names(page)) == 10
    assert page.locator("#features output").text_content() == "10 of 30"
    box.fill("<script>")
    assert HOSTILE[0] in visible_names(page)
    box.fill("no such thing")
    assert visible_names(page) == []
    box.fill("")
    assert len(visible_names(page)) == 30


def test_the_export_can_be_read_back_and_holds_no_formula(opened, html):
    _, table = exported(opened(html).page)
    rows = sample()["features"]["rows"]
    shares = ["frequency", "count", "n", "frequency_low", "frequency_high"]
    assert table[0][:9] == ["feature", "found_again", "low", "grade", *shares]
    assert [line[0].removeprefix("'") for line in table[1:]] == [
        spell_out_invisible(row["feature"]) for row in rows
    ]
    assert {len(line) for line in table} == {len(table[0])}
    cells = [cell for line in table[1:] for cell in line]
    assert not [cell for cell in cells if re.match(r"[=+@\t\r]|-(?![\d.]+$)", cell)]
    guarded = {line[0] for line in table[1:] if line[0].startswith("'")}
    assert guarded == {"'" + name for name in HOSTILE if name[0] in "=+-@"}


def test_numbers_in_the_export_are_the_numbers_of_the_report(opened):
    report = sample(rows=3)
    report["features"]["rows"][0]["effect"] = -1.25
    _, table = exported(opened(to_html(report)).page)
    first = dict(zip(table[0], table[1], strict=True))
    row = report["features"]["rows"][0]
    assert float(first["frequency"]) == row["frequency"]
    assert int(first["rank_high"]) == row["rank_high"]
    assert float(first["effect_size"]) == -1.25
    assert first["caveats"] == ""


def test_the_export_follows_the_search_and_the_order(opened, html):
    page = opened(html).page
    page.locator("#features input").fill("gene 02")
    page.locator("#feature-table thead button", has_text="In resamples").dblclick()
    text, table = exported(page)
    assert [line[0] for line in table[1:]] == [f"gene {number:03d}" for number in range(29, 19, -1)]
    assert text.endswith("\r\n")


def test_a_long_table_shows_its_first_rows_until_asked(opened):
    page = opened(to_html(sample(rows=80))).page
    assert len(visible_names(page)) == 50
    page.locator("#features input").fill("gene 079")
    assert visible_names(page) == ["gene 078", "gene 079"]  # the one stands in for the other
    page.locator("#features input").fill("")
    assert len(exported(page)[1]) == 81
    page.get_by_role("button", name="Show all 80").click()
    assert len(visible_names(page)) == 80
    assert page.locator("#features [data-do=more]").is_hidden()


def test_many_selectors_can_be_searched_and_few_need_not(opened, html):
    assert opened(html).page.locator("#selectors input").is_hidden()
    report = sample(figures=[])
    rows = report["selectors"]["rows"]
    report["selectors"]["rows"] = [{**rows[1], "title": f"s {i}"} for i in range(70)]
    page = opened(to_html(report)).page
    page.evaluate(UNFOLD)
    shown = page.locator("#selectors tbody tr:visible")
    assert shown.count() == 50
    page.get_by_role("button", name="Show all 70").click()
    assert shown.count() == 70
    page.locator("#selectors input").fill("s 69")
    assert shown.count() == 1


def test_only_boxes_that_scroll_are_stops_for_keys(opened, html):
    count = "[...document.querySelectorAll('.scroll')].filter(e => {}).length"
    scrolls = "e.scrollWidth > e.clientWidth"
    for width in (400, 1600):
        page = opened(html, viewport={"width": width, "height": 800}).page
        page.evaluate(UNFOLD)
        page.wait_for_timeout(100)
        wrong = count.format(f"({scrolls}) !== e.hasAttribute('tabindex')")
        assert page.evaluate(wrong) == 0
    still = opened(html, java_script_enabled=False).page
    assert still.locator(".scroll:not([tabindex])").count() == 0


def test_the_methods_paragraph_can_be_copied(opened, html):
    page = opened(html, permissions=["clipboard-read", "clipboard-write"]).page
    page.evaluate(UNFOLD)
    page.get_by_role("button", name="Copy the paragraph").click()
    page.get_by_text("Copied.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == sample()["methods"]["paragraph"]


def test_everything_can_be_read_without_a_script_and_no_control_is_dead(opened):
    html = to_html(sample(rows=80))
    page = opened(html, java_script_enabled=False).page
    assert page.locator(FEATURES).count() == 80
    assert page.locator(FEATURES).last.is_visible()
    assert page.locator("button:visible, input:visible, output:visible").count() == 0
    page.locator("details > summary").first.click()
    assert page.locator("details table").first.is_visible()
    page.locator(".term").first.focus()
    assert page.locator(".tip").first.is_visible()


def test_keys_alone_reach_search_heads_and_tooltips_and_sort(opened, html):
    page = opened(html).page
    seen = []
    for _ in range(60):
        page.keyboard.press("Tab")
        seen.append(
            page.evaluate("document.activeElement.className || document.activeElement.tagName")
        )
        if page.evaluate("document.activeElement.textContent") == "In resamples":
            break
    assert seen[0] == "skip"
    assert "term" in seen
    assert "INPUT" in seen
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert names(page)[0] == "gene 029"
