"""The decision table: what the recommended pair is truly worth, next to simpler rules.

``python -m benchmarks.decision FOLDER`` keeps each study and its truth in FOLDER and goes on where it
stopped.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
from distributed import Client

import holdfast as hf
from benchmarks._decision_data import Real, Simulated

if TYPE_CHECKING:
    from benchmarks._decision_data import Drawn

SELECTORS = ("t_score", "relieff", "information_gain", "linear_svm_weights")
SIZES = (5, 20)
CLASSIFIERS = ("linear_svm", "knn3")
RESAMPLES = 25
PAIRS = 30
TRUE_STUDIES = 60
"""Independent studies from which the true replication at n is computed."""

Population = Simulated | Real

SIGNAL: list[tuple[Population, int]] = [
    *(
        (Simulated(effects, blocks, n, p, seed=n), 4)
        for effects in ("mixed", "few", "weak", "equal")
        for blocks in (False, True)
        for n, p in ((60, 200), (100, 400))
    ),
    (Real("semeion", "halves", 80), 5),
    (Real("isolet", "halves", 80), 5),
    (Real("digits", "other", 80), 5),
    (Real("breast_cancer", "first", 80), 5),
]
NOISE: list[tuple[Population, int]] = [
    (Simulated("none", blocks, n, p), 17)
    for blocks in (False, True)
    for n, p in ((40, 100), (60, 1000), (100, 300))
]


@dataclass(frozen=True)
class Case:
    """One data set of a population."""

    population: Population
    number: int

    @property
    def name(self) -> str:
        """What its folder is called."""
        return f"{self.population.name}-{self.number}"

    @property
    def is_noise(self) -> bool:
        """Whether there is nothing to find."""
        return isinstance(self.population, Simulated) and self.population.effects == "none"

    def generator(self, seed: int) -> np.random.Generator:
        """Return a generator of its own."""
        return np.random.default_rng([seed, crc32(self.name.encode())])


def study() -> hf.Study:
    """Return the study that is run on each data set."""
    return hf.Study(
        list(SELECTORS), protocol=hf.Subsampling(RESAMPLES, 0.9), sizes=list(SIZES),
        classifiers=list(CLASSIFIERS), replication=PAIRS,
    )  # fmt: skip


def true_errors(result: hf.Result, train: Drawn, test: Drawn) -> dict[str, float]:
    """Fit each pair on the whole study and test it on samples that it has not seen."""
    errors = {}
    for row in result.errors.itertuples():
        pair = hf.judge.Pair(row.selector, row.classifier, row.size)
        model = result.pipeline(*train, chosen=pair)
        wrong = model.predict(test[0]).astype(str) != test[1].astype(str)
        errors["/".join(map(str, pair))] = float(np.mean(wrong))
    return errors


def true_replication(population: Population, seed: int) -> dict[str, float]:
    """Compare the selections of independent studies of the same size, each with each."""
    rng = np.random.default_rng([seed, crc32(population.name.encode()), 1])
    found: dict[tuple[str, int], list[Any]] = {}
    for number in range(TRUE_STUDIES):
        X, y = population.draw(rng)
        for name in SELECTORS:
            kind = hf.select.get_selector(name).kind()
            # numbered, so that each study breaks ties in its own way
            ranks = kind.rank_resamples(X, y, [np.arange(len(y))], first=number)
            for size in SIZES:
                found.setdefault((name, size), []).append(ranks.top(size))
    return {
        f"{name}/{size}": float(hf.measure("nogueira", hf.preferences.concat(own)))
        for (name, size), own in found.items()
    }


def gather(folder: Path, cases: list[Case], seed: int, client: Client) -> None:
    """Run the studies that are not there yet, and find the truth of each."""
    for done, case in enumerate(cases, 1):
        truth = folder / f"{case.population.name}-replication.json"
        if not truth.exists():
            truth.write_text(json.dumps(true_replication(case.population, seed)))
        errors = folder / f"{case.name}-errors.json"
        if errors.exists():
            continue
        train, test = case.population.draw_with_test(case.generator(seed))
        started = time.perf_counter()
        result = study().run(*train, out=folder / case.name, client=client, save_data=False)
        found = {} if case.is_noise else true_errors(result, train, test)
        errors.write_text(json.dumps(found))
        print(
            f"[{done}/{len(cases)}] {case.name} {time.perf_counter() - started:.0f} s",
            file=sys.stderr, flush=True,
        )  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.decision")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--noise", action="store_true")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    cases = [
        Case(one, i) for one, count in (NOISE if arguments.noise else SIGNAL) for i in range(count)
    ]
    # one worker for all studies: starting one takes longer than a study
    with Client(n_workers=1, threads_per_worker=1, dashboard_address=None) as client:
        gather(arguments.folder, cases, arguments.seed, client)
    return 0


if __name__ == "__main__":
    sys.exit(main())
