"""Table 2: accuracy after selection by DRAGS, K-means and SVM-RFE."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from holdfast.papers._made import SETTING, VALUE, Made
from holdfast.papers.yu2008._numbers import beside, folds, in_order, selected
from holdfast.papers.yu2008._studies import KMEANS, MAIN, SIZES, doubled

if TYPE_CHECKING:
    from holdfast.papers._workshop import Workshop

KEYS = ("data", "classifier", "method", "k")
MAJORITY = (
    "The published accuracy of SVM-RFE on colon at k = 4, 64.8% with the SVM, is that of a rule "
    "which calls every sample a tumour: 40 of 62 are, 64.5%."
)


def table2(shop: Workshop) -> Made:
    """Run all selections and average their accuracies over folds."""
    found = selected(shop, folds)
    found = found[found["method"] != f"{KMEANS}, central"].drop(columns="selector")
    found["method"] = found["method"].replace(f"{KMEANS}, all", KMEANS)
    keys = [SETTING, *KEYS]
    means = found.groupby(keys, sort=False)["accuracy"].mean().rename(VALUE).reset_index()
    facts: dict[tuple[str, str], Any] = {
        (setting, "folds"): beside(found, setting) for setting in found[SETTING].unique()
    }
    facts[MAIN, "halves"] = pd.concat([halves(shop, name) for name in shop.names])
    notes = (MAJORITY,) if "colon" in shop.names else ()
    return Made(values=in_order(means, KEYS), facts=facts, notes=notes)


def halves(shop: Workshop, name: str) -> pd.DataFrame:
    """Return the accuracy of all K clusters beside that of the more relevant half of them."""
    found = folds(doubled(shop, name))
    found["clusters"] = [int(one.rpartition(" ")[2]) for one in found["selector"]]
    means = found.groupby(["clusters", "classifier", "k"])["accuracy"].mean().unstack("k")
    rows = [
        {"data": name, "clusters": count, "all": row[every], "half": row[count // 2]}
        for count, row in zip(
            means.index.get_level_values(0), means.to_dict("records"), strict=True
        )
        for every in [k for k in SIZES if k >= count][:1]  # where more are asked for, all are taken
    ]
    return pd.DataFrame(rows, columns=["data", "clusters", "all", "half"])
