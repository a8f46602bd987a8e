"""Speed and peak memory of holdfast, beside its peers; `python -m benchmarks` runs all rows."""
