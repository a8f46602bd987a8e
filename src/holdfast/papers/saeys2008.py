"""Placeholder."""

from holdfast.papers._record import Paper

SAEYS2008 = Paper(name="saeys2008", title="", experiments=())
