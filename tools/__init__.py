"""What makes and keeps the book: its launcher, its pins, its ledger. Nothing here is part of the package."""
