"""Stores made by hand, through the store's own interface, for tests of what is read from them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from holdfast.resample import Resample
from holdfast.study._planning._plan import as_text, hash_resamples
from holdfast.study._storage._checksums import store_unit_checksums
from holdfast.study._storage._store import FILE, Store, UnitResult, floats, integers


@dataclass
class Made:
    """What a fabricated study is about; `store` writes it."""

    n: int = 30
    p: int = 12
    labels: tuple[str, ...] = ("a", "b")
    selectors: tuple[str, ...] = ("one", "two")
    own: tuple[str, ...] = ()
    classifiers: tuple[str, ...] = ("knn",)
    sizes: tuple[int, ...] = (2, 4)
    measures: tuple[str, ...] = ("nogueira", "jaccard")
    tested: str = "repeatedly"
    resamples: list[Resample] = field(default_factory=list)
    seed: int = 0
    names: tuple[str, ...] | None = None
    y: Any = None

    def __post_init__(self) -> None:
        if self.y is None:
            self.y = np.arange(self.n) % len(self.labels)
        if self.names is None:
            self.names = tuple(f"f{i}" for i in range(self.p))

    def plan(self) -> dict[str, Any]:
        counts = np.bincount(self.y, minlength=len(self.labels)).tolist()
        thing = {"class": "some:Thing", "parameters": {}}
        return {
            "format": "holdfast plan",
            "version": 1,
            "seed": self.seed,
            "data": {
                "source": None,
                "n_samples": self.n,
                "n_features": self.p,
                "classes": dict(zip(self.labels, counts, strict=True)),
                "subjects": None,
                "sha256": "00",
            },
            "selectors": [
                {"name": name, "object": thing, "block": 1, "own_size": name in self.own}
                for name in self.selectors
            ],
            "protocol": {
                "object": thing,
                "estimates": "How much a selection would change.",
                "tested": self.tested,
                "resamples": len(self.resamples),
                "sha256": hash_resamples(self.resamples),
            },
            "sizes": list(self.sizes),
            "classifiers": [{"name": name, "object": thing} for name in self.classifiers],
            "measures": list(self.measures),
            "impute": None,
        }

    def store(self, folder=None) -> Store:
        """Write all but the outcomes, to a folder or to memory."""
        path = None
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / FILE
            (folder / "plan.json").write_text(as_text(self.plan()), encoding="utf-8")
        store = Store.create(path)
        with store.transaction():
            store.insert("facts", [("plan", as_text(self.plan()))])
            store.insert("classes", enumerate(self.labels))
            store.insert("samples", [(i, int(c), None) for i, c in enumerate(self.y)])
            store.insert(
                "features",
                [
                    (i, name, None if i == 0 else i % len(self.labels), None)
                    for i, name in enumerate(self.names)
                ],
            )
            store.insert("selectors", enumerate(self.selectors))
            store.insert("classifiers", enumerate(self.classifiers))
            store.add_resamples(self.resamples)
            versions = json.dumps({"python": "3.11", "numpy": "2"})
            store.add_plan_checksum()
            store.insert("runs", [(0, "2026-01-01T00:00:00+00:00", str(folder), versions)])
        return store

    def outcome(
        self, selector: int, number: int, *, forms=(), seed: int = 0, scores=True
    ) -> UnitResult:
        """Return what a selector with a taste for low feature numbers might have given."""
        rng = np.random.default_rng((seed, selector, number))
        weights = rng.normal(size=self.p) - np.arange(self.p) / 4
        resample = self.resamples[number]
        if resample.features is not None:
            hidden = np.setdiff1d(np.arange(self.p), resample.features)
            weights[hidden] = -100 - hidden
        order = np.argsort(-weights)
        outcome = UnitResult(selector, number, selection=0.5, classification=0.25)
        if self.selectors[selector] in self.own:
            chosen = np.sort(order[: rng.integers(1, self.p)])
            outcome.preferences.append(("subset", integers(chosen)))
        else:
            outcome.preferences.append(("top", integers(order[: max(self.sizes)])))
        ranks = np.empty(self.p, dtype=int)
        ranks[order] = np.arange(1, self.p + 1)
        stored = {"ranks": integers(ranks), "weights": floats(weights)}
        outcome.preferences += [(form, stored[form]) for form in forms]
        self._predict(outcome, rng, scores=scores)
        return outcome

    def _predict(self, outcome: UnitResult, rng, *, scores: bool) -> None:
        resample = self.resamples[outcome.resample]
        if not len(resample.test) or resample.role not in ("main", "outer"):
            return
        own = self.selectors[outcome.selector] in self.own
        n_classes = len(self.labels)
        drawn = rng.integers(n_classes, size=len(resample.test)) if resample.draw >= 0 else None
        actual = self.y[resample.test] if drawn is None else drawn
        for size in (0,) if own else self.sizes:
            for classifier in range(len(self.classifiers)):
                table = rng.integers(-3, 4, size=(len(actual), n_classes)) / 2
                table[np.arange(len(actual)), actual] += 1.0
                given = table[:, 1] - table[:, 0] if n_classes == 2 else table
                said = (given > 0.5).astype(int) if n_classes == 2 else table.argmax(axis=1)
                outcome.predictions.append(
                    (
                        size,
                        classifier,
                        integers(said),
                        floats(given) if scores else None,
                        None if drawn is None else integers(drawn),
                    )
                )


def refresh_checksums(store: Store) -> None:
    """Write the checksums of what a test has changed."""
    with store.transaction():
        store_unit_checksums(store.connection)
        store.add_plan_checksum()


def subsamples(n: int, count: int, share: float = 0.8, seed: int = 0) -> list[Resample]:
    """Return random subsamples, the rest for testing."""
    rng = np.random.default_rng(seed)
    split = round(n * share)
    orders = [rng.permutation(n) for _ in range(count)]
    return [Resample(np.sort(o[:split]), np.sort(o[split:])) for o in orders]


def folds(n: int, count: int, role: str = "main") -> list[Resample]:
    """Return the parts of a cross-validation in which each sample is tested once."""
    rows = np.arange(n)
    return [
        Resample(
            rows[rows * count // n != k],
            rows[rows * count // n == k],
            role=role,
            outer=k if role == "outer" else -1,
        )
        for k in range(count)
    ]


def full(
    made: Made, folder=None, *, forms=(), skip=(), failed=(), seed: int = 0, scores=True
) -> Store:
    """Return a store whose units are all done, but those skipped or failed."""
    store = made.store(folder)
    with store.transaction():
        for selector in range(len(made.selectors)):
            for number in range(len(made.resamples)):
                unit = (selector, number)
                if unit in failed:
                    store.add([UnitResult(*unit, message="ValueError: no")])
                elif unit not in skip:
                    store.add([made.outcome(*unit, forms=forms, seed=seed, scores=scores)])
    return store
