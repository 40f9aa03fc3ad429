"""`python -m attncalc`"""

from attncalc.cli import main

main()
