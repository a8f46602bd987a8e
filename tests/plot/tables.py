"""Tables to draw, and ways to look at what was drawn."""

from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd

import holdfast as hf
from holdfast import plot

SVG = "{http://www.w3.org/2000/svg}"
NASTY = [
    "$x_1^2$",
    "_hidden",
    "<script>alert(1)</script>",
    "a & b",
    "=cmd()",
    ' id="m1" href="#m1"',
    "基因表达 🧬",
    "line\nbreak\x00",
    "x" * 200,
    "\\alpha {",
    "",
]


def nasty(count):
    """Return so many different names, of which the first make trouble."""
    return [*NASTY, *(f"name {i}" for i in range(count))][:count]


def profile_table(names, sizes=(1, 2, 5, 10, 20, 50, 100)):
    rows = [
        (name, size, value := (i + 1) / (len(names) + size), value - 0.02, value + 0.03, 0.0)
        for i, name in enumerate(names)
        for size in sizes
    ]
    return pd.DataFrame(rows, columns=["selector", "size", "value", "low", "high", "chance"])


def plane_table(names, classifiers=("svm", "knn"), sizes=(5, 10)):
    random = np.random.default_rng(3)
    rows = [
        (name, classifier, size, random.uniform(0.05, 0.4), 0.02, s := random.uniform(0.2, 1), s, s)
        for name in names
        for classifier in classifiers
        for size in sizes
    ]
    columns = ["selector", "classifier", "size", "error", "standard_error", "stability", "low"]
    return pd.DataFrame(rows, columns=[*columns, "high"])


def frequency_table(names):
    share = np.linspace(1, 0.1, len(names))
    ranks = np.arange(1, len(names) + 1)
    return pd.DataFrame(
        {
            "feature": names,
            "frequency": share,
            "low": share * 0.8,
            "high": np.minimum(share * 1.2, 1),
            "rank_low": ranks,
            "rank_median": pd.array(2 * ranks, dtype="Int64"),
            "rank_high": pd.array([4 * r if r % 2 else None for r in ranks], dtype="Int64"),
        }
    )


def matrix(names):
    values = np.random.default_rng(5).uniform(-0.1, 1, (len(names), len(names)))
    return pd.DataFrame(values, index=names, columns=names)


def _stripes(names, **how):
    subsets = hf.Subsets(
        [range(len(names)), range(0, len(names), 2)],
        n_features=len(names),
        feature_names=[f"{i}{name}" for i, name in enumerate(names)],
    )
    return plot.stripes(subsets, **how)


def _ensemble_sizes(names, **how):
    return plot.ensemble_sizes(profile_table(names).rename(columns={"size": "n_bags"}), **how)


def _truth(names, **how):
    table = frequency_table(names).rename(columns={"frequency": "value"})
    return plot.truth(table.assign(informative=True), **how)


def _published_values(names, **how):
    values = np.linspace(0, 1, len(names))
    table = pd.DataFrame({"published": values, "value": values**2, "kind": names})
    return plot.published_values(table, **how)


DRAW = {
    "stripes": _stripes,
    "profiles": lambda names, **how: plot.profiles(profile_table(names), **how),
    "ensemble_sizes": _ensemble_sizes,
    "plane": lambda names, **how: plot.plane(plane_table(names), **how),
    "frequencies": lambda names, **how: plot.frequencies(frequency_table(names), **how),
    "rank_ranges": lambda names, **how: plot.rank_ranges(frequency_table(names), **how),
    "similarity": lambda names, **how: plot.similarity(matrix(names), **how),
    "upset": lambda names, **how: plot.upset(dict.fromkeys(names, names[:5]), **how),
    "truth": _truth,
    "published_values": _published_values,
}
"""All pictures, as functions of names of selectors or features."""


def all_pictures(names, **how):
    """Return each picture with the same names."""
    return {kind: draw(names, **how) for kind, draw in DRAW.items()}


def texts(picture):
    """Return the words in the SVG of a picture, without its title and description."""
    root = ET.fromstring(picture.svg())
    return ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]


def overhang(picture):
    """Return by how many inches what is drawn reaches over the edges of the figure."""
    figure = picture.figure
    figure.draw_without_rendering()
    box = figure.get_tightbbox(figure._get_renderer())
    width, height = figure.get_size_inches()
    return max(-box.x0, -box.y0, box.x1 - width, box.y1 - height)
