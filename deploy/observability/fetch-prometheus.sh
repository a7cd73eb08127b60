#!/usr/bin/env bash
# Prints the folder of prometheus and promtool. On Debian, where they are missing, they are taken out of its package into the
# cache: installing that would also start a Prometheus of the machine's own.
set -euo pipefail

if [ "$(id -u)" = 0 ]; then cache=/var/cache/skyfolio; else cache="${XDG_CACHE_HOME:-$HOME/.cache}/skyfolio"; fi
for folder in "$(dirname "$(command -v prometheus || echo /none/prometheus)")" "$cache/prometheus/usr/bin"; do
  if [ -x "$folder/prometheus" ] && [ -x "$folder/promtool" ]; then
    echo "$folder"
    exit 0
  fi
done
if ! command -v apt-get >/dev/null; then
  echo "prometheus and promtool are missing: install Prometheus 2.42 or later." >&2
  exit 1
fi
mkdir -p "$cache"
# Taken out aside, so that what stands under the name is whole, whoever else fetches it now.
aside=$(mktemp -d "$cache/prometheus.XXXXXX")
trap 'rm -rf "$aside"' EXIT
chmod 755 "$aside"
cd "$aside"
if ! apt-get download -qq prometheus >/dev/null 2>&1; then
  if [ "$(id -u)" = 0 ]; then apt-get update -qq >&2; else sudo -n apt-get update -qq >&2; fi
  apt-get download -qq prometheus >&2
fi
dpkg-deb --extract prometheus_*.deb files
rm -rf "$cache/prometheus"
mv files "$cache/prometheus"
echo "$cache/prometheus/usr/bin"
