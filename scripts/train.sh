#!/usr/bin/env bash
# Trains tag in Godot: bash scripts/train.sh [live-seeker | live-hider | self-play]
# Settings are environment variables: docs/environment.md. AI_TRAIN_DURATION (seconds, 300) limits it.
# Without a Godot the server waits for one that you open, and says for how long; exit code 3 if none came.
# KEEP_SERVER=0: exit code 3 at once (sandlot godot install fetches one).
source "$(dirname "${BASH_SOURCE[0]}")/lib/sandlot.sh"
mode="${1:-live-seeker}"
case "$mode" in
    live-seeker | live-hider | self-play) ;;
    -h | --help) compat session --help; exit 0 ;;
    *) echo "train.sh: unknown mode '$mode'; expected live-seeker, live-hider or self-play." >&2; exit 2 ;;
esac
shift || true
compat session "$mode" "$@"
