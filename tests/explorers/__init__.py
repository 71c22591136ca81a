"""What each explorer should report, from the package: `<name>.expected(traits) -> dict` for `<Name>Explorer`."""
