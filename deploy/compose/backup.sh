#!/bin/sh
# Writes a dump of the database into BACKUP_FOLDER every BACKUP_SECONDS, and keeps the last BACKUP_KEEP dumps. With
# BACKUP_SECONDS=0 it writes one dump and exits. The connection is in the variables of libpq (PGHOST, PGUSER, …).
set -eu
umask 077
: "${BACKUP_FOLDER:?}" "${BACKUP_SECONDS:=86400}" "${BACKUP_KEEP:=14}"

backup() {
  file="$BACKUP_FOLDER/headgate-$(date -u +%Y%m%dT%H%M%SZ).dump"
  # A dump has its name only when it is complete.
  if pg_dump --format=custom --file="$file.part" && pg_restore --list "$file.part" >/dev/null; then
    mv "$file.part" "$file"
    echo "Wrote $file."
  else
    rm -f "$file.part"
    echo "The backup failed." >&2
    return 1
  fi
  # Names sort by time.
  find "$BACKUP_FOLDER" -maxdepth 1 -name 'headgate-*.dump' | sort -r | tail -n "+$((BACKUP_KEEP + 1))" |
    while read -r old; do rm -f "$old"; done
}

if [ "$BACKUP_SECONDS" -eq 0 ]; then
  backup
  exit
fi
trap 'exit 0' TERM INT
while :; do
  backup || true
  sleep "$BACKUP_SECONDS" &
  wait "$!"
done
