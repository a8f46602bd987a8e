"""Plotting functions: each draws a table of numbers and returns a `Picture`."""

from holdfast.plot._consistency_bounds import consistency_bounds
from holdfast.plot._curves import cohorts, ensemble_sizes, profiles, replication
from holdfast.plot._features import found_again, frequencies, rank_ranges
from holdfast.plot._groups import group_stability, neighbours
from holdfast.plot._picture import Picture
from holdfast.plot._published_values import published_values
from holdfast.plot._sample_ratios import ratios
from holdfast.plot._selections import stripes, upset
from holdfast.plot._selectors import plane, similarity
from holdfast.plot._simulated import simulated_figure
from holdfast.plot._stability_path import stability_path
from holdfast.plot._style import COLOURS, DARK
from holdfast.plot._theory import stability_surface
from holdfast.plot._truth import truth

__all__ = [
    "COLOURS",
    "DARK",
    "Picture",
    "cohorts",
    "consistency_bounds",
    "ensemble_sizes",
    "found_again",
    "frequencies",
    "group_stability",
    "neighbours",
    "plane",
    "profiles",
    "published_values",
    "rank_ranges",
    "ratios",
    "replication",
    "similarity",
    "simulated_figure",
    "stability_path",
    "stability_surface",
    "stripes",
    "truth",
    "upset",
]
