"""Without a window: plain Python and arrays, no Qt."""
