#!/usr/bin/env bash
# Warm-up sessions, self-play, a pool of hiders; exit code 1 if the seeker wins less than CURRICULUM_TARGET_WIN.
source "$(dirname "${BASH_SOURCE[0]}")/lib/sandlot.sh"
compat session curriculum "$@"
