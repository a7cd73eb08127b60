#!/usr/bin/env bash
# Copies the ledger of deletions beside the backups, so that it is newer than they are. Usage: copy-ledger.sh FOLDER
# Settings as for backup.sh; no database is needed. Entries are small and never change: run it every few minutes.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[ $# = 1 ] || die "Usage: $0 FOLDER"
need rclone
umask 077
objects=${OBJECTS_BACKUP:-$1/objects}
live=$(live_objects)
entries=$(list_objects "$live" | grep -c '^deletions/' || true)
[ "$entries" = 0 ] || rclone_quiet copy "$live/deletions" "$objects/deletions"
say "$entries deletions in the ledger"
