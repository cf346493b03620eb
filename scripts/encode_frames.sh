#!/usr/bin/env bash
# Frames of the data folder into learn_progress-STAMP.mp4. AI_PRESERVE_FRAMES=1 keeps the frames.
source "$(dirname "${BASH_SOURCE[0]}")/lib/sandlot.sh"
compat frames "$@"
