"""The scripts for the other side, for a POSIX shell with the commands of busybox.

They change nothing there. The one that takes a heap dump makes a file and removes it, also when the connection is lost.
"""

from __future__ import annotations

_FIND_TOOL = r"""
unset JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS
find_tool() {
    program=$(readlink "/proc/$1/exe") || program=
    for folder in "${program%/*}" "${program%/jre/bin/*}/bin" "${JAVA_HOME:+$JAVA_HOME/bin}"; do
        if [ -n "$folder" ] && [ -x "$folder/$2" ]; then
            echo "$folder/$2"
            return
        fi
    done
    command -v "$2"
}
"""

LIST_JVMS = r"""
echo "host $(hostname)"
for process in /proc/[0-9]*; do
    if grep -q '/libjvm\.so' "$process/maps" 2>/dev/null; then kind=jvm
    elif [ "$(cat "$process/comm" 2>/dev/null)" = java ]; then kind=denied
    else continue
    fi
    echo "$kind ${process#/proc/} $(stat -c %U "$process")"
    tr '\0' '\n' < "$process/cmdline" | sed 's/^/argument /'
    cat "$process"/task/*/comm 2>/dev/null | sort -u | sed 's/^/thread /'
done
true
"""
"""prints `jvm PID USER` or `denied PID USER`, then a line for each argument and each name of a thread"""

END_OF_TIMES = b"mqdiag: end of the CPU times\n"
THREAD_DUMP = (
    _FIND_TOOL
    + r"""
(cd "/proc/$1/task" && grep -E '^[0-9]+ [0-9]+ |^NSpid|ctxt' ./*/schedstat ./*/status) 2>/dev/null
echo 'mqdiag: end of the CPU times'
if tool=$(find_tool "$1" jcmd); then "$tool" "$1" Thread.print -l </dev/null
elif tool=$(find_tool "$1" jstack); then "$tool" -l "$1" </dev/null
else
    echo "there is no jcmd and no jstack there" >&2
    exit 127
fi
"""
)
"""shell lines that take a thread dump of process $1; its threads' CPU times and switches come first, up to a line that
ends them"""

JCMD = (
    _FIND_TOOL
    + r"""
if ! tool=$(find_tool "$1" jcmd); then
    echo "there is no jcmd there" >&2
    exit 127
fi
"$tool" "$@" </dev/null
"""
)
"""process $1, then the words of the question"""

OPEN_FILES = r"""
cd "/proc/$1/fd" || exit
printf 'folder %s\n' "$(readlink ../cwd)"
for number in *; do
    path=$(readlink "$number") || continue
    case $path in
        /*) printf 'file %s %s\n' "$(sed -n 's/^flags:[[:space:]]*//p' "../fdinfo/$number")" "$path" ;;
    esac
done 2>/dev/null
true
"""
"""shell lines for process $1 that print its working folder, then `file FLAGS PATH` for each; flags are octal"""

FILES = r"""
for log; do
    stat -c '%Y|%F|%s|%n' "$log"
    printf '%s\0' "${log%.log}"* | xargs -0 stat -c '%Y|%F|%s|%n' | sort -rn | head -n 100
done 2>/dev/null
true
"""
"""time, kind, size and path of each log, and of the 100 newest files beside it that begin with its name

A folder may have more files than the arguments of one command take, so `printf`, which is part of the shell, gives them
to xargs.
"""

END_OF_FILE = r"""
[ -r "$1" ] || { echo "this user may not read it" >&2; exit 1; }
if [ "$3" = cut ]; then tail -c "$2" "$1" | tail -n +2
else tail -c "$2" "$1"
fi
"""
"""the last $2 bytes of file $1, without the first line where $3 is `cut`"""

NEW_BYTES = r"""
text=$1 most=$2
shift 2
while [ $# -gt 2 ]; do
    size=$(stat -c %s "$1") || size=0
    begin=$3
    if [ "$size" -lt "$2" ]; then begin=0; fi
    if [ $((size - begin)) -gt "$most" ]; then begin=$((size - most)); fi
    if [ "$size" -gt "$begin" ] && tail -c +$((begin + 1)) "$1" | grep -q -F -e "$text"; then echo "$size found"
    else echo "$size none"
    fi
    shift 3
done 2>/dev/null
true
"""
"""text $1 in at most $2 bytes of each log that follows: its path, up to which byte it was searched, from which byte on
it is searched now; prints the size of each, and whether its new bytes have the text. A log that is smaller now was
started again and is searched from its first byte"""

FREE_KIB = r"""
df -P -k /tmp | tail -n 1
"""

HEAP_DUMP = (
    _FIND_TOOL
    + r"""
tool=$(find_tool "$1" jcmd) || exit 127
process=$1
dump=/tmp/mqdiag-$1-$2.hprof
shift 2
trap 'rm -f "$dump"' EXIT
trap 'exit 1' HUP INT TERM PIPE
answer=$("$tool" "$process" GC.heap_dump "$@" "$dump" </dev/null 2>&1) || { echo "$answer" >&2; exit 1; }
if [ ! -f "$dump" ] || ! echo "$answer" | grep -q 'created'; then
    echo "$answer" | tail -n 1 >&2
    exit 1
fi
stat -c %s "$dump"
cat "$dump"
"""
)
"""shell lines that take a heap dump of process $1, by way of a file with $2 in its name, with the options that follow;
prints its size, then the dump"""
