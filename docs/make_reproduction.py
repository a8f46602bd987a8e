"""Make docs/reproduction.md of the documents in docs/_reproduction.

Run it after a document or a reason changed: ``python docs/make_reproduction.py``. The documents
are what ``holdfast reproduce ... --full`` writes as JSON; given a folder of them,
``python docs/make_reproduction.py FOLDER`` first takes them over from there.
"""

import json
import shutil
import sys
import tomllib
from pathlib import Path

from holdfast.papers import PAPERS
from holdfast.papers._document import size_word, tally
from holdfast.papers._pages import to_markdown

DOCS = Path(__file__).parent
KEPT = DOCS / "_reproduction"
PAGE = DOCS / "reproduction.md"


def documents():
    """Return the documents by paper, in the order of the records."""
    return {
        paper: [json.loads(file.read_text(encoding="utf-8")) for file in files]
        for paper in PAPERS.values()
        if (files := [file for one in paper.experiments if (file := kept(paper, one)).is_file()])
    }


def kept(paper, experiment):
    return KEPT / f"{paper.name}-{experiment.name}.json"


def overview(found):
    """Return the table of all experiments, and the sum of what became of the findings."""
    titles = ["", "size", "data sets", "held", "not held", "cannot be checked"]
    lines = [f"| {' | '.join(titles)} |", "| --- | --- | --- | ---: | ---: | ---: |"]
    total = [0, 0, 0]
    for paper, documents_ in found.items():
        for one in documents_:
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


def page():
    """Return the page."""
    found = documents()
    reasons = tomllib.loads((KEPT / "reasons.toml").read_text(encoding="utf-8"))
    parts = [(KEPT / "introduction.txt").read_text(encoding="utf-8").strip(), *overview(found)]
    for paper, documents_ in found.items():
        parts += [f"## {paper.short}: {paper.title}", paper.reference]
        own = reasons.get(paper.name, {})
        parts += [own["all"].strip()] if "all" in own else []
        for one in documents_:
            parts.append(to_markdown(one, level=3, folded=True).strip())
            if one["experiment"] in own:
                parts.append(f"What may be behind it: {own[one['experiment']].strip()}")
    return "\n\n".join(parts) + "\n"


def main(folder=None):
    if folder is not None:
        KEPT.mkdir(exist_ok=True)
        for paper in PAPERS.values():
            for one in paper.experiments:
                source = Path(folder) / kept(paper, one).name
                if source.is_file():
                    shutil.copyfile(source, kept(paper, one))
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:2])
