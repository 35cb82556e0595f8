"""Pictures and the evidence page of a run."""
