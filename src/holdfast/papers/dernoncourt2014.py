"""Placeholder."""

from holdfast.papers._record import Paper

DERNONCOURT2014 = Paper(name="dernoncourt2014", title="", experiments=())
