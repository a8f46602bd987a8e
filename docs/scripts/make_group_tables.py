"""Print the tables of docs/groups.md: dense groups, K-means clusters and SVM-RFE compared.

Run it after a change to one of these selectors. DIR holds colon.parquet and srbct.parquet. The
studies are stored in the folder `results`; studies that are already there are not run again::

    HOLDFAST_DATA=DIR python docs/scripts/make_group_tables.py results
"""

import os
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

import holdfast as hf
from holdfast.select import halve_then_one

SIZES = [4, 10, 30, 50]
MEASURES = {"index": "group_matching_index", "value": "group_matching_value"}
CLASSIFIERS = {"SVM": "linear_svm", "1-NN": "knn1"}
PROTOCOL = hf.CrossValidation(3, n_repeats=10, reference=True)
SETTINGS = {
    "as published": {},
    "min_size=2": {"min_size": 2},
    "min_size=3": {"min_size": 3},
    "count_itself=False": {"count_itself": False},
    "count_itself=False, min_size=2": {"count_itself": False, "min_size": 2},
    "count_itself=False, min_size=3": {"count_itself": False, "min_size": 3},
    "density_filter=False": {"density_filter": False},
    "kernel='gaussian'": {"kernel": "gaussian"},
}
DENSE = {"DGF": hf.DenseGroups, "DRAGS": hf.DRAGS}
CLUSTERS = {
    **{f"K-means {n}": hf.KMeansGroups(n_clusters=n) for n in (10, 30, 50, 100)},
    **{f"K-means {n} central": hf.KMeansGroups(n_clusters=n, central=5) for n in (10, 30, 50)},
}
SINGLE = {"SVM-RFE": hf.SVMRFE(step=halve_then_one, scale="standard"), "F": hf.FScore()}
SELECTORS = {
    **{f"{who} {key}": DENSE[who](**SETTINGS[key]) for who, key in product(DENSE, SETTINGS)},
    **CLUSTERS,
    **SINGLE,
}


def read_data_set(name):
    """Return a data set by its name; a name may end with "log2"."""
    name, _, scale = name.partition(" ")
    data = hf.io.read_data(Path(os.environ["HOLDFAST_DATA"]) / f"{name}.parquet", target="class")
    values = np.log2(data.X) if scale else data.X
    return pd.DataFrame(values, columns=data.feature_names), data.y


def run_study(name, folder):
    """Return the study of a data set, run now or before."""
    out = folder / name.replace(" ", "-")
    if out.exists():
        return hf.resume(out)
    study = hf.Study(
        SELECTORS,
        protocol=PROTOCOL,
        sizes=SIZES,
        classifiers=list(CLASSIFIERS.values()),
        measures=list(MEASURES.values()),
    )
    return study.run(*read_data_set(name), out=out)


def comparison_tables(result):
    """Return stability and accuracy at each size, one row per selector."""
    stability = result.stability.pivot(
        index="selector", columns=["measure", "size"], values="value"
    )
    accuracy = 100 - 100 * result.errors.pivot(
        index="selector", columns=["classifier", "size"], values="error"
    )
    names = [name for name in SELECTORS if not name.startswith(tuple(DENSE))]
    rows = ["DGF as published", "DRAGS as published", "DRAGS min_size=2", *names]
    return [
        format_table(stability.loc[rows], MEASURES, ".2f"),
        format_table(
            accuracy.loc[[row for row in rows if "central" not in row]], CLASSIFIERS, ".1f"
        ),
    ]


def format_table(table, titles, form):
    """Return a table as text, with a dash for sizes above the number of clusters."""
    columns = {
        f"{title}, {size}": [
            format(value, form) if size <= max_size(name) else "–"
            for name, value in table[titles[title], size].items()
        ]
        for title, size in product(titles, SIZES)
    }
    return pd.DataFrame(columns, index=table.index)


def max_size(name):
    return CLUSTERS[name].n_clusters if name in CLUSTERS else np.inf


def settings_table(result):
    """Return the stability and the sizes of dense groups, one row per setting."""
    values = result.stability.set_index(["selector", "measure", "size"])["value"]
    rows = {key: {} for key in SETTINGS}
    for key, who, title, size in product(SETTINGS, DENSE, MEASURES, (10, 30)):
        value = values[f"{who} {key}", MEASURES[title], size]
        rows[key][f"{who}, {title}, {size}"] = f"{value:.2f}"
    for key in SETTINGS:
        rows[key] |= describe_groups(result.preferences.groups(f"DRAGS {key}", 30))
    return pd.DataFrame(rows).T


def describe_groups(groups):
    """Return how many of the 30 requested groups were found, and their sizes."""
    sizes = np.concatenate([[len(one) for one in found] for found in groups])
    found = {"found": f"{groups.sizes.mean():.0f}", "single, %": f"{100 * np.mean(sizes == 1):.0f}"}
    return found | {"features": f"{sizes.mean():.1f}"}


def to_markdown_table(table):
    rows = zip(table.index, table.to_numpy(), strict=True)
    lines = [["", *table.columns], ["---", *["---:"] * table.shape[1]]]
    lines += [[name, *cells] for name, cells in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main(folder):
    for name in ("colon", "srbct", "colon log2"):
        result = run_study(name, folder)
        for table in (*comparison_tables(result), settings_table(result)):
            print(f"\n{name}\n\n{to_markdown_table(table)}")  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]))
