#!/usr/bin/env bash
# Prints where a tool of the tests stands; one that the machine lacks is built into the cache first, which needs Go.
# Usage: fetch-tool.sh minio|versitygw|k6
set -euo pipefail

tool="${1:-}"
case "$tool" in
  minio) module=github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c ;;
  versitygw) module=github.com/versity/versitygw/cmd/versitygw@v1.8.0 ;;
  k6) module=go.k6.io/k6@v1.8.1 ;;
  *)
    echo "Usage: $0 minio|versitygw|k6" >&2
    exit 2
    ;;
esac

if [ "$(id -u)" = 0 ]; then cache=/var/cache/skyfolio; else cache="${XDG_CACHE_HOME:-$HOME/.cache}/skyfolio"; fi
for program in "$(command -v "$tool" || true)" "$cache/$tool/$tool" "${HOME:-}/go/bin/$tool"; do
  if [ -x "$program" ]; then
    echo "$program"
    exit 0
  fi
done
# Where Go's own installer puts it, which not every PATH has.
PATH="$PATH:/usr/local/go/bin"
if ! command -v go >/dev/null; then
  echo "$tool is built with Go, which is missing." >&2
  exit 1
fi
mkdir -p "$cache/$tool"
GOBIN="$cache/$tool" go install "$module" >&2
echo "$cache/$tool/$tool"
