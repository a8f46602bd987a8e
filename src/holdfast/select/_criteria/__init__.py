"""How good a subset of features is: the accuracy of a classifier that sees no others."""
