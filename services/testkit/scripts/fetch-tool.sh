#!/usr/bin/env bash
# Prints where a tool of the tests stands; one that the machine lacks is built into the cache first, which needs Go. With --find
# it exits with 1 instead.
# Usage: fetch-tool.sh [--find] minio|versitygw|k6|helm|kubeconform|actionlint
set -euo pipefail

find_only=
if [ "${1:-}" = --find ]; then
  find_only=yes
  shift
fi

# Charts render differently under another Helm: those two, and the checkers, are always of these versions and never the machine's.
tool="${1:-}"
pinned=
case "$tool" in
  minio) module=github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c ;;
  versitygw) module=github.com/versity/versitygw/cmd/versitygw@v1.8.0 ;;
  k6) module=go.k6.io/k6@v1.8.1 ;;
  helm) module=helm.sh/helm/v3/cmd/helm@v3.22.0 pinned=yes ;;
  kubeconform) module=github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0 pinned=yes ;;
  actionlint) module=github.com/rhysd/actionlint/cmd/actionlint@v1.7.12 pinned=yes ;;
  *)
    echo "Usage: $0 [--find] minio|versitygw|k6|helm|kubeconform|actionlint" >&2
    exit 2
    ;;
esac

if [ "$(id -u)" = 0 ]; then cache=/var/cache/skyfolio; else cache="${XDG_CACHE_HOME:-$HOME/.cache}/skyfolio"; fi
folder="$cache/$tool-${module##*@v}"
places=("$folder/$tool")
[ -n "$pinned" ] || places=("$(command -v "$tool" || true)" "${places[@]}" "${HOME:-}/go/bin/$tool")
for program in "${places[@]}"; do
  if [ -x "$program" ]; then
    echo "$program"
    exit 0
  fi
done
[ -z "$find_only" ] || exit 1
# Where Go's own installer puts it, which not every PATH has.
PATH="$PATH:/usr/local/go/bin"
if ! command -v go >/dev/null; then
  echo "$tool is built with Go, which is missing." >&2
  exit 1
fi
mkdir -p "$folder"
# Built aside, so that what stands under the name is whole, whoever else builds it now.
aside=$(mktemp -d "$folder/build.XXXXXX")
trap 'rm -rf "$aside"' EXIT
GOBIN="$aside" go install -ldflags '-s -w' "$module" >&2
mv "$aside"/* "$folder/$tool"
echo "$folder/$tool"
