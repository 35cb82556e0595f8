"""A diagram at work: computed each tick, changed, watched and recorded."""
