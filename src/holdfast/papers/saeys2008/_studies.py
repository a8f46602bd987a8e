"""The selectors of the paper, and the ways to run them where it leaves something open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

import holdfast as hf

if TYPE_CHECKING:
    from holdfast.io import Dataset
    from holdfast.papers._runner import ExperimentRunner


Ties: TypeAlias = Literal["random", "average", "index"]


SINGLE, ENSEMBLE = "Single", "Ensemble"
SU, RELIEF, SVM_RFE, RF = "SU", "Relief", "SVM_RFE", "RF"
SELECTORS = (SU, RELIEF, SVM_RFE, RF)
BY_MDL, DRAWN_PROBES, LARGE_RF = "SU by MDL", "Relief with drawn probes", "RF of 400 trees"
TIED = (SU, RF)
"""Scores of these often tie, so the rule for ties matters to them alone."""
N_BAGS = 40

BASES: Mapping[str, Any] = {
    SU: hf.SymmetricalUncertainty(binning="equal-frequency", n_bins=10),
    RELIEF: hf.ReliefF(n_neighbors=5),
    SVM_RFE: hf.SVMRFE(step=0.1, C="cv"),
    RF: hf.ForestImportance(n_estimators=10),
    BY_MDL: hf.SymmetricalUncertainty(binning="mdl"),
    DRAWN_PROBES: hf.ReliefF(n_neighbors=5, n_probes=1.0),
    LARGE_RF: hf.ForestImportance(n_estimators=400),
}


@dataclass(frozen=True)
class Way:
    """A way to run the selectors.

    Attributes
    ----------
    ranks : {"random", "average", "index"}
        What becomes of ties when weights become ranks.
    votes : {"random", "average", "index"}
        What becomes of ties in bags before they vote.
    others : mapping
        What takes the place of a selector.
    """

    ranks: Ties
    votes: Ties
    others: Mapping[str, str] = field(default_factory=dict)

    def base(self, selector: str) -> str:
        """Return which base stands for a selector."""
        return self.others.get(selector, selector)

    def rule(self, selector: str) -> Ties:
        """Return the rule of its votes; one will do where hardly any scores tie."""
        return self.votes if selector in TIED else "average"


MAIN, RANDOM, AVERAGED, COLUMN, DRAWN, MDL = (
    "main",
    "ties at random",
    "ties averaged",
    "ties by column",
    "probes drawn",
    "SU by MDL",
)
WAYS: Mapping[str, Way] = {
    MAIN: Way("random", "average"),
    RANDOM: Way("random", "random"),
    AVERAGED: Way("average", "average"),
    COLUMN: Way("index", "index"),
    DRAWN: Way("index", "index", {RELIEF: DRAWN_PROBES}),
    MDL: Way("random", "average", {SU: BY_MDL}),
}

CHANGED: Mapping[str, tuple[str, ...]] = {
    RANDOM: TIED,
    AVERAGED: TIED,
    COLUMN: TIED,
    DRAWN: (RELIEF,),
    MDL: (SU,),
}
"""The selectors whose numbers a side setting changes; drawn probes, beside ties by column."""


def ensemble_name(base: str, rule: Ties, n_bags: int = N_BAGS) -> str:
    """Return what an ensemble is called in a study."""
    return f"{n_bags} x {base}" + ("" if rule == "average" else f", ties {rule}")


def ensembles(settings: Iterable[str], n_bags: int = N_BAGS) -> dict[str, hf.Ensemble]:
    """Return the ensembles that settings need, by name, each once."""
    needed = {
        ensemble_name(way.base(one), way.rule(one), n_bags): (way.base(one), way.rule(one))
        for way in (WAYS[setting] for setting in settings)
        for one in SELECTORS
    }
    return {
        name: hf.Ensemble(BASES[base], n_bags=n_bags, ties=rule)
        for name, (base, rule) in needed.items()
    }


def ordered_name(base: str, ties: Ties) -> str:
    """Return what a single selector is called in a study that has a rule for its ties."""
    return base if ties == "random" or base not in TIED else f"{base}, ties {ties}"


def make_ordered_selectors(settings: Iterable[str]) -> dict[str, Any]:
    """Return the single selectors that settings need, each with its rule for ties.

    Selectors break ties at random; an ensemble without bags lets one judge all samples once, and
    its vote has the order that a rule for ties gives.
    """
    found: dict[str, Any] = {}
    for way in (WAYS[setting] for setting in settings):
        for base in map(way.base, SELECTORS):
            name = ordered_name(base, way.ranks)
            plain = name == base
            one = BASES[base] if plain else hf.Ensemble(BASES[base], n_bags=None, ties=way.ranks)
            found.setdefault(name, one)
    return found


# The three kinds of studies: robustness, accuracy, and robustness by size of the ensemble.

JUDGED = (MAIN, COLUMN, DRAWN)
"""The settings with an accuracy, and with ensembles of several sizes."""
SMALLER, LARGER = (5, 10, 20), (60,)
CLASSIFIERS = {"SVM": "linear_svm:C=1", "RF": "random_forest", "KNN": "knn5"}
ALL_FEATURES_LABEL = "All features"
TOP = 0.01
"""The share of features that classifiers see."""


def robustness(runner: ExperimentRunner, name: str) -> hf.Result:
    """Run all selectors and their ensembles on subsamples; scores are kept, to be ranked later.

    SVM-RFE gives none; an ensemble without bags makes some of its ranks.
    """
    scored = {SVM_RFE: hf.Ensemble(BASES[SVM_RFE], n_bags=None)}
    return _on_subsamples(
        runner, f"robustness {name}", {**BASES, **scored, **ensembles(WAYS)}, name
    )


def ensemble_sizes(runner: ExperimentRunner, name: str) -> hf.Result:
    """Run ensembles of other sizes on the same subsamples."""
    found = {
        called: one
        for n_bags in sizes_of(runner)
        if n_bags not in (1, N_BAGS)
        for called, one in ensembles(JUDGED, n_bags).items()
    }
    return _on_subsamples(runner, f"ensemble sizes {name}", found, name)


def sizes_of(runner: ExperimentRunner) -> tuple[int, ...]:
    """Return the numbers of bags: 1 is a selector by itself."""
    return (1, *SMALLER, N_BAGS, *runner.reduced_or_full((), LARGER))


def _on_subsamples(
    runner: ExperimentRunner, study: str, selectors: Mapping[str, Any], name: str
) -> hf.Result:
    data = runner.data(name)
    return runner.study(
        study,
        selectors,
        data,
        protocol=hf.Subsampling(10, 0.9),
        sizes=[TOP],
        classifiers=(),
        measures=["pearson"],
        **missing(data),
    )


def accuracy(runner: ExperimentRunner, name: str) -> hf.Result:
    """Run the selectors in a cross-validation, and classifiers on the features they choose."""
    selectors = {**make_ordered_selectors(JUDGED), **ensembles(JUDGED)}
    return _cross_validated(runner, f"accuracy {name}", selectors, name, TOP)


def without_selection(runner: ExperimentRunner, name: str) -> hf.Result:
    """Run the classifiers on all features, in the same folds."""
    return _cross_validated(
        runner, f"all features {name}", {ALL_FEATURES_LABEL: hf.RandomScore()}, name, 1.0
    )


def _cross_validated(
    runner: ExperimentRunner, study: str, selectors: Mapping[str, Any], name: str, size: float
) -> hf.Result:
    data = runner.data(name)
    return runner.study(
        study,
        selectors,
        data,
        protocol=hf.CrossValidation(10),
        sizes=[size],
        classifiers=CLASSIFIERS,
        measures=["jaccard"],
        **missing(data),
    )


def missing(data: Dataset) -> dict[str, str]:
    """Return what a study is told about missing values, where there are some."""
    return {"impute": "median"} if np.isnan(np.asarray(data.X, dtype=float)).any() else {}
