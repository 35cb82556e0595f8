"""Pictures, films and live windows of a world."""
