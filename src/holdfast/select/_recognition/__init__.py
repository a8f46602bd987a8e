"""How the results of third-party estimators and functions are read."""
