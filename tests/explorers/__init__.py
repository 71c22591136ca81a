"""For each explorer `<name>.example(**options)`, and `<name>.expected(traits) -> dict`: what it should report."""
