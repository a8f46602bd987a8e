"""The guide and the README: examples run, generated pages are complete, links lead somewhere."""

import doctest
import importlib.util
import json
import re
import shlex
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import holdfast as hf
import holdfast.testing
from holdfast.cli import main
from holdfast.cli._study_file import SECTION_KEYS, read_study_file
from holdfast.measures import REFERENCES

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    *sorted(
        page
        for page in DOCS.rglob("*.md")
        if not {"_build", "_generated"} & set(page.relative_to(DOCS).parts)
    ),
]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text, language):
    """Return the fenced blocks of a language, each padded to keep its line numbers."""
    return [
        "\n" * text[: found.start(2)].count("\n") + found[2]
        for found in FENCE.finditer(text)
        if found[1] == language
    ]


def failures(text, name):
    """Run the examples of a page one after the other, in one namespace; return the reports."""
    found = [
        example
        for block in blocks(text, "python")
        for example in doctest.DocTestParser().get_examples(block, name)
    ]
    return run(found, name)


def run(examples, name):
    test = doctest.DocTest(examples, {}, name, name, 0, None)
    report = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    return "".join(report)


def commands(text):
    """Return the commands in console blocks with what they should print."""
    shown = "\n".join(block.strip() for block in blocks(text, "console"))
    parts = re.split(r"^\$ (.*)$", shown, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def generated():
    if str(DOCS / "_ext") not in sys.path:
        sys.path.insert(0, str(DOCS / "_ext"))
    spec = importlib.util.spec_from_file_location("generated", DOCS / "_ext" / "generated.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def name_of(page):
    return str(page.relative_to(ROOT))


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Work in a folder that has the examples, as examples write files where they are run."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)


@pytest.mark.integration
@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_python_examples(page):
    report = failures(page.read_text(encoding="utf-8"), name_of(page))
    assert not report, report


@pytest.mark.integration
@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_console_examples(page):
    checker = doctest.OutputChecker()
    for command, wanted in commands(page.read_text(encoding="utf-8")):
        program, *arguments = shlex.split(command)
        assert program == "holdfast"
        got = CliRunner().invoke(main, arguments, prog_name="holdfast").output
        assert checker.check_output(wanted, got, FLAGS), f"$ {command}\n{got}"


@pytest.mark.parametrize("name", hf.list_measures().index)
def test_examples_of_measures(name):
    """Measures are records, so pytest does not see their docstrings by itself."""
    text = hf.measures.get_measure(name).__doc__
    assert ">>>" in text
    report = run(doctest.DocTestParser().get_examples(text, name), name)
    assert not report, report


def test_a_wrong_example_is_found():
    page = "text\n\n```python\n>>> 1 + 1\n2\n>>> 1 + 1\n3\n```\n"
    report = failures(page, "page")
    assert report.count("Failed example") == 1
    assert 'File "page", line 6' in report
    assert not failures(page.replace("3\n", "2\n"), "page")


def test_most_pages_have_examples():
    texts = {name_of(page): page.read_text(encoding="utf-8") for page in PAGES}
    with_python = {name for name, text in texts.items() if ">>>" in text}
    guide = ("index", "studies", "store", "data", "protocols", "selectors", "notation", "measures")
    assert {"README.md", *(f"docs/{name}.md" for name in guide)} <= with_python
    assert {name for name in with_python if not blocks(texts[name], "python")} == set()
    for name in ("README.md", "docs/studies.md", "docs/reference/cli.md"):
        assert commands(texts[name]), name


def test_python_blocks_are_examples_that_run():
    for page in PAGES:
        for block in blocks(page.read_text(encoding="utf-8"), "python"):
            assert block.strip().startswith(">>>"), name_of(page)


def test_the_table_lists_every_measure_once():
    rows = generated().measure_table().splitlines()[2:]
    names = [re.match(r"\| \[`(\w+)`\]\(#measure-(\w+)\)", row).groups() for row in rows]
    assert names == [(name, name) for name in hf.list_measures().index]
    titles = hf.list_measures()["title"]
    assert all(titles[name] in row for (name, _), row in zip(names, rows, strict=True))


def test_every_measure_and_every_reference_has_its_place():
    module = generated()
    sections = module.measure_sections()
    for name in hf.list_measures().index:
        assert f"(measure-{name})=\n## {name}\n" in sections
    places = module.bibliography()
    for key, reference in REFERENCES.items():
        assert f"(ref-{key})=" in places
        assert reference.full in places


def test_links_into_generated_pages_name_what_exists():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert set(re.findall(r"\(#measure-(\w+)\)", text)) <= set(hf.list_measures().index)
        assert set(re.findall(r"\(#ref-(\w+)\)", text)) <= REFERENCES.keys()


def test_the_comparison_maps_all_twenty_functions_of_stabm():
    text = (DOCS / "comparison.md").read_text(encoding="utf-8")
    assert len(set(re.findall(r"^\| `stability(\w+)` \| \[`\w+`\]", text, re.MULTILINE))) == 20


def test_the_reference_has_all_public_names():
    text = (DOCS / "reference" / "api.md").read_text(encoding="utf-8")
    text += generated().selector_sections() + generated().protocol_sections()
    modules = (
        hf.io, hf.judge, hf.measures, hf.plot, hf.resample, hf.select, hf.simulate, hf.study,
        hf.theory, holdfast.testing,
    )  # fmt: skip
    for name in [*hf.__all__, *(name for module in modules for name in module.__all__)]:
        assert re.search(rf"(:: |holdfast\.){name}\b", text), name
    assert "automodule:: holdfast.errors" in text


def test_the_commands_are_documented():
    text = generated().command_help()
    for command in ("study", "resume", "merge", "measure", "list", "list measures"):
        assert f"### `holdfast {command}`\n" in text


def test_the_classifiers_are_listed():
    rows = generated().classifier_table().splitlines()[2:]
    assert [row.split("`")[1] for row in rows] == list(hf.study.CLASSIFIERS)


def test_the_study_file_of_the_guide_is_read_and_shows_all_keys(tmp_path):
    (text,) = blocks((DOCS / "studies.md").read_text(encoding="utf-8"), "toml")
    path = tmp_path / "study.toml"
    path.write_text(text, encoding="utf-8")
    given = read_study_file(path)
    assert set().union(*SECTION_KEYS.values()) - given.keys() == {"dask"}
    assert list(given["selectors"]) == ["f_score", "relieff", "svm_rfe", "random_score"]


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md"])
def test_links_to_files_lead_somewhere(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text)
    missing = [t for t in targets if "://" not in t and not (ROOT / t).exists()]
    assert not missing


def test_files_named_on_the_map_exist():
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    names = re.findall(r"`([\w/]+\.py)`", text)
    assert len(names) > 40
    roots = (ROOT, ROOT / "src" / "holdfast")
    assert not [name for name in names if not any((root / name).is_file() for root in roots)]


class Page(HTMLParser):
    """The anchors of a page, where its links lead, and what a browser loads for it."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loads = set(), [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.anchors.update(v for k, v in attrs if k in ("id", "name") and v)
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        elif tag != "a":
            self.loads += [v for k, v in attrs if k in ("src", "href", "data", "srcset") and v]


@pytest.mark.slow
def test_the_guide_builds_without_warnings_and_needs_no_network(tmp_path):
    pytest.importorskip("sphinx")
    builder = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet"]
    done = subprocess.run(
        [*builder, "--builder", "html", str(DOCS), str(tmp_path)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    pages = {path: Page(path) for path in tmp_path.rglob("*.html")}
    sheets = "".join(path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.css"))
    assert not re.findall(r"(?:url\(|@import)\s*['\"]?(?:https?:)?//", sheets)
    for path, page in pages.items():
        assert not [load for load in page.loads if re.match(r"(https?:)?//", load)], path
        for link in page.links:
            assert leads_somewhere(link, path, pages), f"{path.name}: {link}"
    anchors = pages[tmp_path / "reference" / "measures.html"].anchors
    assert {f"measure-{name}".replace("_", "-") for name in hf.list_measures().index} <= anchors


def leads_somewhere(link, path, pages):
    if re.match(r"[a-z]+:", link):
        return True  # elsewhere: not ours to check without a network
    file, _, anchor = link.partition("#")
    target = (path.parent / file).resolve() if file else path
    if target not in pages:
        return target.exists()
    return not anchor or anchor in pages[target].anchors


def script(name):
    """Return one of the scripts that make pages, as a module."""
    spec = importlib.util.spec_from_file_location(name, DOCS / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_of_chances_is_what_its_results_make():
    module = script("make_found_again")
    assert (DOCS / "found_again.md").read_text(encoding="utf-8") == module.page()
    for picture in re.findall(r"\]\((_static/\S+)\)", module.page()):
        assert (DOCS / picture).is_file(), picture


def test_the_diagrams_of_chances_show_the_calibration_errors_of_the_tables():
    module = script("make_found_again")
    found = module.read_results()
    assert set(module.KINDS) <= set(found)
    for kind in module.KINDS:
        numbers = module.draw(kind, found).numbers
        assert set(numbers["selector"]) == set(found[kind]["summary"])
        for (selector, series), own in numbers.groupby(["selector", "series"]):
            error = np.average((own["predicted"] - own["true"]).abs(), weights=own["features"])
            key = "ece" if series == "chance" else "ece_frequency"
            assert error == pytest.approx(found[kind]["summary"][selector][key])


def test_every_experiment_of_the_papers_is_on_the_page():
    page = (DOCS / "reproduction.md").read_text(encoding="utf-8")
    assert "```{include} _generated/reproduction.md\n```" in page
    text = generated().reproduction.results()
    for paper in hf.papers.PAPERS.values():
        assert f"| {paper.short} | as published |" in text
        for one in paper.experiments:
            assert f"\nholdfast reproduce {paper.name} {one.name}" in text, (paper.name, one.name)
            assert f"### {one.label}: {one.title}\n" in text


def test_the_table_of_decisions_is_that_of_its_results():
    page = (DOCS / "decision.md").read_text(encoding="utf-8")
    found = json.loads((DOCS / "_calibration" / "decision.json").read_text(encoding="utf-8"))
    for row in found["rules"]:
        gain = f"{row['replication_gain']:+.3f} ({row['replication_gain_se']:.3f})"
        assert f"| {row['rule']} | {row['replication']:.3f} | {gain} |" in page
        assert f"| {100 * row['error']:.1f}% |" in page
    for row in found["support_with_signal"]:
        ends = f"{row['from']:g} to {row['to']:g}"
        assert f"| {ends} | {row['data_sets']} | {row['supported']} |" in page
    noise = found["noise"]
    assert f"| nothing to find | {noise['data_sets']} | {noise['supported']} |" in page
