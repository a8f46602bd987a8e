"""The selectors of the paper, and the settings in which they are run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import holdfast as hf

if TYPE_CHECKING:
    from holdfast.io import Dataset
    from holdfast.papers._runner import ExperimentRunner


Ties: TypeAlias = Literal["random", "average", "index"]


SINGLE, ENSEMBLE = "Single", "Ensemble"
SU, RELIEF, SVM_RFE, RF = "SU", "Relief", "SVM_RFE", "RF"
SELECTORS = (SU, RELIEF, SVM_RFE, RF)
LIBRARY_RELIEF, LIBRARY_SVM_RFE, LIBRARY_RF = (
    "Relief with drawn probes",
    "SVM_RFE of raw features",
    "RF with 5 features per split",
)
BY_MDL = "SU by MDL"
LARGE_RF, LARGE_LIBRARY_RF = "RF of 400 trees", "RF of 400 trees with 5 features per split"
LIBRARY_FEATURES_PER_SPLIT = 5


def java_ml_tenth(left: int) -> int:
    """Step of Java-ML's SVM-RFE: ``int(0.1 * left + 1)``, at most all features left."""
    return min(left, left // 10 + 1)


TIED = (SU, RF)
"""Selectors whose scores often tie; the rule for ties matters only to them."""
N_BAGS = 40

BASES: Mapping[str, Any] = {
    SU: hf.SymmetricalUncertainty(binning="equal-frequency", n_bins=10),
    RELIEF: hf.ReliefF(n_neighbors=5),
    SVM_RFE: hf.SVMRFE(step=0.1, C="cv"),
    RF: hf.ForestImportance(n_estimators=10),
    BY_MDL: hf.SymmetricalUncertainty(binning="mdl"),
    LARGE_RF: hf.ForestImportance(n_estimators=400),
    LIBRARY_RELIEF: hf.ReliefF(n_neighbors=5, n_probes=1.0),
    LIBRARY_SVM_RFE: hf.SVMRFE(step=java_ml_tenth, C=1.0, scale=None),
    LIBRARY_RF: hf.ForestImportance(n_estimators=10, max_features=LIBRARY_FEATURES_PER_SPLIT),
    LARGE_LIBRARY_RF: hf.ForestImportance(
        n_estimators=400, max_features=LIBRARY_FEATURES_PER_SPLIT
    ),
}

LIBRARY_BAG_SIZE = 0.90001
"""Rounded up, this share of up to 10,000 samples is ``int(0.9 * n + 1)``, as in Java-ML."""


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
    bag_size : float
        The size of a bag, as a share of the samples.
    """

    ranks: Ties
    votes: Ties
    others: Mapping[str, str] = field(default_factory=dict)
    bag_size: float = 1.0

    def base(self, selector: str) -> str:
        """Return the base selector that is run for a selector."""
        return self.others.get(selector, selector)

    def ensemble(self, selector: str, n_bags: int = N_BAGS) -> EnsemblePlan:
        """Return the ensemble of a selector; without ties, all rules share one ensemble."""
        rule = self.votes if selector in TIED else "average"
        return EnsemblePlan(self.base(selector), rule, self.bag_size, n_bags)


@dataclass(frozen=True)
class EnsemblePlan:
    """An ensemble of a study: its base, its rule for ties, the size and the number of its bags."""

    base: str
    rule: Ties
    bag_size: float
    n_bags: int

    @property
    def name(self) -> str:
        """The name in a study."""
        rule = "" if self.rule == "average" else f", ties {self.rule}"
        bags = "" if self.bag_size == 1.0 else f", bags of {self.bag_size:.0%}"
        return f"{self.n_bags} x {self.base}{rule}{bags}"

    def build(self) -> hf.Ensemble:
        """Return the selector."""
        return hf.Ensemble(
            BASES[self.base], n_bags=self.n_bags, ties=self.rule, bag_size=self.bag_size
        )


PUBLISHED, CAUTIOUS, AVERAGED, COLUMN, MDL = (
    "as published",
    "cautious",
    "cautious, ties averaged",
    "cautious, ties by column",
    "cautious, SU by MDL",
)
WAYS: Mapping[str, Way] = {
    PUBLISHED: Way(
        "index",
        "index",
        {
            RELIEF: LIBRARY_RELIEF,
            SVM_RFE: LIBRARY_SVM_RFE,
            RF: LIBRARY_RF,
            LARGE_RF: LARGE_LIBRARY_RF,
        },
        LIBRARY_BAG_SIZE,
    ),
    CAUTIOUS: Way("random", "average"),
    AVERAGED: Way("average", "average"),
    COLUMN: Way("index", "index"),
    MDL: Way("random", "average", {SU: BY_MDL}),
}

CHANGED: Mapping[str, tuple[str, ...]] = {AVERAGED: TIED, COLUMN: TIED, MDL: (SU,)}
"""The selectors whose numbers differ from those of the cautious setting."""


def ensembles(settings: Iterable[str], n_bags: int = N_BAGS) -> dict[str, hf.Ensemble]:
    """Return the ensembles that settings need, by name, each once."""
    plans = [WAYS[setting].ensemble(name, n_bags) for setting in settings for name in SELECTORS]
    return {plan.name: plan.build() for plan in plans}


def ordered_name(base: str, ties: Ties) -> str:
    """Return the name of a single selector in a study, with its rule for ties."""
    tied = base in (*TIED, LIBRARY_RF)
    return f"{base}, ties {ties}" if tied and ties != "random" else base


def make_ordered_selectors(setting: str) -> dict[str, Any]:
    """Return the single selectors of a setting, each with its rule for ties.

    Selectors break ties at random. An ensemble without bags runs a selector once on all samples,
    and its vote follows a rule for ties.
    """
    way, selectors = WAYS[setting], {}
    for base in map(way.base, SELECTORS):
        name = ordered_name(base, way.ranks)
        selector = BASES[base]
        if name != base:
            selector = hf.Ensemble(selector, n_bags=None, ties=way.ranks)
        selectors[name] = selector
    return selectors


# The three kinds of studies: robustness, accuracy, and robustness by size of the ensemble.

JUDGED = (PUBLISHED, CAUTIOUS)
"""The settings with an accuracy, and with ensembles of several sizes."""
SMALLER, LARGER = (1, 5, 10, 20), (60,)
ALL_FEATURES_LABEL = "All features"
TOP = 0.01
"""The share of features that classifiers get."""


def make_classifiers(setting: str) -> dict[str, Any]:
    """Return the classifiers of a setting; those of Java-ML get features as they are."""
    if setting != PUBLISHED:
        return {"SVM": "linear_svm:C=1", "RF": "random_forest", "KNN": "knn5"}
    forest = RandomForestClassifier(
        n_estimators=50, max_features=LIBRARY_FEATURES_PER_SPLIT, random_state=0
    )
    return {
        "SVM": SVC(kernel="linear", C=1.0),
        "RF": forest,
        "KNN": KNeighborsClassifier(n_neighbors=5),
    }


CLASSIFIERS = ("SVM", "RF", "KNN")


def robustness(runner: ExperimentRunner, name: str) -> hf.Result:
    """Run all selectors and their ensembles on subsamples; scores are kept and ranked later.

    SVM-RFE has ranks only; an ensemble without bags turns them into scores.
    """
    scored = {base: hf.Ensemble(BASES[base], n_bags=None) for base in (SVM_RFE, LIBRARY_SVM_RFE)}
    return _run_on_subsamples(
        runner, f"robustness {name}", {**BASES, **scored, **ensembles(WAYS)}, name
    )


def ensemble_sizes(runner: ExperimentRunner, name: str) -> hf.Result:
    """Run ensembles of other sizes on the same subsamples."""
    selectors = {
        ensemble: selector
        for n_bags in bag_counts(runner)
        if n_bags != N_BAGS
        for ensemble, selector in ensembles(JUDGED, n_bags).items()
    }
    return _run_on_subsamples(runner, f"ensemble sizes {name}", selectors, name)


def bag_counts(runner: ExperimentRunner) -> tuple[int, ...]:
    """Return the numbers of bags; the first is an ensemble of one bag."""
    return (*SMALLER, N_BAGS, *runner.reduced_or_full((), LARGER))


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


def accuracy(runner: ExperimentRunner, name: str, setting: str) -> hf.Result:
    """Run the selectors in cross-validation, and classifiers on the selected features."""
    selectors = {**make_ordered_selectors(setting), **ensembles([setting])}
    return _run_cross_validation(runner, f"accuracy {name} {setting}", selectors, name, setting)


def accuracy_without_selection(runner: ExperimentRunner, name: str, setting: str) -> hf.Result:
    """Run the classifiers on all features, in the same folds."""
    selectors = {ALL_FEATURES_LABEL: hf.RandomScore()}
    study = f"all features {name} {setting}"
    return _run_cross_validation(runner, study, selectors, name, setting, size=1.0)


def _run_cross_validation(
    runner: ExperimentRunner,
    study: str,
    selectors: Mapping[str, Any],
    name: str,
    setting: str,
    *,
    size: float = TOP,
) -> hf.Result:
    data = runner.data(name)
    return runner.study(
        study,
        selectors,
        data,
        protocol=hf.CrossValidation(10),
        sizes=[size],
        classifiers=make_classifiers(setting),
        measures=["jaccard"],
        **imputation_options(data),
    )


def imputation_options(data: Dataset) -> dict[str, str]:
    """Return the options of a study for missing values; {} if there are none."""
    return {"impute": "median"} if np.isnan(np.asarray(data.X, dtype=float)).any() else {}
