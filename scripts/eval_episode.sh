#!/usr/bin/env bash
# Plays one match with trainer/policy_seeker.pt and policy_hider.pt: who won, trajectory, path map, bundle.
# --duration S, --start-role R, --output PNG, --title T, --record, --record-fps N
source "$(dirname "${BASH_SOURCE[0]}")/lib/sandlot.sh"
TRAIN_USE_PIXI="${EVAL_USE_PIXI:-${TRAIN_USE_PIXI:-0}}"
compat episode "$@"
