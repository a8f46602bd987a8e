"""Scores and rankings of features by statistics of the data, without a model."""
