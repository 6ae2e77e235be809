"""`--also FORMAT=FILE`: one diagnosis, written in several formats."""

from __future__ import annotations

import os

from mqdiag.cli.common.options import CommonOptions
from mqdiag.cli.common.output import Target
from mqdiag.errors import UsageError
from mqdiag.render import formats
from mqdiag.spelling import did_you_mean, nearest
from mqdiag.text import say


def also_targets(options: CommonOptions, inputs: tuple[str, ...]) -> list[tuple[str, Target]]:
    """The formats with their places, checked before the work begins.

    Args:
        options: the common options.
        inputs: files and folders that the run reads.

    Raises:
        UsageError: a format that is none, standard output, the same file twice, or evidence.
    """
    found = []
    taken = {os.path.realpath(name) for name in (options.output, options.write_baseline) if name is not None}
    for given in options.also:
        name, equals, file = given.partition("=")
        if not equals:
            raise UsageError(
                say("--also {given} is not FORMAT=FILE, such as junit=build/mqdiag.xml", given=repr(given))
            )
        if name not in formats():
            near = nearest(name, formats())
            problem = say("--also {given}: there is no format {name}", given=repr(given), name=repr(name))
            there_are = say("{problem}; there are {formats}", problem=problem, formats=formats())
            raise UsageError(did_you_mean(problem, near) if near else there_are)
        if file == "-" or os.path.realpath(file) in taken:
            raise UsageError(
                say("--also {given}: name a file that nothing else is written to", given=repr(given))
            )
        taken.add(os.path.realpath(file))
        found.append((name, Target(file, "--also", inputs)))
    return found
