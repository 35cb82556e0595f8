"""Assembly of a run from its plan, and its header."""
