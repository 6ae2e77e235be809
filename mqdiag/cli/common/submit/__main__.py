"""Print the path of the file for spark-submit."""

from pathlib import Path

import click

if __name__ == "__main__":
    click.echo(Path(__file__).with_name("mqdiag_fleet.py"))
