"""Speed, measured against peers in the same run. Never part of the tests."""
