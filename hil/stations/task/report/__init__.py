"""Summary and page of a task."""
