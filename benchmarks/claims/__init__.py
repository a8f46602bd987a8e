"""Claims that users read, each tested by simulation with known truth: ``make calibrate``."""
