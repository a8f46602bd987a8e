"""Draw which room imports which, from the source: ``python docs/scripts/make_room_graph.py``.

Writes docs/_static/rooms.svg for the architecture page. Rooms are ordered by layer; an arc goes
from a room to a room that it imports at run time.
"""

from __future__ import annotations

import ast
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "holdfast"
TARGET = ROOT / "docs" / "_static" / "rooms.svg"
ROOMS = (
    "preferences", "measures", "theory", "io", "resample", "select", "simulate", "judge", "plot",
    "report", "study", "papers", "cli",
)  # fmt: skip
"""From left to right: no room imports one to its right."""


def imports_between_rooms() -> dict[tuple[str, str], int]:
    """Return how many files of a room import another room, at the top or within functions."""
    counts: dict[tuple[str, str], int] = {}
    for room in ROOMS:
        for path in (SOURCE / room).rglob("*.py"):
            for other in imported_rooms(ast.parse(path.read_text(encoding="utf-8"))) - {room}:
                counts[room, other] = counts.get((room, other), 0) + 1
    return counts


def imported_rooms(tree: ast.Module) -> set[str]:
    """Return the rooms that a file imports, but for types alone."""
    found = set()
    nodes: list[ast.AST] = [tree]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("holdfast."):
            found.add((node.module or "").split(".")[1])
        nodes += ast.iter_child_nodes(node)
    return found & set(ROOMS)


def draw(counts: dict[tuple[str, str], int]) -> None:
    """Draw the rooms in a row, and arcs above it."""
    mpl.rcParams["svg.hashsalt"] = "holdfast"
    figure, ax = plt.subplots(figsize=(9, 3.6))
    for (room, other), count in counts.items():
        start, end = ROOMS.index(room), ROOMS.index(other)
        ax.annotate(
            "", (end, 0.15), (start, 0.15),
            arrowprops={
                "arrowstyle": "->", "color": "0.55", "linewidth": 0.5 + 0.12 * min(count, 12),
                "connectionstyle": f"arc3,rad={0.5 if start > end else -0.5}",
            },
        )  # fmt: skip
    for place, room in enumerate(ROOMS):
        ax.text(place, -0.2, room, ha="center", va="top", rotation=35, fontsize=10)
        ax.plot(place, 0, "o", color="black", markersize=7)
    ax.set(xlim=(-0.7, len(ROOMS) - 0.3), ylim=(-1.6, 4.2))
    ax.axis("off")
    figure.savefig(TARGET, metadata={"Date": None}, bbox_inches="tight")


if __name__ == "__main__":
    draw(imports_between_rooms())
