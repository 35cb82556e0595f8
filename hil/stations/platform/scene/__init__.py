"""Platform in space, for pictures."""
