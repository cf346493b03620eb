#!/usr/bin/env bash
# Plays a match of tag in Godot, the first agent in one role, and saves its frames in data/frames:
#   bash scripts/record_gui.sh [seeker | hider | chaser | runner]
# The window may be closed early. bash scripts/encode_frames.sh makes the frames a film.
source "$(dirname "${BASH_SOURCE[0]}")/lib/sandlot.sh"
role="${1:-seeker}"
shift || true
compat render --role "$role" --frames "$@"
