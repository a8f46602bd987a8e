"""Table 2: error and stability of the t-score on real data, by number of training samples."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pandas as pd

import holdfast as hf
from holdfast.papers._made import Made
from holdfast.papers.dernoncourt2014._both_parts import between_parts

if TYPE_CHECKING:
    from holdfast.io import Dataset
    from holdfast.papers._workshop import Workshop

TRAINED: dict[str, tuple[int, ...]] = {
    "vijver": (50, 100),
    "lung203": (50, 100),
    "leukemia": (20, 35),
    "breast_cancer": (50, 284),
    "sonar": (50, 100),
    "semeion": (100, 796),
    "isolet": (100, 618, 3900),
    "arrhythmia": (50, 100, 226),
}
"""Numbers of training samples, as the headings of the table have them."""
TENTH, TEN, TWENTIETH = "10% of the features", "10 features", "5% of the features"
REST = "10%, beside the rest"
FIRST, LAST = "10%, first class", "10%, last class"
ALIKE = ("semeion", "isolet")
"""Data sets of many classes of about the same size, of which any may be the paper's."""
SHARES = {TENTH: 0.1, TWENTIETH: 0.05}
COUNT = 10
BAYES_ERROR = 0.10
"""Of the simulated data beside real ones."""
RUNS = (50, 200)
"""Training sets, reduced and full."""
ERROR = "error %"
MEASURES = {
    "CW_rel": "relative_weighted_consistency",
    "ATI_PA": "ati_pa",
    "S_R": "spearman",
    "S_W": "pearson",
}
SUBSETS = ("CW_rel", "ATI_PA")
"""The measures that depend on how many features are selected."""
SIMULATED, FEATURES = "simulated", "features"
"""Names of facts: simulated data of the same size, and the number of features of each set."""


def table2(shop: Workshop) -> Made:
    """Run a study for each data set and number of training samples."""
    rows = [row for name in shop.names for row in rows_of(shop, name)]
    rows += [row for name in shop.names if name in ALIKE for row in other_classes(shop, name)]
    return Made(values=pd.concat(rows, ignore_index=True), facts=facts_of(shop))


def rows_of(shop: Workshop, name: str) -> list[pd.DataFrame]:
    """Return the numbers of a data set, for each training size."""
    data = one_class(shop.data(name), largest(shop.data(name)))
    sizes, rows = sizes_of(data.n_features), []
    for n in TRAINED[name]:
        across = numbers(studied(shop, f"{name} {n}", data, n), sizes)
        error = across.loc[(across["setting"] == TENTH) & (across["measure"] == ERROR)]
        beside = [error.assign(setting=REST), both_parts(shop, f"{name} {n}", data, n)]
        rows += [one.assign(data=name, n=n) for one in (across, *beside)]
    return rows


def both_parts(shop: Workshop, what: str, data: Dataset, n: int) -> pd.DataFrame:
    """Return the stability between training sets and what they leave out, a number a row."""
    size = sizes_of(data.n_features)[TENTH]
    found = between_parts(shop, what, data, n, runs=shop.either(*RUNS), size=size)
    rows = [{"setting": REST, "measure": name, "value": value} for name, value in found.items()]
    return pd.DataFrame(rows)


def other_classes(shop: Workshop, name: str) -> list[pd.DataFrame]:
    """Return the same for the first and the last class, with 10% of the features."""
    data, rows = shop.data(name), []
    for setting, label in ((FIRST, data.classes[0]), (LAST, data.classes[-1])):
        size = sizes_of(data.n_features)[TENTH]
        for n in TRAINED[name]:
            # the study of the main setting has no class in its name
            plain = label == largest(data)
            what = f"{name} {n}" if plain else f"{name} {n} class {label}"
            found = studied(shop, what, one_class(data, label), n)
            rows.append(numbers(found, {setting: size}).assign(data=name, n=n))
    return rows


def facts_of(shop: Workshop) -> dict[tuple[str, str], Any]:
    """Return the features of each data set, and simulated data of the same sizes."""
    features = {name: shop.data(name).n_features for name in shop.names}
    found = [simulated(shop, name, count).assign(data=name) for name, count in features.items()]
    beside = pd.concat(found, ignore_index=True)
    # CW_rel of two subsets, as in the setting beside the rest, has another lower bound
    made = {(str(one), SIMULATED): own for one, own in beside.groupby("setting")}
    return made | {(one, FEATURES): features for one in (TENTH, REST, TEN, TWENTIETH)}


def largest(data: Dataset) -> str:
    """Return the largest class, of several the first by name."""
    counts = data.summary().classes
    return min(counts, key=lambda name: (-counts[name], name))


def one_class(data: Dataset, label: str) -> Dataset:
    """Return data with two classes: one and the rest; those with two are left as they are."""
    return data if len(data.classes) == 2 else data.one_against_rest(label)


def sizes_of(n_features: int) -> dict[str, int]:
    """Return how many features are selected, by setting."""
    shares = {name: max(1, math.floor(n_features * share + 0.5)) for name, share in SHARES.items()}
    return {TENTH: shares[TENTH], TEN: COUNT, TWENTIETH: shares[TWENTIETH]}


def studied(shop: Workshop, what: str, data: Dataset, n: int) -> hf.Result:
    """Select by the t-score in many training sets of one size; the rest tests."""
    return shop.study(
        f"table2 {what}",
        {"t_score": hf.TScore()},
        data,
        protocol=hf.Subsampling(shop.either(*RUNS), n),
        sizes=list(dict.fromkeys(sizes_of(data.n_features).values())),
        classifiers=["lda"],
        measures=list(MEASURES.values()),
        impute="median",
    )


def numbers(result: hf.Result, sizes: dict[str, int]) -> pd.DataFrame:
    """Return error and stability, a number a row, for each setting."""
    errors = result.errors.set_index("size")["error"]
    measured = result.stability.set_index(["measure", "size"])["value"]
    whole = result.stability.set_index("measure")["value"]
    rows = [
        {"setting": setting, "measure": short, "value": value}
        for setting, size in sizes.items()
        for short, value in [
            (ERROR, 100 * errors[size]),
            *((short, measured[MEASURES[short], size]) for short in SUBSETS),
            *((short, whole[full]) for short, full in MEASURES.items() if short not in SUBSETS),
        ]
    ]
    return pd.DataFrame(rows)


def simulated(shop: Workshop, name: str, n_features: int) -> pd.DataFrame:
    """Simulate data as large as a data set: CW_rel and error, by setting and samples.

    The simulated data are those of the paper: independent features, a Bayes error of 0.10.
    """
    sizes = sizes_of(n_features)

    def make() -> dict[str, pd.DataFrame]:
        found = hf.simulate.simulate_stability(
            [
                hf.simulate.IndependentGaussian(
                    n_samples=n, n_features=n_features, bayes_error=BAYES_ERROR
                )
                for n in TRAINED[name]
            ],
            size=list(dict.fromkeys(sizes.values())),
            measures="relative_weighted_consistency",
            random_state=shop.seed,
        )
        keys = ["n_samples", "size"]
        stable = found.stability[[*keys, "value"]].rename(columns={"value": "CW_rel"})
        return {SIMULATED: stable.merge(found.errors[[*keys, "lda_error"]], on=keys)}

    table = shop.tables(f"table2 {name} {SIMULATED}", make)[SIMULATED]
    parts = [table[table["size"] == size].assign(setting=one) for one, size in sizes.items()]
    return pd.concat(parts, ignore_index=True).rename(columns={"n_samples": "n"})
