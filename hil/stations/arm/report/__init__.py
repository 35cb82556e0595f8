"""Report of an arm's run."""
