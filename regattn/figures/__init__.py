"""Figures: every function draws numbers it is given and returns the Axes; none computes a model."""
