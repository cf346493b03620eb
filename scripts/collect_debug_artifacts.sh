#!/usr/bin/env bash
# The debug bundle: bash scripts/collect_debug_artifacts.sh [DESTINATION] [--server-log F] [--godot-log F] [--include-frames]
source "$(dirname "${BASH_SOURCE[0]}")/lib/sandlot.sh"
compat bundle "$@"
