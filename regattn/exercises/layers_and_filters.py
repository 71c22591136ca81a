"""Exercises of the chapter: Layers and filters."""

EXERCISES = {}
