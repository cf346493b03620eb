#!/usr/bin/env bash
# The Godot tests, headless. Exit code: number of failures; 124 when TEST_TIMEOUT (seconds, 90) is over.
source "$(dirname "${BASH_SOURCE[0]}")/lib/sandlot.sh"
sandlot godot test "$@" --timeout "${TEST_TIMEOUT:-90}"
