"""The command line; each command is a file of this package, imported when it is called."""


def main() -> None:
    """Run the command line."""
    raise SystemExit(4)
