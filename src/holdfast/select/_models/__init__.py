"""Selectors that fit a model of all features: penalised models, and importances of classifiers."""
