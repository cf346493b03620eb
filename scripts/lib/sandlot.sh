# Sourced by the other scripts: finds the Python that has sandlot, from any folder, and becomes it: a signal
# for the script is one for the program, and no program is left behind by a script that was ended.
#   sandlot NAME …    a command of `sandlot`
#   compat NAME …     a command of `python -m sandlot.compat`
#   TRAIN_PYTHON, TRAIN_BIN_DIR, TRAIN_ENV_DIR   where it is; else .venv of this checkout, else the PATH
#   TRAIN_USE_PIXI=1                             run it through pixi
set -euo pipefail
SANDLOT_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
source "$SANDLOT_ROOT/scripts/lib/data_paths.sh"

sandlot() { _run_module sandlot "$@"; }
compat() { _run_module sandlot.compat "$@"; }

_run_module() {
    if [ "${TRAIN_USE_PIXI:-0}" = 1 ]; then
        _need pixi "TRAIN_USE_PIXI=1, but there is no pixi on the PATH: install it (https://pixi.sh), or unset the variable."
        exec pixi run --manifest-path "$SANDLOT_ROOT/pixi.toml" -e train python -m "$@"
    elif [ -n "${TRAIN_PYTHON:-}" ]; then
        _need "$TRAIN_PYTHON" "TRAIN_PYTHON=$TRAIN_PYTHON is no program that can be run."
        exec "$TRAIN_PYTHON" -m "$@"
    elif [ -n "${TRAIN_BIN_DIR:-}" ]; then
        _need "$TRAIN_BIN_DIR/python" "TRAIN_BIN_DIR=$TRAIN_BIN_DIR holds no program python."
        exec "$TRAIN_BIN_DIR/python" -m "$@"
    elif [ -n "${TRAIN_ENV_DIR:-}" ]; then
        _need "$TRAIN_ENV_DIR/bin/python" "TRAIN_ENV_DIR=$TRAIN_ENV_DIR holds no program bin/python."
        exec "$TRAIN_ENV_DIR/bin/python" -m "$@"
    elif [ -x "$SANDLOT_ROOT/.venv/bin/python" ]; then
        exec "$SANDLOT_ROOT/.venv/bin/python" -m "$@"
    else
        _need sandlot "sandlot is not installed: type make setup, or set TRAIN_PYTHON."
        exec "$(_python_of "$(type -P sandlot)")" -m "$@"
    fi
}

# The Python of an installed sandlot: the one beside it, also behind a link; else the one on the PATH.
_python_of() {
    local beside
    beside="$(dirname "$(readlink -f "$1")")/python"
    if [ -x "$beside" ]; then echo "$beside"; else echo python3; fi
}

# The program, or a sentence and exit code 2. `type -P` finds programs only, not the functions above.
_need() {
    type -P "$1" >/dev/null || { echo "$2" >&2; exit 2; }
}
