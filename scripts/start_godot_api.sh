#!/usr/bin/env bash
# Starts a scene with its HTTP API on http://127.0.0.1:8080 and shows what it prints; Ctrl-C ends it.
#   bash scripts/start_godot_api.sh [SCENE] [--headless] [--project DIR] [--timeout S]      SCENE: else the main scene of godot/
#   GODOT_HTTP_API_PORT, GODOT_ENV, GODOT_HTTP_API_TOKEN: see docs/http_api.md
source "$(dirname "${BASH_SOURCE[0]}")/lib/sandlot.sh"
export GODOT_ENABLE_HTTP_API=true
scene=scenes/Main.tscn
if [ $# -gt 0 ] && [ "${1#-}" = "$1" ]; then
    scene="$1"
    shift
fi
sandlot godot run "$scene" --timeout 86400 "$@"
