"""Pictures of stability: functions of numbers that draw, and return what they drew."""

from holdfast.plot._cohorts import cohorts
from holdfast.plot._ensemble_sizes import ensemble_sizes
from holdfast.plot._found_again import found_again
from holdfast.plot._frequencies import frequencies
from holdfast.plot._group_stability import group_stability
from holdfast.plot._neighbours import neighbours
from holdfast.plot._picture import Picture
from holdfast.plot._plane import plane
from holdfast.plot._profiles import profiles
from holdfast.plot._rank_ranges import rank_ranges
from holdfast.plot._ratios import ratios
from holdfast.plot._replication import replication
from holdfast.plot._similarity import similarity
from holdfast.plot._simulated import simulated_figure
from holdfast.plot._stability_path import stability_path
from holdfast.plot._stripes import stripes
from holdfast.plot._style import COLOURS, DARK
from holdfast.plot._theory import stability_surface
from holdfast.plot._truth import truth
from holdfast.plot._upset import upset

__all__ = [
    "COLOURS",
    "DARK",
    "Picture",
    "cohorts",
    "ensemble_sizes",
    "found_again",
    "frequencies",
    "group_stability",
    "neighbours",
    "plane",
    "profiles",
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
