# Sourced: where trajectories, frames and imports live. The same rules as src/sandlot/variables.py.
data_root() { printf '%s\n' "${AI_DATA_ROOT:-data}"; }
trajectories_dir() { printf '%s\n' "${AI_TRAJECTORIES_DIR:-$(data_root)/trajectories}"; }
frames_dir() { printf '%s\n' "${AI_FRAMES_DIR:-$(data_root)/frames}"; }
imports_dir() { printf '%s\n' "${AI_MIGRATION_BACKUP_DIR:-$(data_root)/_imported}"; }

# The newest trajectory of the data folder; nothing and status 1 when there is none.
latest_trajectory() {
    local newest
    newest="$(find "$(trajectories_dir)" -maxdepth 1 -name 'ep_*.jsonl' -printf '%T@ %p\n' 2>/dev/null | sort -n | tail -n 1)"
    [ -n "$newest" ] && printf '%s\n' "${newest#* }"
}
