#!/usr/bin/env bash
# Copies what older versions left in the engine's user data into the data folder: [--dry-run] [--archive-legacy]
source "$(dirname "${BASH_SOURCE[0]}")/lib/sandlot.sh"
compat migrate "$@"
