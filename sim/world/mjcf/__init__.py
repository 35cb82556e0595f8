"""Robots read from MJCF, the engine's own form of models; no engine is needed for it."""
