"""Exercises of the chapter: What its heads do."""

EXERCISES = {}
