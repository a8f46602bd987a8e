"""What a study keeps: the folder, the SQLite store, merging and exporting."""
