"""The edge cases that the docstring of every measure of subsets tabulates."""

TEN = list(range(10))
FOUR = TEN[:4]
EDGE_CASES = {
    "empty, empty": [[], []],
    "empty, 4 of 10": [[], FOUR],
    "all 10, 4 of 10": [TEN, FOUR],
    "all 10, all 10": [TEN, TEN],
    "4 of 10, the same": [FOUR, FOUR],
    "4 of 10, 4 others": [FOUR, TEN[4:8]],
}
