"""The decision table: what the recommended pair is truly worth, next to simpler rules.

``python -m benchmarks.decision FOLDER`` keeps each study and its truth in FOLDER and goes on where
it stopped; some 20 minutes of one core. ``--write docs/_calibration/decision.json`` keeps the
results. isolet and semeion are read from the folder that HOLDFAST_DATA names; the ``dask`` extra is
needed. True replication: how well the selections of 60 independent studies of the same size agree.
True error: that of the model fitted to the whole study, on new samples. Studies of a real
population are drawn from the same rows, so they share some, and their truth is a little high.

The weights of the rule and the limit of the gate were chosen on data sets of seed 101, the weights
among some 40 variants of scores, weights and tie rules; the published table is that of seed 2026,
run once after.
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

import holdfast as hf
from benchmarks._decision_data import Real, Simulated

if TYPE_CHECKING:
    from distributed import Client
    from numpy.typing import NDArray

    from benchmarks._decision_data import Drawn
    from holdfast.judge import Recommendation

SELECTORS = ("t_score", "relieff", "information_gain", "linear_svm_weights")
SIZES = (5, 20)
CLASSIFIERS = ("linear_svm", "knn3")
RESAMPLES = 25
PAIRS = 30
SEED = 2026
TRUE_STUDIES = 60
"""Independent studies from which the true replication at n is computed."""

Population = Simulated | Real

SIGNAL: list[tuple[Population, int]] = [
    *(
        (Simulated(effects, blocks, n, p, seed=n), 3)
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
    (Simulated("none", blocks, n, p), 10)
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


def chosen_rows(found: Recommendation) -> dict[str, int]:
    """Return the row of the table that each rule takes; only the first rule knows the gates."""
    table = found.table
    error, spread = table["error"].to_numpy(float), table["standard_error"].to_numpy(float)
    best = int(error.argmin())
    close = error <= error[best] + spread[best]
    rivals, every = table["rival"].to_numpy(bool), np.ones(len(table), dtype=bool)

    def highest(column: str, among: NDArray[np.bool_]) -> int:
        values = np.where(among, table[column].to_numpy(float), -np.inf)
        return int(np.lexsort([error, -values])[0])

    return {
        "recommended": int(table["recommended"].to_numpy().argmax()),
        "stability over resamples": highest("stability", rivals),
        "lowest error": best,
        "one standard error": highest("stability", close),
        "highest replication": highest("replication", every),
    }


def judge_case(folder: Path, case: Case) -> dict[str, Any]:
    """Return the truth of what each rule takes, and whether the recommendation is supported."""
    found = hf.load(folder / case.name).recommend()
    truth = json.loads((folder / f"{case.population.name}-replication.json").read_text())
    errors = json.loads((folder / f"{case.name}-errors.json").read_text())
    rules = {}
    for name, row in chosen_rows(found).items():
        selector, classifier, size = found.table[["selector", "classifier", "size"]].iloc[row]
        rules[name] = {
            "replication": truth[f"{selector}/{size}"],
            "error": errors.get(f"{selector}/{classifier}/{size}"),
        }
    cells = found.table.drop_duplicates(["selector", "size"])
    keys = zip(cells["selector"], cells["size"], strict=True)
    return {
        "name": case.name,
        "population": case.population.name,
        "cells": {
            "truth": [truth[f"{selector}/{size}"] for selector, size in keys],
            **{name: cells[name].tolist() for name in ("score", "replication", "stability")},
        },
        "rules": rules,
        "supported": found.supported,
        "why_not": found.why_not,
        "within_reach": max(truth.values()),
        "shown": [found.replication, found.replication_low, found.replication_high],
        "distances": _distances(hf.load(folder / case.name)),
        "choice_error": None if found.choice is None else found.choice.error,
    }


def _distances(result: hf.Result) -> list[float]:
    """Return by how many standard errors halves agree better than chance."""
    table = result.replication[result.replication["measure"] == "nogueira"]
    return ((table["value"] - table["chance"]) / table["standard_error"]).tolist()


def judge_cases(folder: Path, cases: list[Case]) -> list[dict[str, Any]]:
    """Judge all studies; what was judged before is read."""
    judged = []
    for case in cases:
        kept = folder / f"{case.name}-decision.json"
        if not kept.exists():
            kept.write_text(json.dumps(judge_case(folder, case)))
        judged.append(json.loads(kept.read_text()))
    return judged


def compare_rules(judged: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the mean truth of each rule, and how it differs from the recommended pair."""
    rows = []
    for rule in judged[0]["rules"]:
        row: dict[str, Any] = {"rule": rule}
        for figure in ("replication", "error"):
            own = np.array([one["rules"][rule][figure] for one in judged])
            gap = np.array([one["rules"]["recommended"][figure] for one in judged]) - own
            row[figure] = _rounded(own.mean())
            row[f"{figure}_gain"] = _rounded(gap.mean())
            row[f"{figure}_gain_se"] = _rounded(gap.std(ddof=1) / np.sqrt(len(gap)))
        rows.append(row)
    return rows


def order_errors(judged: list[dict[str, Any]]) -> dict[str, float]:
    """Return how well figures predict the true order: errors in log odds within a data set."""
    columns: dict[str, list[Any]] = {}
    for one in judged:
        for name, values in one["cells"].items():
            parts = np.clip(values, 0.0, 1.0)
            odds = np.log((parts + 0.03) / (1.03 - parts))
            columns.setdefault(name, []).append(odds - odds.mean())
    odds_of = {name: np.concatenate(own) for name, own in columns.items()}
    truth = odds_of.pop("truth")
    return {
        name: _rounded((truth - own * (own @ truth) / (own @ own)).std())
        for name, own in odds_of.items()
    }


def noise_distances(judged: list[dict[str, Any]]) -> dict[str, float]:
    """Return the spread, on noise, of the distance from chance in standard errors."""
    distances = np.array([one["distances"] for one in judged])
    names = np.array([one["population"] for one in judged])
    spreads = [distances[names == name].std(axis=0, ddof=1) for name in np.unique(names)]
    return {
        "smallest": _rounded(np.min(spreads)),
        "median": _rounded(np.median(spreads)),
        "largest": _rounded(np.max(spreads)),
        "highest_of_a_study_95%": _rounded(np.quantile(distances.max(axis=1), 0.95)),
    }


def _rounded(value: float) -> float:
    return round(float(value), 4)


def support_rates(judged: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return how often a recommendation is supported, by the best replication within reach."""
    rows = []
    for low, high in ((0.0, 0.15), (0.15, 0.4), (0.4, 0.6), (0.6, 1.01)):
        own = [one["supported"] for one in judged if low <= one["within_reach"] < high]
        if own:
            ends = {"from": low, "to": min(high, 1.0)}
            rows.append(ends | {"data_sets": len(own), "supported": sum(own)})
    return rows


def shown_and_true(judged: list[dict[str, Any]]) -> dict[str, Any]:
    """Compare the replication that is shown for the recommended pair with the truth."""
    true = np.array([one["rules"]["recommended"]["replication"] for one in judged])
    value, low, high = np.array([one["shown"] for one in judged]).T
    return {
        "mean_shown": _rounded(value.mean()),
        "mean_true": _rounded(true.mean()),
        "mean_absolute_error": _rounded(np.abs(value - true).mean()),
        "interval_holds_truth": _rounded(np.mean((low <= true) & (true <= high))),
    }


def results(signal: list[dict[str, Any]], noise: list[dict[str, Any]], seed: int) -> dict[str, Any]:
    """Put all tables together."""
    supported = [one for one in signal if one["supported"]]
    return {
        "command": "python -m benchmarks.decision FOLDER",
        "seed": seed,
        "selectors": SELECTORS,
        "sizes": SIZES,
        "classifiers": CLASSIFIERS,
        "data_sets": len(signal),
        "rules": compare_rules(signal),
        "supported_data_sets": len(supported),
        "rules_where_supported": compare_rules(supported),
        "error_of_the_order_in_log_odds": order_errors(signal),
        "replication_of_the_choice": shown_and_true(signal),
        "support_with_signal": support_rates(signal),
        "noise": {
            "data_sets": len(noise),
            "supported": sum(one["supported"] for one in noise),
            "replication_gate_passed": sum("second study" not in one["why_not"] for one in noise),
            "guessing_gate_passed": sum("guessing" not in one["why_not"] for one in noise),
            "distance_from_chance": noise_distances(noise),
        },
    }


def markdown(found: dict[str, Any]) -> str:
    """Return the tables as they stand in the guide."""
    lines = [
        "| rule | true replication | recommended gains (SE) | true error | gains (SE) |",
        "|---|--:|--:|--:|--:|",
    ]
    for row in found["rules"]:
        cells = [row["rule"], f"{row['replication']:.3f}"]
        cells.append(f"{row['replication_gain']:+.3f} ({row['replication_gain_se']:.3f})")
        cells.append(f"{100 * row['error']:.1f}%")
        cells.append(f"{-100 * row['error_gain']:+.1f} ({100 * row['error_gain_se']:.1f}) points")
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "| best true replication | data sets | supported |", "|---|--:|--:|"]
    noise = found["noise"]
    lines.append(f"| nothing to find | {noise['data_sets']} | {noise['supported']} |")
    for row in found["support_with_signal"]:
        ends = f"{row['from']:g} to {row['to']:g}"
        lines.append(f"| {ends} | {row['data_sets']} | {row['supported']} |")
    return "\n".join(lines)


def main() -> int:
    """Gather, judge, print and write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.decision", description=__doc__)
    parser.add_argument("folder", type=Path, help="where studies and truth are kept")
    parser.add_argument("--seed", type=int, default=SEED, help="of all data sets")
    parser.add_argument("--only", choices=("signal", "noise"), help="gather one kind and stop")
    parser.add_argument("--write", type=Path, help="write the results to this JSON file")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    kinds = {"signal": SIGNAL, "noise": NOISE}
    cases = {
        kind: [Case(population, number) for population, count in own for number in range(count)]
        for kind, own in kinds.items()
    }
    from distributed import Client

    # one worker for all studies: starting one takes longer than a study
    with Client(n_workers=1, threads_per_worker=1, dashboard_address=None) as client:
        for kind, own in cases.items():
            if arguments.only in (None, kind):
                gather(arguments.folder, own, arguments.seed, client)
    if arguments.only:
        return 0
    judged = {kind: judge_cases(arguments.folder, own) for kind, own in cases.items()}
    found = results(judged["signal"], judged["noise"], arguments.seed)
    print(markdown(found))
    if arguments.write:
        arguments.write.parent.mkdir(parents=True, exist_ok=True)
        arguments.write.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        print(f"wrote {arguments.write}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
