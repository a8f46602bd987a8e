"""Is each feature's chance to be found again calibrated? Data sets with known truth."""
