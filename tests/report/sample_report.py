"""A whole report made by hand, full of names that would like to be more than names."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from holdfast.judge import GRADES
from holdfast.report._formatting import format_name
from holdfast.report._schema import FORMAT, VERSION

if TYPE_CHECKING:
    from holdfast.report._schema import FeatureRow, Figure, Report, SecondStudy, SelectorRow

HOSTILE = (
    "<script>window.hurt = 1</script>",
    '"><img src=x onerror="window.hurt = 2">',
    '=cmd("calc")',
    "{{7*7}}",
    "$x_1$",
    "\u202egnol si eman siht\u202c مرحبا",
    "a_very_long_name_" + "without_any_place_to_break_" * 6,
    '-1+2, "quoted"\nand broken',
    "</style></script><!--",
    "@SUM(A1)",
)
CLASSES = ("tumour", "<b>normal</b>")


def sample(rows: int = 30, **changes: Any) -> Report:
    """Return the report; `rows` features, and top-level entries changed as asked."""
    report: Report = {
        "format": FORMAT,
        "version": VERSION,
        "generator": "holdfast 0.1.0",
        "title": "Which features hold? colon <cancer>.csv",
        "subtitle": "62 samples, 2,000 features, classes tumour (40) and <b>normal</b> (22)",
        "state": {
            "complete": False,
            "done": 296,
            "failed": 4,
            "units": 300,
            "sentence": "Only 296 of 300 fits are done; 4 failed.",
        },
        "verdict": {
            "headline": "A second study of 62 samples would find about 12 of these 20 features "
            "again.",
            "why": "",
            "next_step": f"Act on the first 7, M26383 to {format_name(HOSTILE[0], 30)}. Check "
            "the next "
            "10 on new samples first. Do not rely on the last 3.",
            "certainty": "How sure: it may be 8 to 15; on test data, 95% of features "
            "called very likely were found again.",
            "grade": "some",
            "expected": 11.6,
            "expected_low": 8,
            "expected_high": 15,
            "n_selected": 20,
            "chance_level": 0.01,
            "trusted": ["M26383", "H08393", "T71025", HOSTILE[0], HOSTILE[6]],
            "selector": "relieff",
            "classifier": "linear_svm",
            "size": 20,
        },
        "truth": {
            "sentences": [
                (
                    "These data were simulated, so the truth is known: 20 features of 2,000 differ "
                    "between the classes."
                ),
                "Of the 5 trusted features, 4 truly matter.",
            ],
            "rows": [
                {"features": "trusted", "number": 5, "informative": 4, "share": 0.2},
                {
                    "features": "selected at least once",
                    "number": 93,
                    "informative": 19,
                    "share": None,
                },
            ],
        },
        "replication": _replication(),
        "features": {
            "title": "Features by chance",
            "caption": "Features that ReliefF selected when asked for 20 features; drawn at "
            "random, a feature would be selected in 1% of the resamples.",
            "interval": "Intervals hold for the selection frequency over resamples of these data.",
            "rows": [_feature(number) for number in range(rows)],
            "total": 93 if rows <= 93 else rows,
        },
        "lists": None,
        "selectors": {
            "measure": "nogueira",
            "rows": _selectors(),
            "reasons": [
                "3 of 5 selectors are not significantly worse than the best by McNemar's test.",
                "Among them ReliefF has the highest stability.",
            ],
            "choice": "Choosing the best pair flatters it: the choice itself errs by 14% ± 3%.",
        },
        "profile": {
            "sentences": ["The stability profile of ReliefF has a knot at 18 features."],
            "rows": [{"selector": "relieff", "size": 18, "low": 12, "high": 25, "value": 0.7213}],
        },
        "similarity": {
            "sentences": ["Most alike are ReliefF and the F-score (0.61)."],
            "rows": [{"selector": "relieff", "other": HOSTILE[0], "value": 0.61}],
        },
        "groups": None,
        "stand_ins": {
            "sentences": ["2 selected features have stand-ins."],
            "rows": [
                {"feature": "H08393", "stand_in": HOSTILE[1], "correlation": 0.93, "share": 0.4}
            ],
        },
        "failures": [
            {"selector": HOSTILE[1], "resamples": 4, "first": 17, "message": "singular <matrix>"}
        ],
        "figures": _figures(),
        "methods": {
            "protocol": "100 times, 90% of the samples of each class were drawn at random to "
            "select features and train classifiers, and the other 10% were predicted.",
            "data": [("Samples", "62"), ("Features", "2,000"), ("File", HOSTILE[1])],
            "warnings": ["One class is nearly twice as large as the other."],
            "paragraph": "We assessed the stability of feature selection with holdfast 0.1.0. "
            "Five selectors were run on 100 stratified subsamples of 90% of 62 samples.",
            "references": [
                (
                    "Nogueira S, Sechidis K, Brown G (2018). On the stability of feature selection "
                    "algorithms. Journal of Machine Learning Research 18(174)."
                ),
                "Kononenko I (1994). Estimating attributes: analysis and extensions of RELIEF.",
            ],
            "versions": [("holdfast", "0.1.0"), ("numpy", "2.4.1"), ("python", "3.11.2")],
            "seed": 7,
            "command": "holdfast study 'colon <cancer>.csv' --target class --selectors relieff",
            "fingerprint": "sha256:" + "3f9a" * 16,
        },
        "glossary": {
            "stability": "How alike the features are that are selected on different resamples.",
            "selection frequency": "The share of resamples in which a feature was selected.",
            "resample": "A random part of the samples, drawn as if the study were done again.",
            "effect size": "How far the classes lie apart, in standard deviations.",
            "stand-in": "A correlated feature that is selected in another one's place.",
            "knot": "The size where the profile breaks: beyond it features are added at random.",
            "McNemar's test": "Compares two classifiers on the samples where just one is wrong.",
            "Pareto front": "The choices that no other beats in both error and stability.",
        },
    }
    return copy.deepcopy({**report, **changes})  # type: ignore[return-value, typeddict-item]


def _replication() -> SecondStudy:
    rows = [
        {
            "selector": name,
            "title": title,
            "size": size,
            "replication": 0.44,
            "replication_low": 0.31 if size == 20 else None,
            "replication_high": 0.57 if size == 20 else None,
            "replication_chance": 0.27 if size == 20 else None,
            "predicted": 0.52 if size == 20 else None,
            "predicted_low": 0.4 if size == 20 else None,
            "predicted_high": 0.65 if size == 20 else None,
            "stability": 0.71,
            "low": 0.66,
            "high": 0.76,
            "expected": 11.6 if size == 20 else None,
            "recommended": name == "relieff",
        }
        for name, title, size in (("relieff", "ReliefF", 20), (HOSTILE[0], HOSTILE[0], "own"))
    ]
    pair = {"cohort_a": HOSTILE[0], "cohort_b": HOSTILE[1], "n_a": 30, "n_b": 32, "value": 0.2}
    pair |= {"expected": 0.4, "low": 0.3, "high": None, "p_value": 0.01961, "n_shuffles": 50}
    return {
        "measure": "nogueira",
        "n_samples": 31,
        "at": 62,
        "noun": "sample",
        "sentences": ["Two independent studies of 31 samples agree at 0.44."],
        "rows": rows,  # type: ignore[typeddict-item]
        "curve": [{"n_samples": 31, "value": 0.44, "low": 0.31, "high": 0.57}],
        "cohorts": {"sentences": ["Two cohorts agree less than expected."], "rows": [pair]},
    }


def _name(number: int) -> str:
    plain = ("M26383", "H08393", "T71025", "M63391", "R87126")
    names = (*plain, *HOSTILE)
    return names[number] if number < len(names) else f"gene {number:03d}"


def grouped() -> Report:
    """Return the report of a selector that finds groups, with such names in them."""
    report = sample(rows=3)
    for row, total in zip(report["features"]["rows"], (len(HOSTILE), 1, 0), strict=True):
        row |= {"in_group": list(HOSTILE[:total]), "in_group_total": 30 * total}
    names = ", ".join(map(format_name, HOSTILE))
    row = {"feature": HOSTILE[0], "member": 1.0, "representative": 0.25, "companions": names}
    values = {"measure": "group_matching_index", "value": 0.83, "low": 0.51, "high": 1.16}
    report["groups"] = {
        "sentences": ["Groups were selected."],
        "rows": [row],
        "measures": {
            "sentences": ["Measures of groups say how well they match."],
            "rows": [{"selector": HOSTILE[1], "size": 20, **values}],
        },
    }
    report["selectors"]["rows"][0]["remark"] = "3 of 10 found"
    return report


def _feature(number: int) -> FeatureRow:
    frequency = max(0.02, 1 - 0.03 * number)
    known = number % 4 != 3
    return {
        "feature": _name(number),
        "selected": number < 20,
        "found_again": (chance := max(0.01, 0.97 - 0.04 * number)),
        "low": chance / 2,
        "grade": next(grade for grade, least in GRADES.items() if chance >= least),
        "frequency": frequency,
        "count": round(100 * frequency),
        "n": 100,
        "frequency_low": max(0.0, frequency - 0.06),
        "frequency_high": min(1.0, frequency + 0.04),
        "rank_low": 1 + number // 2 if known else None,
        "rank_median": 1 + number if known else None,
        "rank_high": 3 + 2 * number if known else None,
        "direction": CLASSES[number % 2] if known else None,
        "effect": (effect := round(2.5 / (1 + 0.2 * number), 3) if known else None),
        "effect_low": effect - 0.6 if effect is not None else None,
        "effect_high": effect + 0.6 if effect is not None else None,
        "observed_effect": effect + 0.3 if effect is not None else None,
        "stand_ins": _stand_ins(number),
        "caveats": ["may be a matter of chance", "skewed"][: number % 3],
        "informative": number % 5 != 4,
    }


COUNTS = {"count": 9, "n": 10, "count_with": 2, "n_with": 40}


def _stand_ins(number: int) -> Any:
    if number % 3:
        return []
    return [{"feature": _name(number + 1), "correlation": 0.91, "share": 0.9, **COUNTS}]


def _selectors() -> list[SelectorRow]:
    names = ("relieff", "f_score", "svm_rfe", HOSTILE[0], "random")
    titles = ("ReliefF", "F-score", "SVM-RFE", HOSTILE[0], "Random scores")
    return [_selector(number, name, titles[number]) for number, name in enumerate(names)]


def _selector(number: int, name: str, title: str) -> SelectorRow:
    known = number < 4
    return {
        "selector": name,
        "title": title,
        "size": 20 if number < 3 else "own",
        "stability": 0.71 - 0.15 * number,
        "low": 0.66 - 0.15 * number if known else None,
        "high": 0.76 - 0.15 * number if known else None,
        "chance": 0.0,
        "classifier": "linear_svm" if known else None,
        "error": 0.12 + 0.01 * number if known else None,
        "standard_error": 0.03 if known else None,
        "balanced_accuracy": 0.86 - 0.01 * number if known else None,
        "auc": None,
        "rpt": 0.8 - 0.05 * number if known else None,
        "p_value": (1.0, 0.4, 0.07, 0.0001)[number] if known else None,
        "rival": number < 3,
        "front": number < 2,
        "recommended": number == 0,
    }


def _figures() -> list[Figure]:
    sections = ("verdict", "truth", "replication", "cohorts", "frequencies", "selectors", "profile")
    sections += ("stripes", "similarity")
    return [
        {
            "name": section,
            "section": section,
            "title": f"Picture of {section}",
            "caption": "Each line is a feature; long bars are features with much stability.",
            "alt": f'Bars of "{section}" & {HOSTILE[0]}',
            "svg": picture(HOSTILE[0]),
        }
        for section in sections
    ]


def picture(label: str) -> str:
    """Return an SVG as matplotlib writes it: prolog, date, a style for everything, equal ids."""
    text = label[:30].replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    bars = "".join(
        f'<path d="M 100 {y} \nL {100 + x} {y} \nL {100 + x} {y + 14} \nL 100 {y + 14} \nz\n" '
        f'clip-path="url(#p1)" style="fill: #0072b2"/><text x="92" y="{y + 11}" '
        f"style=\"font-size: 10px; font-family: 'DejaVu Sans', sans-serif; text-anchor: end\">"
        f"{text}</text>"
        for y, x in ((20, 320), (44, 250), (68, 180), (92, 60))
    )
    return f"""<?xml version="1.0" encoding="utf-8" standalone="no"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns:xlink="http://www.w3.org/1999/xlink" width="504pt" height="150pt" viewBox="0 0 504 150"
 xmlns="http://www.w3.org/2000/svg" version="1.1">
 <metadata><date>today</date></metadata>
 <defs><style type="text/css">*{{stroke-linejoin: round}}</style></defs>
 <g id="figure_1"><g id="patch_1">
 <path d="M 0 0 L 504 0 L 504 150 L 0 150 z" style="fill: #ffffff"/></g>{bars}
 <g id="line2d_1"><defs><path id="m1" d="M 0 0 L 0 4" style="stroke: #1f2933"/></defs>
 <use xlink:href="#m1" x="100" y="120" style="stroke: #1f2933"/></g>
 <defs><clipPath id="p1"><rect x="100" y="0" width="400" height="120"/></clipPath></defs></g>
</svg>"""
