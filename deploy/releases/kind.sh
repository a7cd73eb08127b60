#!/usr/bin/env bash
# A cluster of kind, two images of each component in it, and the tests of deploy/checks/cluster; the cluster goes afterwards.
# Usage: kind.sh [test…], all of them without. Needs Docker, kind, kubectl and helm.
set -euo pipefail
cd "$(dirname "$0")/../.."

name=skyfolio-tests
KUBECONFIG=$(mktemp)
export KUBECONFIG
trap 'kind delete cluster --name "$name"; rm -f "$KUBECONFIG"' EXIT
kind create cluster --name "$name" --wait 120s --config - <<'YAML'
kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
nodes:
  - role: control-plane
    extraPortMappings:
      - { containerPort: 30080, hostPort: 30080, listenAddress: 127.0.0.1 }
YAML

# The second tag is what an upgrade goes to.
npm run --silent images -- --tag dev
for component in gateway auth media media-worker folders migrations; do
  docker tag "skyfolio/$component:dev" "skyfolio/$component:dev2"
  kind load docker-image --name "$name" "skyfolio/$component:dev" "skyfolio/$component:dev2"
done
npm run --silent cluster:test -- "${@:-all}"
