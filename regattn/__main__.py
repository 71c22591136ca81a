"""What ``python -m regattn`` does."""

from regattn._command import main

if __name__ == "__main__":
    raise SystemExit(main())
