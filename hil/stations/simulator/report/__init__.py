"""What a page shows of a ride."""
