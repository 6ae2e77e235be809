#!/bin/sh
# Prints the working folder of process $1, then `file FLAGS PATH` for each open file; flags are octal.
cd "/proc/$1/fd" || exit
printf 'folder %s\n' "$(readlink ../cwd)"
for number in *; do
    path=$(readlink "$number") || continue
    case $path in
        /*) printf 'file %s %s\n' "$(sed -n 's/^flags:[[:space:]]*//p' "../fdinfo/$number")" "$path" ;;
    esac
done 2>/dev/null
true
