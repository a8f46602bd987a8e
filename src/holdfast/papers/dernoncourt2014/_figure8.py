"""Figure 8: errors by samples, features, selected features, and distribution of effects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

import holdfast as hf
from holdfast.papers._made import Made
from holdfast.papers.dernoncourt2014._simulated import PANELS, some_of, tables_of

if TYPE_CHECKING:
    from holdfast.papers._workshop import Workshop
    from holdfast.simulate import Generator

TEXT, CAPTION = "N = 100", "N = 1000"
RULES = {
    "lda_error": "LDA",
    "bayes_observed": "best on selected",
    "bayes_optimal": "best possible",
}
USUAL: dict[str, Any] = {"n_features": 1000, "gamma": 2.0, "bayes_error": 0.10}
SHARE = 0.1
ERRORS, STABILITY = "errors", "stability"
KEPT = ["panel", "x", *RULES]


def figure8(shop: Workshop) -> Made:
    """Show errors along four panels: with 100 samples, and with 1,000."""
    tables = tables_of(shop, 8)
    few = tables[ERRORS]
    many = shop.tables("figure8 caption", lambda: with_many(shop, few))
    text = {ERRORS: renamed(few), STABILITY: _consistency(renamed(tables_of(shop, 6)[STABILITY]))}
    # the first panel varies N itself, so it is the same in both settings
    caption = {ERRORS: renamed(many[ERRORS]), STABILITY: renamed(many[STABILITY])}
    caption[ERRORS] = pd.concat([of_panel(text[ERRORS], "N"), caption[ERRORS]], ignore_index=True)
    found = {TEXT: text, CAPTION: caption}
    facts = {(name, fact): table for name, own in found.items() for fact, table in own.items()}
    beside = {(TEXT, f"{fact} {CAPTION}"): table for fact, table in caption.items()}
    return Made(
        values=pd.concat([shown(own[ERRORS]).assign(setting=name) for name, own in found.items()]),
        pictures={
            "errors": hf.plot.simulated_figure(8, tables),
            "errors-1000": hf.plot.simulated_figure(8, {ERRORS: _drawn(few, many)}),
        },
        facts=facts | beside,
    )


def with_many(shop: Workshop, few: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Simulate the last three panels with 1,000 samples, at the points of those with 100."""
    errors, stability = [], []
    for position, panel in enumerate(("n_features", "size", "gamma")):
        places = few.loc[few["panel"] == panel, "x"]
        sizes = [int(place) for place in places] if panel == "size" else SHARE
        found = hf.simulate.simulate_stability(
            settings(panel, places),
            size=sizes,
            measures="relative_weighted_consistency",
            random_state=1000 * shop.seed + position,
            n_jobs=shop.workers.n_jobs or -1,
        )
        errors.append(found.errors.assign(panel=panel, x=found.errors[panel])[KEPT])
        own = found.stability.assign(panel=panel, x=found.stability[panel])
        stability.append(own[own["size"] < own["n_features"]][["panel", "x", "value"]])
    return {ERRORS: pd.concat(errors), STABILITY: pd.concat(stability)}


def settings(panel: str, places: pd.Series) -> list[Generator]:
    """Return the data sets of a panel."""
    if panel == "size":
        return [hf.simulate.IndependentGaussian(n_samples=1000, **USUAL)]
    kinds = (float(place) if panel == "gamma" else int(place) for place in places)
    return [
        hf.simulate.IndependentGaussian(**{"n_samples": 1000, **USUAL, panel: kind})
        for kind in kinds
    ]


def renamed(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table with the paper's letters for the panels."""
    return table.assign(panel=table["panel"].map(PANELS))


def of_panel(table: pd.DataFrame, panel: str) -> pd.DataFrame:
    """Return the errors of one panel."""
    return table.loc[table["panel"] == panel, KEPT]


def _consistency(table: pd.DataFrame) -> pd.DataFrame:
    return table[table["measure"] == "relative_weighted_consistency"][["panel", "x", "value"]]


def _drawn(few: pd.DataFrame, many: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Return what is drawn for the setting with 1,000 samples."""
    return pd.concat([of_panel(few, "n_samples"), many[ERRORS]], ignore_index=True)


def shown(table: pd.DataFrame) -> pd.DataFrame:
    """Return the errors at a few points of each panel, a number a row."""
    parts = [some_of(own) for _, own in table.groupby("panel", sort=False)]
    some = pd.concat(parts, ignore_index=True)[KEPT].rename(columns=RULES)
    return some.melt(["panel", "x"], var_name="rule")
