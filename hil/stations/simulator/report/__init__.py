"""Report of a ride."""
