#!/usr/bin/env bash
# Plays a match of tag in Godot, the first agent in one role, and films it: bash scripts/record_gui.sh [seeker | hider | chaser | runner]
source "$(dirname "${BASH_SOURCE[0]}")/lib/sandlot.sh"
role="${1:-seeker}"
shift || true
sandlot render --role "$role" "$@"
