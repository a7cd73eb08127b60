#!/usr/bin/env bash
# Builds all images with SBOM and provenance, pushes them, and signs them in the registry by digest. There is no signing key:
# cosign uses the identity of the workflow. Usage: publish-images.sh REGISTRY TAG
# Needs Node 24, Docker with buildx, signed in to the registry, and cosign.
set -euo pipefail
cd "$(dirname "$0")/../.."

[ $# = 2 ] || { echo "Usage: $0 ghcr.io/owner v1.2.3" >&2; exit 2; }
registry=$1 tag=$2
images=$(node deploy/images/image-sources.ts)
[ -n "$images" ] || { echo "deploy/images/image-sources.ts printed no names." >&2; exit 1; }

# The default builder of the engine cannot attach attestations.
docker buildx inspect skyfolio-release >/dev/null 2>&1 || docker buildx create --name skyfolio-release --driver docker-container
export BUILDX_BUILDER=skyfolio-release
# Not through npm, which would install packages and run their scripts with access to the registry's credentials.
node deploy/images/build.ts --registry "$registry" --tag "$tag" --attest --push --source "$(git remote get-url origin)"

for name in $images; do
  image=$registry/skyfolio/$name
  digest=$(docker buildx imagetools inspect --format '{{json .Manifest}}' "$image:$tag" | jq -er .digest)
  cosign sign --yes "$image@$digest"
  echo "$image:$tag $digest"
done
