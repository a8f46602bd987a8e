"""The verdict: which features to trust, which selector, how sure, what would change it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.report._assurance import assurance, in_words, scaled
from holdfast.report._changes import changes, new_samples
from holdfast.report._evidence import FEWEST, TRUSTED
from holdfast.report._lead import lead, only_repeated, usual_figure
from holdfast.report._words import called, listed, plus_minus, share, spoken
from holdfast.resample._words import percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.judge import Recommendation
    from holdfast.report._evidence import Evidence
    from holdfast.report._schema import Verdict


def verdict(evidence: Evidence) -> Verdict:
    """Return what a reader takes away."""
    level, because = assurance(evidence)
    choice = evidence.choice
    return {
        "sentences": _sentences(evidence),
        "trusted": evidence.trusted,
        "selector": None if choice is None else choice.selector,
        "classifier": None if choice is None else choice.classifier,
        "size": None if choice is None else choice.size,
        "assurance": level,
        "because": because,
    }


def _sentences(evidence: Evidence) -> list[str]:
    if not evidence.n_compared:
        return [_nothing(evidence)]
    if evidence.all_selected:
        return [_all(evidence), *_best(evidence)]
    choice = evidence.choice
    used = (
        "No selector can be recommended: what is there does not suffice to measure stability."
        if choice is None
        else _use(evidence, choice)
    )
    change = f"What would change this: {'; '.join(changes(evidence))}."
    return [*lead(evidence), _trust(evidence), used, *only_repeated(evidence), change]


def _nothing(evidence: Evidence) -> str:
    failed = len(evidence.result.failures)
    if failed:
        return (
            "Nothing can be said about the features: all units of work that were tried, "
            f"{failed:,}, failed; mend what the failures name and resume the study."
        )
    return "Nothing can be said about the features yet: no unit of work is done; run the study on."


def _all(evidence: Evidence) -> str:
    count = int(evidence.plan["data"]["n_features"])
    what = "The only feature is" if count == 1 else f"All {count:,} features are"
    return (
        f"{what} selected each time, so nothing is chosen: stability is not defined, and the study "
        "cannot tell which features would be found again."
    )


def _best(evidence: Evidence) -> Iterator[str]:
    """Tell the least error, where features are not to be chosen."""
    table = evidence.result.errors.dropna(subset="error")
    if len(table):
        row = table.sort_values("error", kind="stable").iloc[0]
        yield (
            f"The least error on samples not seen before is "
            f"{plus_minus(row['error'], row['standard_error'])}, with the classifier "
            f"{called(row['classifier'])} (guessing the largest class: "
            f"{share(evidence.guessing)})."
        )
    smaller = "a smaller number of features" if evidence.plan["data"]["n_features"] > 1 else ""
    what = "; ".join(filter(None, (smaller, new_samples(evidence))))
    yield f"What would change this: {what}."


def _trust(evidence: Evidence) -> str:
    names, (selector, size) = evidence.trusted, evidence.cell or ("", "own")
    where = f"{percent(TRUSTED)} of the {evidence.resamples}"
    who = spoken(selector, evidence.title(selector))
    among = "selected" if size == "own" else f"among the {evidence.amount} selected"
    if not names:
        return _no_trust(evidence, where)
    each = "it is" if len(names) == 1 else "each is"
    told = f"Trust {listed(names)}: {each} {among} by {who} in at least {where}."
    return f"{told}{_stands(evidence)}"


def _stands(evidence: Evidence) -> str:
    """Say that trusted features stand for groups, where they do."""
    others = [bool((evidence.stood_for or {}).get(name)) for name in evidence.trusted]
    if not any(others):
        return ""
    who = "It stands" if len(others) == 1 else "Each stands"
    if not all(others):
        who = "Of these, one stands" if sum(others) == 1 else f"{sum(others):,} of these each stand"
    return f" {who} for a group of features that go together, named in the table."


def _no_trust(evidence: Evidence, where: str) -> str:
    if evidence.n_compared < FEWEST:
        return (
            f"No feature can be trusted yet: {evidence.resamples} cannot show what would be found "
            f"again; it takes {FEWEST} at least."
        )
    best = evidence.found.iloc[0]
    reached = f"{called(best['feature'])}, the most frequent, was in {percent(best['frequency'])}"
    if best["frequency"] >= TRUSTED:
        why = f"with so many features selected, chance alone reaches {percent(evidence.chance)}"
        return f"No feature can be trusted: {reached}, but {why}; select fewer features."
    return (
        f"No feature can be trusted: none was found in {where} ({reached}). {_steadier(evidence)}"
        "Take the table as candidates that have to be checked on new samples, not as a result."
    )


def _steadier(evidence: Evidence) -> str:
    """Say where groups are found again, though each time another member stands for them."""
    table = evidence.members
    if table is None or table["member"].iloc[0] <= evidence.found["frequency"].iloc[0]:
        return ""
    name, share = called(table["feature"].iloc[0]), percent(table["member"].iloc[0])
    return (
        "Groups come back more often than the features that stand for them: "
        f"{name} lay in one in {share}. "
    )


def _use(evidence: Evidence, choice: Recommendation) -> str:
    who = spoken(choice.selector, evidence.title(choice.selector))
    lead = "Use" if evidence.trusted else "The choice that comes out best is"
    what = f"{lead} {who} with {evidence.amount}"
    if choice.classifier is not None:
        what += f" and the classifier {called(choice.classifier)}"
    stability = "" if evidence.second is not None else _stability(choice)
    told = [part for part in (stability, _error(evidence)) if part]
    return f"{what}: {', and '.join(told)}." if told else f"{what}."


def _stability(choice: Recommendation) -> str:
    """Say how stable the selections are, where no second study tells."""
    value, _ = scaled(choice)
    usual = usual_figure(choice)
    if not usual:
        return "the stability is not known"
    return (
        f"the stability is {in_words(value)}, {usual}"
        if value is not None
        else (f"the stability is {usual}")
    )


def _error(evidence: Evidence) -> str:
    if evidence.error is None:
        return ""
    guess = share(evidence.guessing)
    return (
        f"an error of {plus_minus(*evidence.error)} is to be expected on samples not seen before "
        f"(guessing the largest class: {guess})"
    )
