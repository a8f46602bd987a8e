"""Compare chances to be found again with the truth; print tables, and write them for the guide.

``python -m benchmarks.calibration.evaluate CACHE [--list hold-out] [--write FILE]`` reads what
``benchmarks.calibration.collect`` kept in the folder CACHE.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

from benchmarks.calibration.estimates import estimates
from benchmarks.calibration.settings import LISTS

BINS = 10
GRADES = (
    ("very likely", 0.9, 1.01),
    ("likely", 0.7, 0.9),
    ("uncertain", 0.3, 0.7),
    ("unlikely", -1, 0.3),
)


def gather(cache, settings):
    """Return all estimates of these settings, by setting and selector."""
    found = {}
    for setting in settings:
        for selector in setting.selectors:
            path = cache / f"{selector}__{setting.name}.npz"
            if path.exists():
                with np.load(path) as stored:
                    own = list(estimates(setting, selector, dict(stored)))
                found[setting.name, selector] = own
    return found


def joined(found, name):
    return np.concatenate([getattr(one, name) for one in found])


def reliability(found, name="chance"):
    """Return for each bin of what was said: said, true, and how many."""
    said, truth = joined(found, name), joined(found, "truth")
    which = np.clip((said * BINS).astype(int), 0, BINS - 1)
    return [
        [float(said[which == b].mean()), float(truth[which == b].mean()), int((which == b).sum())]
        for b in range(BINS)
        if (which == b).any()
    ]


def calibration_error(rows):
    total = sum(count for *_, count in rows)
    return sum(abs(said - true) * count for said, true, count in rows) / total


def true_share(found):
    """Return what an independent study finds again: of real data by the lists themselves.

    Studies drawn from one finite rest overlap, so their agreement is too high.
    """
    if found[0].real:
        return float(np.mean([one.truth.mean() for one in found]))
    return found[0].share


def summary(groups):
    """Return the figures of some settings together."""
    found = [one for own in groups for one in own]
    rows = reliability(found)
    said, truth = joined(found, "chance"), joined(found, "truth")
    noise = (
        joined(found, "truth")
        * (1 - truth)
        / np.concatenate([np.full(len(one.truth), one.studies - 1) for one in found])
    )
    errors = [one.expected - true_share(own) for own in groups for one in own]
    lists = [one.careful_list for one in found if len(one.careful_list)]
    return {
        "data_sets": len(found),
        "features": len(said),
        "ece": calibration_error(rows),
        "ece_frequency": calibration_error(reliability(found, "resample_frequency")),
        "mse": float(((said - truth) ** 2 - noise).mean()),
        "bias": float((said - truth).mean()),
        "share_mae": float(np.abs(errors).mean()),
        "share_bias": float(np.mean(errors)),
        "grades": {
            name: [int(((said >= a) & (said < b)).sum()), _mean(truth[(said >= a) & (said < b)])]
            for name, a, b in GRADES
        },
        "low_holds": float(np.mean([one.low_holds.mean() for one in found])),
        "low_worst": min(
            (
                float(np.mean([one.low_holds.mean() for one in own]))
                for own in groups
                if own[0].n >= 60
            ),
            default=float("nan"),
        ),
        "lists": [
            len(lists),
            _mean(np.array([one.mean() for one in lists])),
            _mean(np.array([len(one) for one in lists])),
        ],
        "reliability": rows,
    }


def _mean(values):
    return float(values.mean()) if len(values) else None


def show(name, one):
    """Print the figures of some settings in one line."""
    (top, top_true), (next_, next_true) = one["grades"]["very likely"], one["grades"]["likely"]
    cells = [
        f"{name:32} sets {one['data_sets']:4}",
        f"ECE {one['ece']:.3f} (halves' frequency {one['ece_frequency']:.3f})",
        f"MSE {one['mse']:.3f} bias {one['bias']:+.3f}",
        f"share MAE {one['share_mae']:.3f} bias {one['share_bias']:+.3f}",
        f">=.9: {top:4} true {_decimals(top_true)}",
        f".7-.9: {next_:4} true {_decimals(next_true)}",
        f"low {one['low_holds']:.2f} worst {one['low_worst']:.2f}",
        f"lists {one['lists'][0]} true {_decimals(one['lists'][1])}",
    ]
    print(" | ".join(cells))


def _decimals(value):
    return "  - " if value is None else f"{value:.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--list", choices=LISTS, default="development")
    parser.add_argument("--write", type=Path)
    parser.add_argument("--settings", action="store_true", help="print each setting, too")
    options = parser.parse_args()
    found = gather(options.cache, LISTS[options.list])
    by_selector = defaultdict(list)
    for (_, selector), own in found.items():
        by_selector[selector].append(own)
    tables = {"all": summary(list(found.values()))}
    tables |= {name: summary(groups) for name, groups in by_selector.items()}
    for name, one in tables.items():
        show(name, one)
    if options.settings:
        for (setting, selector), own in found.items():
            show(f"{selector} {setting}", summary([own]))
    if options.write:
        rows = [
            {
                "setting": setting,
                "selector": selector,
                "true_share": true_share(own),
                **summary([own]),
            }
            for (setting, selector), own in found.items()
        ]
        options.write.parent.mkdir(parents=True, exist_ok=True)
        document = {"date": time.strftime("%Y-%m-%d"), "summary": tables, "settings": rows}
        options.write.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
