"""Placeholder."""

from holdfast.papers._record import Paper

KALOUSIS2005 = Paper(name="kalousis2005", title="", experiments=())
