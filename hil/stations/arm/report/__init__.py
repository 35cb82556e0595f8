"""What the report of an arm's run shows."""
