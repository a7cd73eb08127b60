#!/usr/bin/env bash
# Prints the directory of prometheus and promtool. If they are missing on Debian, they are extracted from its package into a
# cache: installing the package would also start a system-wide Prometheus.
set -euo pipefail

if [ "$(id -u)" = 0 ]; then cache=/var/cache/skyfolio; else cache="${XDG_CACHE_HOME:-$HOME/.cache}/skyfolio"; fi
for directory in "$(dirname "$(command -v prometheus || echo /none/prometheus)")" "$cache/prometheus/usr/bin"; do
  if [ -x "$directory/prometheus" ] && [ -x "$directory/promtool" ]; then
    echo "$directory"
    exit 0
  fi
done
if ! command -v apt-get >/dev/null; then
  echo "prometheus and promtool are missing: install Prometheus 2.42 or later." >&2
  exit 1
fi
mkdir -p "$cache"
# Extracted into a temporary directory and then renamed, so that concurrent runs never see an incomplete one.
temporary=$(mktemp -d "$cache/prometheus.XXXXXX")
trap 'rm -rf "$temporary"' EXIT
chmod 755 "$temporary"
cd "$temporary"
if ! apt-get download -qq prometheus >/dev/null 2>&1; then
  if [ "$(id -u)" = 0 ]; then apt-get update -qq >&2; else sudo -n apt-get update -qq >&2; fi
  apt-get download -qq prometheus >&2
fi
dpkg-deb --extract prometheus_*.deb files
rm -rf "$cache/prometheus"
mv files "$cache/prometheus"
echo "$cache/prometheus/usr/bin"
