"""`python -m rosewood` is the command `rosewood`."""

from rosewood.cli import main

if __name__ == "__main__":
    main()
