"""The pictures of a report, each with a sentence on how to read it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from holdfast.errors import HoldfastError
from holdfast.report._formatting import format_feature_count
from holdfast.report._schema import NOT_KNOWN, NOTHING, Figure
from holdfast.report._second_study import WORTH_CHECKING_CHANCE, Outlook

if TYPE_CHECKING:
    from holdfast.plot import Picture
    from holdfast.report._evidence import Evidence


Cell = tuple[str, int | str]


logger = logging.getLogger(__name__)

# Limits are chosen by hand.
MAX_CHANCES, MAX_AT_CHANCE = 18, 8
"""Most features in the picture of the verdict; fewer if all of them are at chance."""
MAX_STRIPES = 5
"""Most selectors with a picture of their selections by resample."""


@dataclass(frozen=True, kw_only=True)
class FigureRequest:
    """A picture to draw, and how to read it."""

    name: str
    section: str
    draw: Callable[[], Picture]
    caption: str
    title: str | None = None
    compares_selectors: bool = False


def draw_figures(evidence: Evidence) -> list[Figure]:
    """Return the pictures that can be drawn of this result."""
    if evidence.cell is None or evidence.all_selected:
        return []  # if all features are always selected, there is nothing to see
    requests = map(partial(_name_left_out, evidence), _request_figures(evidence, evidence.cell))
    return [figure for figure in map(_draw_figure, requests) if figure is not None]


def _name_left_out(evidence: Evidence, request: FigureRequest) -> FigureRequest:
    """Add which selectors are left out to the caption of a picture of all selectors."""
    if not request.compares_selectors or not evidence.selectors_left_out:
        return request
    return replace(request, caption=f"{request.caption} {evidence.selectors_left_out}")


def _draw_figure(request: FigureRequest) -> Figure | None:
    """Draw a picture; None if the result does not allow it, or if drawing fails."""
    try:
        picture = request.draw()
        svg = picture.svg()
    except HoldfastError as error:
        logger.info("the report omits the picture %s: %s", request.name, error)
        return None
    except Exception as error:  # a failed picture must not cost the report of a long study
        logger.warning("the picture %s of the report cannot be drawn: %r", request.name, error)
        logger.debug("where drawing %s failed", request.name, exc_info=True)
        return None
    return {
        "name": request.name,
        "section": request.section,
        "title": request.title or picture.title,
        "caption": request.caption,
        "alt": picture.description,
        "svg": svg,
    }


def _request_figures(evidence: Evidence, cell: Cell) -> Iterator[FigureRequest]:
    yield from _request_chances(evidence)
    yield from _request_replication(evidence)
    yield from _request_features(evidence, cell)
    yield from _request_selectors(evidence)
    yield from _request_stripes(evidence, cell[0])


def _request_chances(evidence: Evidence) -> Iterator[FigureRequest]:
    """Yield the picture of the verdict, unless nothing is known or it would contradict it."""
    outlook = evidence.outlook
    # the verdict says that nothing can be expected, the picture would show features worth a check
    contradicts = outlook.grade == NOTHING and bool(
        outlook.features_between(WORTH_CHECKING_CHANCE, 2.0)
    )
    if outlook.grade != NOT_KNOWN and not contradicts:
        yield FigureRequest(
            name="found_again",
            section="verdict",
            draw=partial(_draw_chances, outlook, grouped=evidence.memberships is not None),
            caption="Each row is a selected feature: the mark shows the chance that a second study "
            "of the same size selects it, the line its one-sided 90% lower bound.",
        )


def _draw_chances(outlook: Outlook, *, grouped: bool) -> Picture:
    from holdfast.plot import found_again

    most = MAX_AT_CHANCE if outlook.grade == NOTHING else MAX_CHANCES
    # the level is that of single features, not of groups
    level = None if grouped else outlook.chance_level
    return found_again(outlook.table, chance_level=level, most=most)


def _request_replication(evidence: Evidence) -> Iterator[FigureRequest]:
    curve, cohorts = evidence.replication, evidence.cohorts
    if curve is not None:
        noun = evidence.unit_noun
        yield FigureRequest(
            name="replication",
            section="replication",
            draw=curve.plot,
            caption=f"How well two studies of as many {noun}s agree on the features of the "
            "selector and size above. Dots with bars were measured on disjoint parts of "
            "the data; the dashed line with its band is predicted. Where the line is low or "
            "the band is wide, a second study may find other features.",
        )
    if cohorts is not None:
        yield FigureRequest(
            name="cohorts",
            section="cohorts",
            draw=cohorts.plot,
            caption="Each line is a pair of cohorts: how well the features found in the one "
            "agree with those found in the other, next to what is expected for samples of the "
            "same sizes from all cohorts together.",
        )


def _request_features(evidence: Evidence, cell: Cell) -> Iterator[FigureRequest]:
    result = evidence.result
    yield FigureRequest(
        name="frequencies",
        section="frequencies",
        draw=lambda: result.plot_frequencies(*cell),
        caption="Each line is a feature: the dot shows in which share of the resamples of these "
        "data it was selected, the bar its 95% interval for more such resamples (Wilson's).",
    )
    if evidence.cell_frequencies["rank_low"].notna().any():
        yield FigureRequest(
            name="rank_ranges",
            section="frequencies",
            draw=lambda: result.plot_ranks(*cell),
            caption="Each line is a feature: the dot is its middle rank, the bar its rank range, "
            "which holds 90% of the resamples; 1 is the best rank. Short bars near 1 are features "
            "whose place is sure.",
        )
    if evidence.result.truth is not None:
        yield FigureRequest(
            name="truth",
            section="truth",
            draw=lambda: result.plot_truth(*cell),
            caption="Each dot is a feature: across, how strongly it truly differs between the "
            "classes; up, in which share of the resamples it was selected. In a perfect "
            "selection, the largest true effects are always found and the others never.",
        )


def _request_selectors(evidence: Evidence) -> Iterator[FigureRequest]:
    result = evidence.result
    yield FigureRequest(
        name="plane",
        section="selectors",
        draw=partial(result.plot_plane, selectors=evidence.selectors_shown),
        compares_selectors=True,
        caption="Each point is a selector with a classifier at a size: accuracy across, stability "
        "up, each with its interval. The best are at the top right; no point beats those on the "
        "stepped line in both. The Pareto front of the table counts the number of features as "
        "well, so it may hold more. The ring marks the recommended pair, if there is one.",
    )
    if len(evidence.result.selectors) > 1:
        yield from _request_similarity(evidence)
    yield FigureRequest(
        name="profiles",
        section="profile",
        draw=partial(result.plot_profiles, selectors=evidence.selectors_shown),
        compares_selectors=True,
        caption="Stability against the number of selected features. A knot is where a "
        "curve falls off: on the features added beyond it, resamples agree clearly less.",
    )


def _request_similarity(evidence: Evidence) -> Iterator[FigureRequest]:
    result, size = evidence.result, evidence.compared_size
    features = "features" if size is None else format_feature_count(size)
    if size is not None and evidence.self_sizing_selectors:
        features += " (or as many as they choose themselves)"
    yield FigureRequest(
        name="similarity",
        section="similarity",
        draw=partial(result.plot_similarity, size=size, selectors=evidence.selectors_shown),
        compares_selectors=True,
        caption=f"How similarly two selectors choose {features}, from 0 "
        "(chance) to 1 (the same features); on the diagonal, how similar each is to itself on "
        "other resamples.",
    )
    yield FigureRequest(
        name="upset",
        section="similarity",
        draw=partial(result.plot_upset, size or "own", selectors=evidence.selectors_shown),
        compares_selectors=True,
        caption="How many features are selected often by which selectors: each column is a "
        "combination of selectors, marked by the dots below it.",
    )


def _request_stripes(evidence: Evidence, first: str) -> Iterator[FigureRequest]:
    """Yield the recommended selector first, then the others."""
    result = evidence.result
    others = [name for name in evidence.result.selectors if name != first]
    for name in [first, *others][:MAX_STRIPES]:
        size = evidence.comparable_size(name)
        requested = "" if size == "own" else f" when asked for {format_feature_count(size)}"
        caption = (
            f"Each row is a resample, each column a feature that was selected{requested}. Unbroken "
            "columns are features that are always selected; scattered marks are features that "
            "come and go."
        )
        yield FigureRequest(
            name=f"stripes-{name}",
            section="stripes",
            draw=partial(result.plot_stripes, name, size),
            title=f"Selected by {evidence.selector_label(name)}",
            caption=caption
            if name == first
            else f"The same for {evidence.selector_label(name)}{requested}.",
        )
