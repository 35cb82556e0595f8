"""What the report of a platform's run shows."""
