"""The file that spark-submit runs; `python -m mqdiag.cli.common.submit` tells where it lies."""
