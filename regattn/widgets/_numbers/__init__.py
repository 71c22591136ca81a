"""JavaScript that computes, for several explorers: numbers in, numbers out, no document."""
