# Sourced by the other scripts: finds the sandlot program, from any folder, and becomes it: a signal for
# the script is one for the program, and no program is left behind by a script that was ended.
#   TRAIN_PYTHON, TRAIN_BIN_DIR, TRAIN_ENV_DIR   where it is; else .venv of this checkout, else the PATH
#   TRAIN_USE_PIXI=1                             run it through pixi
set -euo pipefail
SANDLOT_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
source "$SANDLOT_ROOT/scripts/lib/data_paths.sh"

sandlot() {
    if [ "${TRAIN_USE_PIXI:-0}" = 1 ]; then
        _need pixi "TRAIN_USE_PIXI=1, but there is no pixi on the PATH: install it (https://pixi.sh), or unset the variable."
        exec pixi run --manifest-path "$SANDLOT_ROOT/pixi.toml" -e train sandlot "$@"
    elif [ -n "${TRAIN_PYTHON:-}" ]; then
        _need "$TRAIN_PYTHON" "TRAIN_PYTHON=$TRAIN_PYTHON is no program that can be run."
        exec "$TRAIN_PYTHON" -m sandlot "$@"
    elif [ -n "${TRAIN_BIN_DIR:-}" ]; then
        _need "$TRAIN_BIN_DIR/sandlot" "TRAIN_BIN_DIR=$TRAIN_BIN_DIR holds no program sandlot."
        exec "$TRAIN_BIN_DIR/sandlot" "$@"
    elif [ -n "${TRAIN_ENV_DIR:-}" ]; then
        _need "$TRAIN_ENV_DIR/bin/sandlot" "TRAIN_ENV_DIR=$TRAIN_ENV_DIR holds no program bin/sandlot."
        exec "$TRAIN_ENV_DIR/bin/sandlot" "$@"
    elif [ -x "$SANDLOT_ROOT/.venv/bin/sandlot" ]; then
        exec "$SANDLOT_ROOT/.venv/bin/sandlot" "$@"
    else
        _need sandlot "sandlot is not installed: type make setup, or set TRAIN_PYTHON."
        exec sandlot "$@"
    fi
}

# The program, or a sentence and exit code 2. `type -P` finds programs only, not the function above.
_need() {
    type -P "$1" >/dev/null || { echo "$2" >&2; exit 2; }
}
