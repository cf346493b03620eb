# Sourced by every script: where trajectories, frames and imports live. The folders are exported as whole paths, so that
# the program and the Godot that it starts write to the same place. The same rules as src/sandlot/compat/variables.py.
data_root() { _whole "${AI_DATA_ROOT:-data}"; }
trajectories_dir() { _whole "${AI_TRAJECTORIES_DIR:-$(data_root)/trajectories}"; }
frames_dir() { _whole "${AI_FRAMES_DIR:-$(data_root)/frames}"; }
imports_dir() { _whole "${AI_MIGRATION_BACKUP_DIR:-$(data_root)/_imported}"; }

_whole() {
    case "$1" in
        /* | [A-Za-z]:[/\\]*) printf '%s\n' "$1" ;;
        *) printf '%s\n' "$PWD/$1" ;;
    esac
}

AI_TRAJECTORIES_DIR="$(trajectories_dir)"
AI_FRAMES_DIR="$(frames_dir)"
AI_MIGRATION_BACKUP_DIR="$(imports_dir)"
AI_DATA_ROOT="$(data_root)"
export AI_DATA_ROOT AI_TRAJECTORIES_DIR AI_FRAMES_DIR AI_MIGRATION_BACKUP_DIR
