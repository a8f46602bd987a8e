"""Small studies for the tests of the command line."""

from __future__ import annotations

import json

from click.testing import CliRunner

from holdfast.cli import main

SMALL = [
    "@wine",
    "--selectors=f_score,relieff:n_neighbors=3",
    "--protocol=subsampling:n_resamples=6,train_size=0.8",
    "--sizes=3,0.5",
    "--classifiers=knn3",
    "--n-jobs=1",
]


def run(*arguments):
    """Run a command in this process."""
    return CliRunner().invoke(main, list(map(str, arguments)), prog_name="holdfast")


def document(result):
    """Return the JSON that a command printed, without where it was run."""
    return {
        key: value
        for key, value in json.loads(result.stdout).items()
        if key not in ("folder", "files")
    }
