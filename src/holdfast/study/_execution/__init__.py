"""Running the units of a plan: here, in local processes, or on a Dask cluster."""
