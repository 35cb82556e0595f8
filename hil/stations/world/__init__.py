"""Virtual environment: robots from documents in a physics engine."""
