"""`python -m attncalc`, and what the command `attncalc` runs."""

import os
import sys


def main() -> None:
    """Run the program; an interrupt while it is being imported ends it like any other interrupt."""
    # Idle threads of NumPy's linear algebra spin, a tenth of a second on every core; here they sleep at once.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    try:
        from attncalc.cli import main as run
    except KeyboardInterrupt:
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
