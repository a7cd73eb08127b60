#!/bin/bash
# Rejects secrets that are samples, guessable or used twice. Reads them from the environment.
set -euo pipefail

failed=0
reject() {
  printf '%s %s. New secrets: deploy/make-secrets.sh env .env\n' "$1" "$2" >&2
  failed=1
}

declare -A owner
check() { # NAME SECRET MINIMUM_LENGTH
  case ${2,,} in
  *change*me* | *example* | *sample* | *password* | *secret* | *skyfolio* | *replace* | *default* | *minioadmin*)
    reject "$1" 'is a sample value' ;;
  *)
    if [ ${#2} -lt "$3" ]; then
      reject "$1" "has fewer than $3 characters"
    elif [ "$(fold -w1 <<<"$2" | sort -u | wc -l)" -lt 8 ]; then
      reject "$1" 'repeats a few characters'
    elif [ -n "${owner[$2]:-}" ]; then
      reject "$1" "is the same as ${owner[$2]}"
    else
      owner[$2]=$1
    fi
    ;;
  esac
}

# Lists of keys: the first signs, all verify.
for name in IDENTITY_KEYS VOTER_KEYS LINK_KEYS PRINT_IMAGE_KEYS; do
  IFS=', ' read -r -a keys <<<"${!name}"
  for key in "${keys[@]}"; do check "$name" "$key" 32; done
done
for name in POSTGRES_PASSWORD AUTH_DATABASE_PASSWORD MEDIA_DATABASE_PASSWORD FOLDERS_DATABASE_PASSWORD \
  PRINT_ORDERS_DATABASE_PASSWORD REDIS_PASSWORD NATS_PASSWORD; do
  check "$name" "${!name}" 24
done
# Without a mail server of its own the installation uses the mailbox, and needs no sender.
if [ -n "${SMTP_URL:-}" ] && [ -z "${MAIL_FROM:-}" ]; then
  echo 'MAIL_FROM is missing beside SMTP_URL: the sender of mails, such as Skyfolio <no-reply@photos.example>. Add it to .env' >&2
  failed=1
fi
# Other S3 services may issue shorter ones.
check S3_SECRET_KEY "$S3_SECRET_KEY" 16
[ -z "${S3_UPLOAD_SECRET_KEY:-}" ] || check S3_UPLOAD_SECRET_KEY "$S3_UPLOAD_SECRET_KEY" 16
exit "$failed"
