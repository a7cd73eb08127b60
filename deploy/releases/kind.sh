#!/usr/bin/env bash
# Creates a cluster with kind, loads two images of each component, runs the tests of deploy/checks/cluster, and deletes the
# cluster. Usage: kind.sh [test…], all without arguments. Needs Node 24, Docker, kind, kubectl and helm.
set -euo pipefail
cd "$(dirname "$0")/../.."

name=skyfolio-tests
images=$(node deploy/images/image-sources.ts)
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
      - { containerPort: 30090, hostPort: 30090, listenAddress: 127.0.0.1 }
YAML

# The upgrade goes to the second tag.
npm run --silent ops -- images --tag dev
for image in $images; do
  docker tag "skyfolio/$image:dev" "skyfolio/$image:dev2"
  kind load docker-image --name "$name" "skyfolio/$image:dev" "skyfolio/$image:dev2"
done
npm run --silent check -- cluster:test "${@:-all}"
