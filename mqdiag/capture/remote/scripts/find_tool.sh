#!/bin/sh
# Finds a tool of the JDK of process $1; stands before each script that calls it.
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
