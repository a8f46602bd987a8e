"""Draw docs/_static/markers.svg: eight measures of the same selections.

Run it after a change to examples/markers.txt or to a measure:
``python docs/scripts/make_picture.py``.
"""

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

import holdfast as hf
from holdfast.io import read_preferences

ROOT = Path(__file__).parents[2]
TARGET = ROOT / "docs" / "_static" / "markers.svg"
N_FEATURES = 2000
PLAIN = ["krizek", "consistency", "jaccard", "dice", "novovicova", "hamming"]
CORRECTED = ["ati_pa", "nogueira"]
INK, PALE, BLUE, RUST, RULE = "#22303c", "#66737d", "#1f6f9f", "#b4572e", "#e3e7ea"
FONT = {"svg.hashsalt": "holdfast", "font.family": "DejaVu Sans", "font.size": 10}


def draw(subsets, table):
    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    rows = range(len(table))
    axes.hlines(rows, 0, 1, color=RULE, linewidth=1, zorder=0)
    axes.hlines(rows, table["low"], table["high"], color=BLUE, linewidth=6, alpha=0.35)
    axes.plot(table["value"], rows, "o", color=BLUE, markersize=8, label="value, 95% interval")
    axes.plot(table["chance"], rows, "|", color=RUST, ms=15, mew=2.5, label="chance alone")
    for row, value in enumerate(table["value"]):
        axes.text(1.1, row, f"{value:.3f}", ha="right", va="center", color=INK)
    border = len(PLAIN) - 0.5
    axes.axhline(border, color=PALE, linewidth=0.8, linestyle=(0, (2, 3)))
    small = {"ha": "right", "color": PALE, "fontsize": 8.5, "style": "italic"}
    axes.text(0.98, border + 0.09, "corrected for chance", va="bottom", **small)
    axes.text(0.98, border - 0.09, "not corrected", va="top", **small)
    label_axes(axes, list(table.index))
    size = int(subsets.sizes[0])
    title = f"The same {len(subsets)} selections of {size} out of {N_FEATURES:,} genes"
    figure.suptitle(title, x=0.012, ha="left", fontsize=12.5, color=INK, weight="bold")
    figure.legend(loc="outside lower center", ncols=2, frameon=False, labelcolor=INK)
    return figure


def label_axes(axes, names):
    axes.set_yticks(range(len(names)), names, fontsize=11, family="monospace")
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
    axes.set_xlim(-0.025, 1.11)
    axes.tick_params(length=0, colors=INK)
    axes.spines[:].set_visible(False)


def main():
    subsets = read_preferences(ROOT / "examples" / "markers.txt", n_features=N_FEATURES)
    table = hf.measure([*PLAIN, *CORRECTED], subsets)
    with mpl.rc_context(FONT):
        draw(subsets, table).savefig(TARGET, metadata={"Date": None}, facecolor="white")


if __name__ == "__main__":
    main()
