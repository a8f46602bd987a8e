"""Print the tables of docs/groups.md: dense groups, K-means clusters and SVM-RFE compared.

Run it after one of these selectors changed: ``HOLDFAST_DATA=folder python
docs/make_group_tables.py results``, where the folder holds colon.parquet and srbct.parquet. It
takes about half an hour on two cores. The studies are kept in the folder `results`; those that
are already there are not run again.
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
INDEX, VALUE = MEASURES = ["group_matching_index", "group_matching_value"]
CLASSIFIERS = ["linear_svm", "knn1"]
PROTOCOL = hf.CrossValidation(3, n_repeats=10, reference=True)
DENSE = {
    "as published": {},
    "min_size=2": {"min_size": 2},
    "min_size=3": {"min_size": 3},
    "count_itself=False": {"count_itself": False},
    "count_itself=False, min_size=2": {"count_itself": False, "min_size": 2},
    "count_itself=False, min_size=3": {"count_itself": False, "min_size": 3},
    "density_filter=False": {"density_filter": False},
    "kernel='gaussian'": {"kernel": "gaussian"},
}


def data(name):
    """Return a data set by its name; a name may end with "log2"."""
    name, _, scale = name.partition(" ")
    read = hf.io.read_data(Path(os.environ["HOLDFAST_DATA"]) / f"{name}.parquet", target="class")
    values = np.log2(read.X) if scale == "log2" else read.X
    return pd.DataFrame(values, columns=read.feature_names), read.y


def selectors():
    dense = {f"DGF {key}": hf.DenseGroups(**given) for key, given in DENSE.items()}
    drags = {f"DRAGS {key}": hf.DRAGS(**given) for key, given in DENSE.items()}
    whole = {f"K-means {n}": hf.KMeansGroups(n_clusters=n) for n in (10, 30, 50, 100)}
    central = {f"K-means {n} central": hf.KMeansGroups(n_clusters=n, central=5) for n in (10, 30, 50)}
    single = {"SVM-RFE": hf.SVMRFE(step=halve_then_one, scale="standard"), "F": hf.FScore()}
    return dense | drags | whole | central | single


def result(name, folder):
    """Return the study of a data set, run now or before."""
    out = folder / name.replace(" ", "-")
    if out.exists():
        return hf.resume(out)
    study = hf.Study(
        selectors(), protocol=PROTOCOL, sizes=SIZES, classifiers=CLASSIFIERS, measures=MEASURES
    )
    return study.run(*data(name), out=out)


def stability(study):
    """Return both measures at each size, a row a selector; "–" where there are too few clusters."""
    table = study.stability.set_index(["selector", "size", "measure"])["value"]
    rows = {
        name: [f"{table[name, size, measure]:.2f}" if fits(name, size) else "–" for measure, size in product(MEASURES, SIZES)]
        for name in selectors()
    }
    return pd.DataFrame(rows, index=[f"{what}, {k}" for what, k in product(("index", "value"), SIZES)]).T


def fits(name, size):
    one = selectors()[name]
    return not isinstance(one, hf.KMeansGroups) or one.n_clusters >= size


def accuracy(study):
    table = 100 * (1 - study.errors.set_index(["selector", "size", "classifier"])["error"])
    rows = {
        name: [f"{table[name, size, one]:.1f}" if fits(name, size) else "–" for one, size in product(CLASSIFIERS, SIZES)]
        for name in selectors()
    }
    return pd.DataFrame(rows, index=[f"{what}, {k}" for what, k in product(("SVM", "1-NN"), SIZES)]).T


def single(study):
    """Return the groups of the best 50: how many there are, and the share of single features."""
    rows = {}
    for name in selectors():
        if name.startswith(("D", "K")):
            sizes = [[len(one) for one in groups] for groups in study.preferences.groups(name, 30)]
            rows[name] = {
                "groups": np.mean([len(row) for row in sizes]).round(1),
                "features": np.mean(np.concatenate(sizes)).round(1),
                "single": np.mean(np.concatenate(sizes) == 1).round(2),
            }
    return pd.DataFrame(rows).T


def markdown(table):
    head = ["", *table.columns]
    lines = [head, ["---", *["---:"] * len(table.columns)]]
    lines += [[name, *map(str, row)] for name, row in zip(table.index, table.to_numpy(), strict=True)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main(folder):
    for name in ("colon", "srbct", "colon log2"):
        study = result(name, folder)
        for table in (stability(study), accuracy(study), single(study)):
            print(f"\n{name}\n\n{markdown(table)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
