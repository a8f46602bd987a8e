"""Selectors that combine runs on many resamples: ensembles and stability selection."""
