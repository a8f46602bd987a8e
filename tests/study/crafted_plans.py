"""Folders of studies whose plans were changed by somebody else, and what must not happen then."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
from contextlib import closing, contextmanager
from pathlib import Path

import holdfast as hf
from holdfast.study._storage._checksums import store_plan_checksum
from holdfast.study._storage._store import FILE
from tests.study.small_data import small_data

X, Y = small_data(6)
ATTEMPTS: list[tuple[str, str]] = []
"""What Python's audit events reported while `attempts` was active: the event and its subject."""
WATCHED = {"import", "os.system", "subprocess.Popen", "pickle.find_class", "ctypes.dlopen"}
_active = [False]


def _listen(event, arguments):
    if _active[0] and event in WATCHED:
        ATTEMPTS.append((event, str(arguments[0])))


sys.addaudithook(_listen)


@contextmanager
def attempts():
    """Yield the list of everything imported, and of everything else that is watched."""
    ATTEMPTS.clear()
    _active[0] = True
    try:
        yield ATTEMPTS
    finally:
        _active[0] = False


def named(path, **parameters):
    """Return the serialized form of an object of a class."""
    return {"class": path, "parameters": parameters}


def wrapped(estimator):
    """Return a selector that wraps a serialized estimator or function."""
    return named("holdfast.select:AnySelector", estimator=estimator)


def write_study(folder, **options):
    """Run a small study to its end."""
    settings = {"protocol": hf.Subsampling(4, 0.8), "replication": 0, **options}
    study = hf.Study("f_score", sizes=[2], classifiers=["knn3"], **settings)
    study.run(X, Y, out=folder, n_jobs=1).store.close()


def copy_with(source: Path, folder: Path, *, text: str | None = None, **objects) -> Path:
    """Copy a study with other objects in its plan: selector, classifier, protocol; or its text."""
    shutil.copytree(source, folder)
    with closing(sqlite3.connect(folder / FILE)) as store, store:
        plan = json.loads(store.execute("SELECT value FROM facts WHERE name='plan'").fetchone()[0])
        for part, document in objects.items():
            owner = plan["protocol"] if part == "protocol" else plan[f"{part}s"][0]
            owner["object"] = document
        new = json.dumps(plan) if text is None else text
        store.execute("UPDATE facts SET value = ? WHERE name = 'plan'", (new,))
        store_plan_checksum(store)  # whoever crafts a plan can write its checksum, too
    return folder
