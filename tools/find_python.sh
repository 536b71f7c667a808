#!/bin/sh
# Print the first command that is Python 3.11 to 3.13 and can make virtual environments: sh tools/find_python.sh [COMMAND ...]
# Without one, one sentence says what is wrong, and the exit code is 1.
[ $# -gt 0 ] || set -- python3 python3.13 python3.12 python3.11 python
is_supported='import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'
wrong="no Python was found"
for command in "$@"; do
  version=$("$command" --version 2>/dev/null) || continue
  if ! "$command" -c "$is_supported"; then
    [ "$wrong" != "no Python was found" ] || wrong="$command is $version"
  elif ! "$command" -c "import ensurepip, venv" 2>/dev/null; then
    echo "$command cannot make virtual environments: install its package venv, on Debian as root: apt-get install python3-venv" >&2
    exit 1
  else
    echo "$command"
    exit 0
  fi
done
echo "$wrong: install Python 3.11, 3.12 or 3.13, or name one, as in: make run PYTHON=/usr/bin/python3.12" >&2
exit 1
