"""Count the files and functions that a call touches, and how deep it goes.

``python tools/walks.py`` prints a table: for each walk the number of distinct functions and files
of holdfast, of steps from one file to another, and the largest number of its frames on the stack.
Each walk is run once before, so that imports and compiled kernels do not count; comprehensions and
lambdas are not counted. ``result.report`` starts from a new result that has computed nothing yet,
of a study that was just run, or of one that is loaded from its folder and reads its data again.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

import holdfast as hf
from holdfast.cli import main as command

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

SOURCE = str(Path(hf.__file__).parent)


class Trace:
    """What a call touches."""

    def __init__(self) -> None:
        self.functions: set[tuple[str, str]] = set()
        self.steps: set[tuple[str, str]] = set()
        self.deepest = 0
        self._stack: list[str] = []

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """Follow one call or return."""
        code = frame.f_code
        if not code.co_filename.startswith(SOURCE) or code.co_name.startswith("<"):
            return
        if event == "call":
            self.functions.add((code.co_filename, code.co_qualname))
            if self._stack and self._stack[-1] != code.co_filename:
                self.steps.add((self._stack[-1], code.co_filename))
            self._stack.append(code.co_filename)
            self.deepest = max(self.deepest, len(self._stack))
        elif event == "return" and self._stack:
            self._stack.pop()

    @property
    def files(self) -> set[str]:
        """The files that were touched."""
        return {path for path, _ in self.functions}


def trace(call: Callable[[Any], object], prepare: Callable[[], Any] = lambda: None) -> Trace:
    """Run a call twice, each time on what `prepare` returns, and follow it the second time."""
    call(prepare())
    argument = prepare()
    walk = Trace()
    sys.setprofile(walk)
    try:
        call(argument)
    finally:
        sys.setprofile(None)
    return walk


def write_table(folder: Path) -> Path:
    """Write a small data set."""
    rng = np.random.default_rng(0)
    labels = np.arange(60) % 2
    table = pd.DataFrame(rng.normal(size=(60, 30)) + 1.2 * labels[:, None] * (np.arange(30) < 5))
    table.columns = [f"gene{column}" for column in table.columns]
    path = folder / "data.csv"
    table.assign(**{"class": np.where(labels, "ill", "well")}).to_csv(path, index=False)
    return path


def run_study(data: Path) -> Path:
    """Run ``holdfast study`` in a new folder, in this process; return the folder."""
    folder = Path(tempfile.mkdtemp(dir=data.parent)) / "study"
    with contextlib.redirect_stdout(io.StringIO()):
        command(
            [
                "study",
                str(data),
                "--selectors",
                "f_score,t_score",
                "--sizes",
                "5",
                "--out",
                str(folder),
                "--protocol",
                "subsampling:n_resamples=10",
                "--replication",
                "4",
                "--n-jobs",
                "1",
                "--quiet",
            ],
            standalone_mode=False,
        )
    return folder


def main() -> int:
    """Trace all walks and print the table."""
    warnings.simplefilter("ignore")
    subsets = hf.Subsets([[0, 1, 2], [0, 1, 3], [0, 2, 3]], n_features=20)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 20)), np.arange(40) % 2
    with tempfile.TemporaryDirectory() as name:
        data = write_table(Path(name))
        folder = run_study(data)
        study = hf.Study(["f_score", "t_score"], protocol=hf.Subsampling(10), sizes=[5])
        page = Path(name) / "page"

        def new_result() -> hf.Result:
            return study.run(hf.io.read_data(data), n_jobs=1)

        rows = {
            "hf.Subsets([...])": trace(lambda _: hf.Subsets([[0, 1], [1, 2]], n_features=9)),
            'hf.measure("jaccard", subsets)': trace(lambda _: hf.measure("jaccard", subsets)),
            "hf.ReliefF().fit(X, y)": trace(lambda _: hf.ReliefF().fit(X, y)),
            "hf.FScore().fit(X, y)": trace(lambda _: hf.FScore().fit(X, y)),
            "result.recommend()": trace(lambda result: result.recommend(), new_result),
            "result.report(...)": trace(lambda result: result.report(page), new_result),
            "hf.load(folder).report(...)": trace(lambda _: hf.load(folder).report(page)),
            "holdfast study data.csv": trace(lambda _: run_study(data)),
        }
    print(f"{'walk':32} {'functions':>9} {'files':>6} {'steps':>6} {'deepest':>8}")
    for name, walk in rows.items():
        counts = (len(walk.functions), len(walk.files), len(walk.steps), walk.deepest)
        print(f"{name:32} {counts[0]:9,} {counts[1]:6,} {counts[2]:6,} {counts[3]:8,}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
