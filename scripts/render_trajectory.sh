#!/usr/bin/env bash
# Draws a trajectory in Godot and encodes it: bash scripts/render_trajectory.sh [low | high]
# AI_REPLAY_PATH names the trajectory; without it the newest is taken.
source "$(dirname "${BASH_SOURCE[0]}")/lib/sandlot.sh"
quality="${1:-${AI_RENDER_QUALITY:-high}}"
shift || true
compat render --quality "$quality" "$@"
