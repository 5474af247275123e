#!/usr/bin/env bash
# The worked example with the official Python SDK as the caller. Needs Python 3.10 or newer with venv, and a package index;
# says "skipped: ..." and ends with 0 where there is none. Installs into a folder of its own and leaves nothing behind.
#
#   test/interop/python/run.sh        starts the expense agent itself
#   test/interop/python/run.sh URL    calls the one that runs there
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../../.."
work=$(mktemp -d)
server=

stop() {
  if [ -n "$server" ]; then
    kill -TERM -- "-$server" 2>/dev/null || true
    for _ in $(seq 50); do
      kill -0 -- "-$server" 2>/dev/null || break
      sleep 0.2
    done
    kill -KILL -- "-$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  fi
  rm -rf "$work"
}
trap stop EXIT

skip() {
  echo "skipped: $1"
  exit 0
}

python=
for candidate in python3 python; do
  if "$candidate" -c 'import sys, venv; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1; then
    python=$candidate
    break
  fi
done
[ -n "$python" ] || skip 'there is no Python 3.10 or newer with venv'
"$python" -m venv "$work/venv" >"$work/venv.log" 2>&1 || skip "no virtual environment can be made: $(tail -n 1 "$work/venv.log")"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check --retries 1 --timeout 20 -r "$here/requirements.txt" \
  >"$work/pip.log" 2>&1 || skip "the Python SDK cannot be installed: $(grep -m 1 ERROR "$work/pip.log" || tail -n 1 "$work/pip.log")"

url=${1:-}
if [ -z "$url" ]; then
  # In a process group of its own, so that npm, its shell and Node end together.
  set -m
  npm start --silent -- --port 0 --data "$work/data" >"$work/server.log" 2>&1 &
  server=$!
  set +m
  for _ in $(seq 150); do
    url=$(sed -n 's/^Askback is ready on //p' "$work/server.log")
    [ -z "$url" ] || break
    sleep 0.2
  done
  if [ -z "$url" ]; then
    cat "$work/server.log"
    echo 'the agent was not ready within 30 s'
    exit 1
  fi
fi
"$work/venv/bin/python" "$here/worked_example.py" "$url"
