#!/usr/bin/env bash
# Keeps the newest backups in a folder and removes the others, and the objects that neither a kept one nor the running system
# needs, and what a killed backup left. Usage: prune.sh FOLDER KEEP. Settings as of backup.sh. Never while a backup runs.
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

wanted=$(mktemp) unwanted=$(mktemp)
trap 'rm -f "$wanted" "$unwanted"' EXIT
{ list_objects "$live" && cat "${kept[@]/%//objects.txt}"; } | LC_ALL=C sort -u >"$wanted"
list_objects "$objects" | LC_ALL=C comm -23 - "$wanted" >"$unwanted"
[ ! -s "$unwanted" ] || rclone_quiet delete --files-from-raw "$unwanted" "$objects"
say "${#old[@]} backups and $(wc -l <"$unwanted") objects removed; ${#kept[@]} backups stay"
