"""Placeholder."""

from holdfast.papers._record import Paper

YU2008 = Paper(name="yu2008", title="", experiments=())
