#!/usr/bin/env bash
# Makes the secrets of an installation, once. Needs bash and openssl.
#
# Usage:
#   deploy/make-secrets.sh env [FILE]
#       settings for docker compose, to FILE (mode 600) or to standard output; a FILE that exists is left as it is:
#       deploy/make-secrets.sh env .env
#   deploy/make-secrets.sh manifest [--name NAME]
#       a Kubernetes Secret (default name: skyfolio-secrets) for the Helm chart:
#       deploy/make-secrets.sh manifest | kubectl create --namespace skyfolio --filename -
#
# Whoever applies a second set over the first signs everyone out and locks the services out of their data stores:
# `kubectl create`, other than `apply`, refuses that.
set -euo pipefail

usage() {
  sed -n '/^# Usage/,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "$0" >&2
  exit 2
}

die() {
  printf 'make-secrets: %s\n' "$1" >&2
  exit 1
}

# secret BYTES: so much randomness, as letters alone: in URLs, YAML and NATS' configuration they stand for themselves.
secret() {
  openssl rand -hex "$1" | tr 0-9 g-p
}

key() { secret 32; }
password() { secret 24; }

env_file() {
  cat <<ENV
# The secrets of this installation, made by deploy/make-secrets.sh. Keep a copy of this file with the backups.
IDENTITY_KEYS=$(key)
VOTER_KEYS=$(key)
POSTGRES_PASSWORD=$(password)
AUTH_DATABASE_PASSWORD=$(password)
MEDIA_DATABASE_PASSWORD=$(password)
FOLDERS_DATABASE_PASSWORD=$(password)
REDIS_PASSWORD=$(password)
NATS_PASSWORD=$(password)
S3_ACCESS_KEY=$(secret 10)
S3_SECRET_KEY=$(password)
GRAFANA_PASSWORD=$(password)
ENV
}

manifest() {
  cat <<YAML
apiVersion: v1
kind: Secret
metadata:
  name: $1
type: Opaque
stringData:
  identity-keys: $(key)
  voter-keys: $(key)
  postgres-password: $(password)
  redis-password: $(password)
  nats-password: $(password)
  s3-access-key: $(secret 10)
  s3-secret-key: $(password)
YAML
}

openssl rand -hex 1 >/dev/null || die 'openssl is missing or gives no random bytes'

case ${1:-} in
env)
  [ $# -le 2 ] || usage
  if [ $# -eq 1 ]; then
    env_file
  else
    [ ! -e "$2" ] || die "$2 exists and stays as it is: its secrets open the data stores. Move it away if they are to be new."
    umask 077
    set -o noclobber
    env_file >"$2"
  fi
  ;;
manifest)
  name=skyfolio-secrets
  if [ "${2:-}" = --name ] && [ $# -eq 3 ]; then name=$3; elif [ $# -ne 1 ]; then usage; fi
  [[ $name =~ ^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$ ]] || die "\"$name\" is not a name that Kubernetes takes"
  manifest "$name"
  ;;
*) usage ;;
esac
