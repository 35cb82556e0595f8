"""Contents of the report of a platform's run."""
