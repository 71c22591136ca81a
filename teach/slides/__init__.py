"""Decks of slides from the chapters: `rule` chooses what stands on a slide, `builder` writes what the book has read."""
