"""What all tests share: hypothesis profiles, and parts that may be missing."""

import importlib
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("dev", max_examples=25, deadline=None)
settings.register_profile(
    "ci",
    max_examples=100,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))

REQUIRED = {part for part in os.environ.get("HOLDFAST_REQUIRE", "").split(",") if part}
MODULES = {
    "polars": "polars",
    "parquet": "pyarrow",
    "dask": "distributed",
    "browser": "playwright.sync_api",
}


def missing(part: str, why: str):
    """Skip for want of a part, or fail where HOLDFAST_REQUIRE names it."""
    if part in REQUIRED:
        pytest.fail(f"{part} is required here, but {why}")
    pytest.skip(f"{part}: {why}")


@pytest.fixture(scope="session")
def require():
    """Return a function that imports an optional part, or skips or fails without it."""

    def load(part: str):
        try:
            return importlib.import_module(MODULES[part])
        except ImportError as error:
            return missing(part, str(error))

    return load


@pytest.fixture
def data_folder() -> Path:
    """Return the folder of real data sets, or skip or fail without it."""
    folder = os.environ.get("HOLDFAST_DATA", "")
    if not folder or not Path(folder).is_dir():
        missing("data", "HOLDFAST_DATA names no folder")
    return Path(folder)
