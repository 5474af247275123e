#!/usr/bin/env bash
# The inbox page in a headless Chromium, against the local runtime. Takes the browser that CHROMIUM names or that is
# installed; where there is none and Debian's package can be had, installs that. Says "skipped: ..." and ends with 0 where
# there is no browser to be had.
#
#   test/inbox/browser/run.sh                  all scenarios
#   test/inbox/browser/run.sh -t 'two tabs'    some of them, as vitest takes it
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

skip() {
  echo "skipped: $1"
  exit 0
}

installed() {
  local candidate
  for candidate in ${CHROMIUM:-} chromium chromium-browser google-chrome-stable google-chrome; do
    if command -v "$candidate" >/dev/null && "$candidate" --version >/dev/null 2>&1; then
      command -v "$candidate"
      return 0
    fi
  done
  return 1
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

install() {
  command -v apt-get >/dev/null || skip 'there is no Chromium, and no apt-get to install it'
  [ "$(id -u)" = 0 ] || sudo -n true >/dev/null 2>&1 || skip 'there is no Chromium, and only root may install it'
  as_root apt-get update -qq >"$work/apt.log" 2>&1 || skip "packages cannot be listed: $(tail -n 1 "$work/apt.log")"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium \
    >"$work/apt.log" 2>&1 || skip "Chromium cannot be installed: $(tail -n 1 "$work/apt.log")"
}

CHROMIUM=$(installed) || {
  install
  CHROMIUM=$(installed) || skip 'the Chromium that was installed does not start'
}
export CHROMIUM
echo "browser: $("$CHROMIUM" --version 2>/dev/null)"
npx vitest run --config "$here/vitest.config.ts" "$@"
