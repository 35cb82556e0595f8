"""What the panel shows, without a window: plain Python and arrays, no Qt."""
