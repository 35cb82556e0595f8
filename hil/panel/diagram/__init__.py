"""The editor of diagrams, and how it looks."""
