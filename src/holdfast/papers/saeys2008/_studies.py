"""The selectors of the paper, and the settings in which they are run."""

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
"""Selectors whose scores often tie; the rule for ties matters only to them."""
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
        How ties are broken when weights become ranks.
    votes : {"random", "average", "index"}
        How ties are broken in bags before they vote.
    others : mapping
        Replacements of selectors, by the selector's name.
    """

    ranks: Ties
    votes: Ties
    others: Mapping[str, str] = field(default_factory=dict)

    def base(self, selector: str) -> str:
        """Return the base selector that is run for a selector."""
        return self.others.get(selector, selector)

    def rule(self, selector: str) -> Ties:
        """Return the rule for ties in votes; selectors with hardly any ties share one rule."""
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
"""The selectors whose numbers a side setting changes (for `DRAWN`, relative to `COLUMN`)."""


def ensemble_name(base: str, rule: Ties, n_bags: int = N_BAGS) -> str:
    """Return the name of an ensemble in a study."""
    return f"{n_bags} x {base}" + ("" if rule == "average" else f", ties {rule}")


def ensembles(settings: Iterable[str], n_bags: int = N_BAGS) -> dict[str, hf.Ensemble]:
    """Return the ensembles that settings need, by name, each once."""
    needed = {
        ensemble_name(base, rule, n_bags): (base, rule)
        for way in (WAYS[setting] for setting in settings)
        for base, rule in ((way.base(name), way.rule(name)) for name in SELECTORS)
    }
    return {
        name: hf.Ensemble(BASES[base], n_bags=n_bags, ties=rule)
        for name, (base, rule) in needed.items()
    }


def ordered_name(base: str, ties: Ties) -> str:
    """Return the name of a single selector in a study, with its rule for ties."""
    return base if ties == "random" or base not in TIED else f"{base}, ties {ties}"


def make_ordered_selectors(settings: Iterable[str]) -> dict[str, Any]:
    """Return the single selectors that settings need, each with its rule for ties.

    Selectors break ties at random. An ensemble without bags runs a selector once on all samples,
    and its vote follows a rule for ties.
    """
    selectors: dict[str, Any] = {}
    for way in (WAYS[setting] for setting in settings):
        for base in map(way.base, SELECTORS):
            name = ordered_name(base, way.ranks)
            selector = BASES[base]
            if name != base:
                selector = hf.Ensemble(selector, n_bags=None, ties=way.ranks)
            selectors.setdefault(name, selector)
    return selectors


# The three kinds of studies: robustness, accuracy, and robustness by size of the ensemble.

JUDGED = (MAIN, COLUMN, DRAWN)
"""The settings with an accuracy, and with ensembles of several sizes."""
SMALLER, LARGER = (5, 10, 20), (60,)
CLASSIFIERS = {"SVM": "linear_svm:C=1", "RF": "random_forest", "KNN": "knn5"}
ALL_FEATURES_LABEL = "All features"
TOP = 0.01
"""The share of features that classifiers get."""


def robustness(runner: ExperimentRunner, name: str) -> hf.Result:
    """Run all selectors and their ensembles on subsamples; scores are kept and ranked later.

    SVM-RFE has ranks only; an ensemble without bags turns them into scores.
    """
    scored = {SVM_RFE: hf.Ensemble(BASES[SVM_RFE], n_bags=None)}
    return _run_on_subsamples(
        runner, f"robustness {name}", {**BASES, **scored, **ensembles(WAYS)}, name
    )


def ensemble_sizes(runner: ExperimentRunner, name: str) -> hf.Result:
    """Run ensembles of other sizes on the same subsamples."""
    selectors = {
        ensemble: selector
        for n_bags in bag_counts(runner)
        if n_bags not in (1, N_BAGS)
        for ensemble, selector in ensembles(JUDGED, n_bags).items()
    }
    return _run_on_subsamples(runner, f"ensemble sizes {name}", selectors, name)


def bag_counts(runner: ExperimentRunner) -> tuple[int, ...]:
    """Return the numbers of bags; 1 stands for the selector alone."""
    return (1, *SMALLER, N_BAGS, *runner.reduced_or_full((), LARGER))


def _run_on_subsamples(
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
        **imputation_options(data),
    )


def accuracy(runner: ExperimentRunner, name: str) -> hf.Result:
    """Run the selectors in cross-validation, and classifiers on the selected features."""
    selectors = {**make_ordered_selectors(JUDGED), **ensembles(JUDGED)}
    return _run_cross_validation(runner, f"accuracy {name}", selectors, name, TOP)


def accuracy_without_selection(runner: ExperimentRunner, name: str) -> hf.Result:
    """Run the classifiers on all features, in the same folds."""
    return _run_cross_validation(
        runner, f"all features {name}", {ALL_FEATURES_LABEL: hf.RandomScore()}, name, 1.0
    )


def _run_cross_validation(
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
        **imputation_options(data),
    )


def imputation_options(data: Dataset) -> dict[str, str]:
    """Return the options of a study for imputation_options values; {} if there are none."""
    return {"impute": "median"} if np.isnan(np.asarray(data.X, dtype=float)).any() else {}
