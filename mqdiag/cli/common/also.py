"""`--also FORMAT=FILE`: one diagnosis, written in several formats."""

from __future__ import annotations

from mqdiag.cli.common.options import CommonOptions
from mqdiag.cli.common.output import Target
from mqdiag.errors import UsageError
from mqdiag.render import formats
from mqdiag.spelling import did_you_mean, nearest
from mqdiag.text import say


def also_targets(options: CommonOptions) -> list[tuple[str, Target]]:
    """The formats with their places, checked before the work begins.

    Raises:
        UsageError: a format that is none, standard output, or the same file twice.
    """
    found = []
    taken = {options.output, options.write_baseline}
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
        if file == "-" or file in taken:
            raise UsageError(
                say("--also {given}: name a file that nothing else is written to", given=repr(given))
            )
        taken.add(file)
        found.append((name, Target(file, "--also")))
    return found
