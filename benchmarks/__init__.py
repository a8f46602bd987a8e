"""Speed and peak memory of holdfast, against its peers; `python -m benchmarks` runs all rows."""
