#!/usr/bin/env bash
# Films a match of tag in Godot, seen from one role: bash scripts/record_gui.sh [seeker | hider | chaser | runner]
source "$(dirname "${BASH_SOURCE[0]}")/lib/sandlot.sh"
role="${1:-seeker}"
shift || true
sandlot render --role "$role" "$@"
