"""`python -m mqdiag`."""

from mqdiag.cli import main

if __name__ == "__main__":
    main()
