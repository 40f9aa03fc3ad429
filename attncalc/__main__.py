"""`python -m attncalc`, and what the command `attncalc` runs."""

import sys


def main() -> None:
    """Run the program; an interrupt while it is being imported ends it like any other interrupt."""
    try:
        from attncalc.cli import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
