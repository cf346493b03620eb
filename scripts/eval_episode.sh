#!/usr/bin/env bash
# Plays one match with trainer/policy_seeker.pt and policy_hider.pt: trajectory, path map, bundle.
# --duration S, --start-role R, --output PNG, --title T, --record, --record-fps N
source "$(dirname "${BASH_SOURCE[0]}")/lib/sandlot.sh"
sandlot episode "$@"
