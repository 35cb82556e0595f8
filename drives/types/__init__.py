"""Types of CANopen drives: what one has, counts in and lacks, and its electronic data sheet."""
