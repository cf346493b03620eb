#!/usr/bin/env bash
# Charts from trainer/logs/metrics.csv (or --csv FILE) into charts/. It only reads; exit code 1: nothing to plot.
source "$(dirname "${BASH_SOURCE[0]}")/lib/sandlot.sh"
case " $* " in
    *" --csv "* | *" --csv="* | *" --all-runs "*) sandlot plot --output-dir charts "$@" ;;
    *) [ -f trainer/logs/metrics.csv ] || { echo "There is no trainer/logs/metrics.csv yet: train first." >&2; exit 1; }
       sandlot plot --csv trainer/logs/metrics.csv --output-dir charts "$@" ;;
esac
