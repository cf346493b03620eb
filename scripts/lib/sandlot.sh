# Sourced by the other scripts: finds the sandlot program, from any folder, and becomes it: a signal for
# the script is one for the program, and no program is left behind by a script that was ended.
#   TRAIN_PYTHON, TRAIN_BIN_DIR, TRAIN_ENV_DIR   where it is; else .venv of this checkout, else the PATH
#   TRAIN_USE_PIXI=1                             run it through pixi
set -euo pipefail
SANDLOT_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"

sandlot() {
    if [ "${TRAIN_USE_PIXI:-0}" = 1 ]; then
        exec pixi run --manifest-path "$SANDLOT_ROOT/pixi.toml" -e train sandlot "$@"
    elif [ -n "${TRAIN_PYTHON:-}" ]; then
        exec "$TRAIN_PYTHON" -m sandlot "$@"
    elif [ -n "${TRAIN_BIN_DIR:-}" ]; then
        exec "$TRAIN_BIN_DIR/sandlot" "$@"
    elif [ -n "${TRAIN_ENV_DIR:-}" ]; then
        exec "$TRAIN_ENV_DIR/bin/sandlot" "$@"
    elif [ -x "$SANDLOT_ROOT/.venv/bin/sandlot" ]; then
        exec "$SANDLOT_ROOT/.venv/bin/sandlot" "$@"
    elif command -v sandlot >/dev/null 2>&1; then
        exec sandlot "$@"
    else
        echo "sandlot is not installed: type make setup, or set TRAIN_PYTHON." >&2
        return 2
    fi
}
