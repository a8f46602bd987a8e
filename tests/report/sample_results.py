"""Results to report on: real ones, small; and made ones, for what studies seldom are."""

from __future__ import annotations

from functools import cache

import holdfast as hf
from holdfast.report import Report, make_report
from holdfast.resample import Resample
from holdfast.simulate import Microarray
from holdfast.study import Result
from tests.study.stores import Made, folds, full, subsamples

NAMES = ("<script>", "a|b", "`tick`", "$x$", "=cmd()", "line\nbreak", "_em_", "[l](http://x)",
         "*b*", "n" * 300, "größe 漢", "-")  # fmt: skip


FORTY = tuple(f"s{i}" for i in range(40))


@cache
def population() -> hf.io.Dataset:
    """Return simulated data, smaller than the bundled ones."""
    generator = Microarray(n_samples=60, n_features=300)
    first = generator.draw(0)
    return hf.io.Dataset(
        X=first.X,
        y=first.y,
        feature_names=first.feature_names,
        truth=first.informative,
        generator=generator,
    )


@cache
def simulated() -> Result:
    """Return a study of data whose truth is known."""
    study = hf.Study(
        ["f_score", "random_score"],
        protocol=hf.Subsampling(20, 0.9),
        sizes=[5, 10],
        classifiers=["knn3"],
    )
    return study.run(population(), n_jobs=1)


@cache
def wine() -> Result:
    """Return a study of three classes."""
    selectors = {"F": hf.FScore(), "near": hf.ReliefF(n_neighbors=3)}
    study = hf.Study(selectors, protocol=hf.CrossValidation(5), sizes=[2, 12], classifiers=["lda"])
    return study.run(hf.io.read_data("@wine"), n_jobs=1)


@cache
def nested() -> Result:
    """Return a nested study without data files."""
    protocol = hf.Nested(hf.CrossValidation(3), hf.Subsampling(4, 0.8))
    study = hf.Study("f_score", protocol=protocol, sizes=[2], classifiers=["knn1"])
    return study.run(hf.io.read_data("@wine"), n_jobs=1)


@cache
def drawn() -> Result:
    """Return a study of independent data sets."""
    study = hf.Study("f_score", protocol=hf.IndependentSamples(6), sizes=[5], classifiers=["knn1"])
    return study.run(population(), n_jobs=1)


@cache
def few_groups() -> Result:
    """Return a study whose group selector finds fewer groups than it is asked for."""
    study = hf.Study(
        {"dense": hf.DRAGS(), "F": hf.FScore()},
        protocol=hf.Subsampling(6, 0.9),
        sizes=[2, 8],
        measures=["nogueira", "group_matching_index"],
        classifiers=["knn3"],
    )
    return study.run(hf.io.read_data("@wine"), n_jobs=1)


@cache
def groups() -> Result:
    """Return a study of groups alone, as many as asked for."""
    study = hf.Study(
        {"clusters": hf.KMeansGroups(n_clusters=6)},
        protocol=hf.Subsampling(6, 0.9),
        sizes=[3],
        measures=["group_matching_index"],
        classifiers=(),
    )
    return study.run(hf.io.read_data("@breast_cancer"), n_jobs=1)


def made(resamples: list[Resample] | None = None, **facts: object) -> Made:
    """Return what a fabricated study is about: subsamples, unless told otherwise."""
    return Made(resamples=subsamples(30, 6) if resamples is None else resamples, **facts)


def result(about: Made, **state: object) -> Result:
    """Return the result of a fabricated study, whose data are not at hand."""
    return Result(full(about, **state))


def all_units(about: Made) -> list[tuple[int, int]]:
    """Return all pairs of selector and resample."""
    return [(s, r) for s in range(len(about.selectors)) for r in range(len(about.resamples))]


def _some(*, skip: slice | None = None, failed: slice | None = None) -> Result:
    about = made()
    units = all_units(about)
    return result(about, skip=units[skip or slice(0)], failed=units[failed or slice(0)])


ODD = {
    "nothing done": lambda: _some(skip=slice(None)),
    "all failed": lambda: _some(failed=slice(None)),
    "half done": lambda: _some(skip=slice(3, 6), failed=slice(9, None)),
    "one selector failed": lambda: _some(failed=slice(6, None)),
    "one unit done": lambda: _some(skip=slice(1, None)),
    "one feature": lambda: result(made(selectors=("one",), p=1, sizes=(1,))),
    "own size": lambda: result(made(own=("two",))),
    "own sizes only": lambda: result(made(own=("one", "two"))),
    "no classifiers": lambda: result(made(classifiers=())),
    "no tests": lambda: result(made(_untested(), tested="never", classifiers=())),
    "no measures": lambda: result(made(measures=())),
    "a distance": lambda: result(made(measures=("anhd",))),
    "a ranking measure": lambda: result(made(measures=("spearman",)), forms=("ranks",)),
    "not corrected": lambda: result(made(measures=("jaccard",))),
    "folds": lambda: result(made(folds(30, 5), tested="once")),
    "odd names": lambda: result(made(names=NAMES, labels=("<b>", "a|b"), selectors=("<i>", "*s*"))),
    "40 selectors": lambda: result(made(subsamples(30, 4), selectors=FORTY, sizes=(2,))),
    "simulated": simulated,
    "wine": wine,
    "nested": nested,
    "drawn": drawn,
    "few groups": few_groups,
    "groups": groups,
}
"""Results of studies that are real, or unusual, or went wrong in some way."""


def _untested() -> list[Resample]:
    return [Resample(one.train, one.test[:0]) for one in subsamples(30, 6)]


@cache
def report_of(name: str) -> Report:
    """Return the report of a result above, without pictures; not to be changed."""
    return make_report(ODD[name](), figures=False)
