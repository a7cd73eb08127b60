#!/usr/bin/env bash
# Keeps the newest backups in a folder. Removes the others, the objects that neither a kept backup nor the running system
# needs, and remains of killed backups. The ledger of deletions stays. Usage: prune.sh FOLDER KEEP. Settings as for backup.sh. Never run it during a backup.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[ $# = 2 ] && [ -d "$1" ] && [[ $2 =~ ^[1-9][0-9]*$ ]] || die "Usage: $0 FOLDER KEEP (1 or more)"
need psql rclone
folder=$1 keep=$2
objects=${OBJECTS_BACKUP:-$folder/objects}
live=$(live_objects)
shopt -s nullglob

runs=("$folder"/????-??-??T??????Z)
[ ${#runs[@]} -gt 0 ] || die "There is no backup in $folder."
old=("${runs[@]:0:$((${#runs[@]} > keep ? ${#runs[@]} - keep : 0))}")
kept=("${runs[@]:${#old[@]}}")
[ ${#old[@]} = 0 ] || rm -r "${old[@]}"
rm -rf "$folder"/????-??-??T??????Z.unfinished

needed=$(mktemp) unneeded=$(mktemp)
trap 'rm -f "$needed" "$unneeded"' EXIT
{ list_objects "$live" && cat "${kept[@]/%//objects.txt}"; } | LC_ALL=C sort -u >"$needed"
list_objects "$objects" | { grep -v '^deletions/' || true; } | LC_ALL=C comm -23 - "$needed" >"$unneeded"
[ ! -s "$unneeded" ] || rclone_quiet delete --files-from-raw "$unneeded" "$objects"
say "${#old[@]} backups and $(wc -l <"$unneeded") objects removed; ${#kept[@]} backups kept"
