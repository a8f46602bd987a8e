"""The results of the papers, run again: Markdown from the JSON files in docs/_reproduction."""

import json
import textwrap
import tomllib
from pathlib import Path

import pandas as pd

from holdfast.papers import PAPERS
from holdfast.papers._claims import HELD, NOT_HELD, UNCHECKED
from holdfast.papers._comparison import draw_published_values
from holdfast.papers._document import size_word, tally
from holdfast.papers._pages import to_markdown
from holdfast.papers._record import file_name
from holdfast.papers._stored import count_outcomes, judge_stored

DOCUMENTS = Path(__file__).parents[1] / "_reproduction"
FOLDER = Path(__file__).parents[1] / "_generated"
CAUTIOUS = "cautious"
LEGEND = (
    "Findings by paper. *As published* is the main setting of each experiment, or the first that "
    "can check the finding; papers with a second, *cautious* setting have a second row. A finding "
    "that does not hold has its cause in our copy of the data, in a setting that the paper leaves "
    "open, in the paper itself, or the cause is not known."
)
SOURCES = ("data", "setting", "paper", "not known")


def read_documents():
    """Return the documents by paper, in the order of the records, judged by the current claims."""
    found = {}
    for paper in PAPERS.values():
        files = [DOCUMENTS / f"{paper.name}-{one.name}.json" for one in paper.experiments]
        found[paper] = [
            judge_stored(json.loads(file.read_text(encoding="utf-8")), paper)
            for file in files
            if file.is_file()
        ]
    return found


def table(titles, rows, n_words):
    marks = ["---"] * n_words + ["---:"] * (len(titles) - n_words)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (titles, marks, *rows))


def paper_rows(found):
    """Return how many findings of each paper hold, by setting, and why others do not."""
    rows = []
    for paper, documents in found.items():
        has_cautious = any(
            setting["name"] == CAUTIOUS for one in documents for setting in one["settings"]
        )
        for setting in (None, CAUTIOUS) if has_cautious else (None,):
            counts = count_outcomes(documents, setting)
            rows.append(
                [
                    paper.short,
                    "as published" if setting is None else setting,
                    *(str(counts.get(key, 0)) for key in (HELD, NOT_HELD, *SOURCES, UNCHECKED)),
                ]
            )
    return rows


def overview(found):
    """Return the counts of all papers, and those of each experiment."""
    heads = ["held", "not held", *(f"by {source}" for source in SOURCES[:3])]
    parts = [
        LEGEND,
        table(
            ["paper", "setting", *heads, "cause not known", "cannot be checked"],
            paper_rows(found),
            2,
        ),
    ]
    rows = []
    for paper, documents in found.items():
        for one in documents:
            used = [data["used"] for data in one["data"]]
            rows.append(
                [
                    f"{paper.short}, {one['label']}",
                    size_word(one),
                    f"{sum(used)} of {len(used)}" if used else "simulated",
                    *map(str, tally(one).values()),
                ]
            )
    titles = ["", "size", "data sets", "held", "not held", "cannot be checked"]
    return [*parts, table(titles, rows, 3)]


def wrap(paragraph):
    """Break the lines of a paragraph."""
    text = " ".join(paragraph.split())
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def draw_pictures(document, paper):
    """Draw published numbers and ours into a file each; return the links."""
    record = paper.get(document["experiment"])
    cells = pd.DataFrame(document["cells"])
    if cells.empty:
        return []
    links = []
    FOLDER.mkdir(exist_ok=True)
    drawn = draw_published_values(cells, record, document["settings"][0]["name"])
    for name, picture in drawn.items():
        file = FOLDER / f"{paper.name}-{record.name}-{file_name(name)}.svg"
        file.write_text(picture.svg(background=True) + "\n", encoding="utf-8")
        links.append(f"![{name}: {picture.description}](_generated/{file.name})")
    return links


def results():
    """Return the part of the page that is made from the documents."""
    found = read_documents()
    reasons = tomllib.loads((DOCUMENTS / "reasons.toml").read_text(encoding="utf-8"))
    parts = overview(found)
    for paper, documents in found.items():
        parts += [f"## {paper.short}: {paper.title}", paper.reference]
        remarks = reasons.get(paper.name, {})
        parts += [wrap(remarks["all"])] if "all" in remarks else []
        for one in documents:
            heading, _, text = to_markdown(one, level=3, folded=True).strip().partition("\n\n")
            parts += [heading, *draw_pictures(one, paper), text]
            if one["experiment"] in remarks:
                parts.append(wrap(f"Possible reasons: {remarks[one['experiment']]}"))
    return "\n\n".join(parts) + "\n"
