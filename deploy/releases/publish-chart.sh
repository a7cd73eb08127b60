#!/usr/bin/env bash
# Lints and packages the chart of a release; with a registry it is pushed there as an OCI artifact and signed by digest.
# Usage: publish-chart.sh VERSION [oci://REGISTRY/PATH]. Pushing needs `helm registry login` and cosign.
set -euo pipefail
cd "$(dirname "$0")/../.."

[ $# -ge 1 ] || { echo "Usage: $0 1.2.3 [oci://ghcr.io/owner/charts]" >&2; exit 2; }
version=${1#v} registry=${2:-}
helm=$(services/testkit/scripts/fetch-tool.sh helm)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for values in helm/skyfolio/ci/*-values.yaml; do
  "$helm" lint --strict helm/skyfolio --values "$values"
done
"$helm" package helm/skyfolio --version "$version" --app-version "v$version" --destination "$folder"
[ -n "$registry" ] || exit 0

output=$("$helm" push "$folder/skyfolio-$version.tgz" "$registry" 2>&1)
echo "$output"
digest=$(grep -oE 'sha256:[0-9a-f]{64}' <<<"$output" | head -1)
cosign sign --yes "${registry#oci://}/skyfolio@$digest"
