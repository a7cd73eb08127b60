#!/usr/bin/env bash
# Builds the MinIO server, which the object store's contract test runs against, unless the machine has one. Needs Go.
set -euo pipefail

if [ "$(id -u)" = 0 ]; then cache=/var/cache/skyfolio; else cache="${XDG_CACHE_HOME:-$HOME/.cache}/skyfolio"; fi
for minio in "$(command -v minio || true)" "$cache/minio/minio" "${HOME:-}/go/bin/minio"; do
  if [ -x "$minio" ]; then
    echo "MinIO: $minio"
    exit 0
  fi
done
if ! command -v go >/dev/null; then
  echo "MinIO is built with Go, which is missing." >&2
  exit 1
fi
mkdir -p "$cache/minio"
GOBIN="$cache/minio" go install github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c
echo "MinIO: $cache/minio/minio"
