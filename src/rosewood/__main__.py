"""The command `rosewood`, also as `python -m rosewood`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command; Ctrl-C ends it with code 130 from the first import on."""
    try:
        from rosewood import cli

        cli.main()
    except KeyboardInterrupt:
        print("rosewood: stopped", file=sys.stderr)
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
