"""Tests of the teaching kit."""
