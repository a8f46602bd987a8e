"""Settings of the calibration: population, samples, size of the list, selectors.

`HOLD_OUT` was fixed before the constants of the estimator were final. `CONFIRMATION`, of real data
only, was fixed when the estimator did not change any more.
"""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.calibration.populations import Real, Simulated

CHEAP = ("t_score", "relieff", "information_gain")
ALL = (*CHEAP, "svm_rfe", "l1_path", "forest_importance")


@dataclass(frozen=True)
class Setting:
    """Studies of n samples of a population, from which the best `size` features are listed."""

    population: Simulated | Real
    n: int
    size: int
    selectors: tuple[str, ...]

    @property
    def name(self) -> str:
        """A short name, ``mixed-blocks-80-1000-20``; real ones without p."""
        one = self.population
        if isinstance(one, Real):
            share = f"-{one.share:g}" if one.share else ""
            return f"{one.name}.{one.task}{share}-{self.n}-{self.size}"
        marks = [one.effects, one.layout]
        marks += ["t4"] if one.heavy else []
        marks += [f"{one.classes}classes"] if one.classes > 2 else []
        marks += [f"share{one.share:g}"] if one.share else []
        marks += [f"subjects{one.per_subject}"] if one.per_subject > 1 else []
        return "-".join([*marks, str(self.n), str(one.p), str(self.size)])


def _simulated(effects, n, p, size, selectors, layout="independent", **more):
    return Setting(Simulated(effects, p, layout, **more), n, size, tuple(selectors))


def _real(name, task, n, size, selectors, share=None):
    return Setting(Real(name, task, share), n, size, tuple(selectors))


DEVELOPMENT = [
    _simulated("mixed", 80, 1000, 20, (*CHEAP, "svm_rfe")),
    _simulated("mixed", 80, 1000, 20, ["t_score"], "blocks"),
    _simulated("equal", 80, 1000, 20, ["t_score"]),
    _simulated("weak", 80, 1000, 20, ["t_score"], "blocks"),
    _simulated("none", 80, 1000, 20, CHEAP),
    _simulated("few", 40, 200, 20, ["t_score", "forest_importance"]),
    _simulated("mixed", 40, 200, 5, ["t_score", "relieff"], "blocks"),
    _simulated("mixed", 200, 1000, 20, ["t_score"]),
    _simulated("mixed", 200, 5000, 50, ["t_score"], "blocks"),
    _simulated("none", 40, 200, 5, [*CHEAP, "svm_rfe"], "blocks"),
    _simulated("steps", 80, 1000, 20, ["t_score"], "blocks"),
    _simulated("mixed", 80, 600, 20, ["t_score", "relieff"], "modules"),
    _simulated("mixed", 80, 200, 10, ALL),
    _simulated("mixed", 80, 200, 10, ALL[1:], "blocks"),
    _simulated("none", 80, 200, 10, ALL[1:], "blocks"),
    _simulated("steps", 80, 200, 20, ALL[1:], "blocks"),
    _simulated("mixed", 90, 500, 20, ["f_score", "relieff", "information_gain"], classes=3),
    _simulated("mixed", 80, 500, 20, ["t_score", "relieff"], "blocks", share=0.25),
    _simulated("mixed", 120, 300, 10, ["t_score"], per_subject=3),
    _simulated("mixed", 80, 30, 5, ALL),
    _simulated("mixed", 400, 400, 20, ["t_score", "relieff"]),
    _real("isolet", "halves", 80, 20, [*CHEAP, "svm_rfe", "forest_importance"]),
    _real("isolet", "halves", 200, 50, ["t_score"]),
    _real("isolet", "three", 90, 20, ["f_score", "relieff", "forest_importance"]),
    _real("semeion", "halves", 80, 20, [*CHEAP, "l1_path", "svm_rfe"]),
    _real("semeion", "three", 120, 20, ["f_score", "information_gain"]),
    _real("digits", "halves", 80, 5, ["t_score", "forest_importance"]),
    _real("digits", "one", 100, 10, ["t_score", "l1_path"], share=0.25),
    _real("breast_cancer", "own", 60, 5, [*CHEAP, "forest_importance"]),
    _real("breast_cancer", "own", 180, 5, ["t_score", "relieff"]),
    _real("isolet", "halves", 400, 10, ["t_score", "relieff"]),
    _simulated("graded", 300, 200, 10, ["t_score", "relieff"], "blocks"),
    _real("vijver", "own", 60, 20, ["t_score", "information_gain"]),
    _real("ovarian", "own", 60, 50, ["t_score"]),
]

HOLD_OUT = [
    _simulated("few", 80, 5000, 50, ["t_score"], "blocks", seed=7),
    _simulated("equal", 40, 1000, 5, ["t_score"], seed=7),
    _simulated("laplace", 80, 1000, 20, CHEAP, heavy=True, seed=7),
    _simulated("normal", 200, 1000, 20, ["t_score", "relieff"], "blocks", seed=7),
    _simulated("graded", 60, 600, 20, ["t_score", "relieff"], "modules", seed=7),
    _simulated("steps", 120, 400, 20, ["f_score", "information_gain", "forest_importance"],
               "blocks", classes=4, seed=7),
    _simulated("few", 100, 200, 10, ["t_score", "l1_path", "forest_importance"], share=0.2, seed=7),
    _simulated("none", 60, 200, 10, ALL, "blocks", heavy=True, seed=7),
    _simulated("graded", 160, 200, 10, ["t_score", "relieff"], per_subject=4, seed=7),
    _simulated("graded", 60, 200, 10, ALL, "blocks", seed=7),
    _simulated("laplace", 400, 2000, 50, ["t_score"], "blocks", seed=7),
    _real("isolet", "one", 200, 50, ["t_score", "svm_rfe"], share=0.3),
    _real("isolet", "even", 400, 20, ["t_score"]),
    _real("semeion", "one", 80, 20, ALL),
    _real("digits", "even", 200, 20, ["t_score", "l1_path"]),
    _real("digits", "three", 60, 10, ["f_score", "forest_importance"]),
    _real("breast_cancer", "own", 150, 10, ["t_score", "forest_importance", "l1_path"]),
    _real("vijver", "own", 70, 10, ["t_score", "relieff"]),
    _real("ovarian", "own", 60, 20, CHEAP),
]  # fmt: skip

CONFIRMATION = [
    _real("isolet", "halves", 60, 10, CHEAP),
    _real("isolet", "three", 150, 20, ["f_score", "relieff"]),
    _real("isolet", "even", 100, 20, ["t_score", "information_gain", "forest_importance"]),
    _real("isolet", "one", 120, 10, ["t_score", "l1_path"], share=0.3),
    _real("semeion", "even", 100, 20, ["t_score", "relieff", "svm_rfe"]),
    _real("semeion", "halves", 200, 10, ["t_score", "information_gain"]),
    _real("semeion", "three", 60, 10, ["f_score", "forest_importance"]),
    _real("semeion", "one", 160, 20, ["t_score", "l1_path"], share=0.75),
    _real("digits", "halves", 100, 10, CHEAP),
    _real("digits", "one", 60, 5, ["t_score", "forest_importance"]),
    _real("digits", "even", 120, 5, ["relieff", "svm_rfe"]),
    _real("breast_cancer", "own", 100, 5, CHEAP),
    _real("breast_cancer", "own", 60, 10, ["t_score", "svm_rfe"], share=0.3),
    _real("vijver", "own", 66, 20, ["t_score", "relieff"]),
    _real("ovarian", "own", 80, 10, ["t_score", "information_gain"]),
]

LISTS = {"development": DEVELOPMENT, "hold-out": HOLD_OUT, "confirmation": CONFIRMATION}
