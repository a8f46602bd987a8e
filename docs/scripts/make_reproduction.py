"""Write docs/reproduction.md from the documents in docs/_reproduction.

Run it after a document or a reason changed: ``python docs/scripts/make_reproduction.py``. The
documents are the JSON files of ``holdfast reproduce ... --full``. With a folder as argument, the
script first copies the documents from there.
"""

import json
import shutil
import sys
import textwrap
import tomllib
from pathlib import Path

from holdfast.papers import PAPERS
from holdfast.papers._document import size_word, tally
from holdfast.papers._pages import to_markdown

DOCS = Path(__file__).parents[1]
DOCUMENTS = DOCS / "_reproduction"
PAGE = DOCS / "reproduction.md"


def read_documents():
    """Return the documents by paper, in the order of the records."""
    return {
        paper: [json.loads(file.read_text(encoding="utf-8")) for file in files]
        for paper in PAPERS.values()
        if (
            files := [
                file for one in paper.experiments if (file := document_path(paper, one)).is_file()
            ]
        )
    }


def document_path(paper, experiment):
    return DOCUMENTS / f"{paper.name}-{experiment.name}.json"


def overview_parts(found):
    """Return a sentence with the total of the findings, and the table of all experiments."""
    titles = ["", "size", "data sets", "held", "not held", "cannot be checked"]
    lines = [f"| {' | '.join(titles)} |", "| --- | --- | --- | ---: | ---: | ---: |"]
    total = [0, 0, 0]
    for paper, documents in found.items():
        for one in documents:
            counts = list(tally(one).values())
            total = [a + b for a, b in zip(total, counts, strict=True)]
            name = f"{paper.short}, {one['label']}"
            used = [data["used"] for data in one["data"]]
            sets = f"{sum(used)} of {len(used)}" if used else "simulated"
            cells = [name, size_word(one), sets, *map(str, counts)]
            lines.append(f"| {' | '.join(cells)} |")
    held, failed, unchecked = total
    sentence = (
        f"Of {sum(total)} findings, {held} held, {failed} did not, and {unchecked} cannot be "
        "checked, in the main settings."
    )
    return [sentence, "\n".join(lines)]


def wrap(paragraph):
    """Break the lines of a paragraph."""
    text = " ".join(paragraph.split())
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def page():
    """Return the page."""
    found = read_documents()
    reasons = tomllib.loads((DOCUMENTS / "reasons.toml").read_text(encoding="utf-8"))
    parts = [
        (DOCUMENTS / "introduction.txt").read_text(encoding="utf-8").strip(),
        *overview_parts(found),
    ]
    for paper, documents in found.items():
        parts += [f"## {paper.short}: {paper.title}", paper.reference]
        own = reasons.get(paper.name, {})
        parts += [wrap(own["all"])] if "all" in own else []
        for one in documents:
            parts.append(to_markdown(one, level=3, folded=True).strip())
            if one["experiment"] in own:
                parts.append(wrap(f"Possible reasons: {own[one['experiment']]}"))
    return "\n\n".join(parts) + "\n"


def main(folder=None):
    if folder is not None:
        DOCUMENTS.mkdir(exist_ok=True)
        for paper in PAPERS.values():
            for one in paper.experiments:
                source = Path(folder) / document_path(paper, one).name
                if source.is_file():
                    shutil.copyfile(source, document_path(paper, one))
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:2])
