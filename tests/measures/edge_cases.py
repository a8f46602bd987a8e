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
RANKINGS = {
    "a ranking, the same": [[1, 2, 3, 4], [1, 2, 3, 4]],
    "a ranking, reversed": [[1, 2, 3, 4], [4, 3, 2, 1]],
    "all tied, a ranking": [[1, 1, 1, 1], [1, 2, 3, 4]],
    "all tied, all tied": [[1, 1, 1, 1], [1, 1, 1, 1]],
    "one feature, the same": [[1], [1]],
}
WEIGHTS = {
    "weights, the same": [[4.0, 2.0, 1.0], [4.0, 2.0, 1.0]],
    "weights, negated": [[4.0, 2.0, 1.0], [-4.0, -2.0, -1.0]],
    "constant, weights": [[3.0, 3.0, 3.0], [4.0, 2.0, 1.0]],
    "one feature, the same": [[1.0], [1.0]],
}
GROUPS = {
    "groups, the same": [[[0, 1], [2]], [[0, 1], [2]]],
    "groups, without one": [[[0, 1], [2]], [[0, 1]]],
    "groups, others": [[[0, 1]], [[2]]],
    "groups, none": [[[0, 1], [2]], []],
}
# feature 2 is uncorrelated with the others, whose mean is half their common direction
DATA = [[1.0, 2.0, 1.0, 4.0], [2.0, 4.0, -2.0, 4.0], [3.0, 6.0, 1.0, 4.0]]
