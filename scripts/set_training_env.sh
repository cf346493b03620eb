# To be sourced: source scripts/set_training_env.sh [seeker | hider]. Exports the usual training variables.
# What is set already stays; the defaults are those of docs/environment.md.
case "${1:-seeker}" in
    seeker | chaser) export AI_IS_IT=1 ;;
    hider | runner) export AI_IS_IT=0 ;;
    *) echo "set_training_env.sh: expected seeker or hider, not '$1'." >&2; return 2 2>/dev/null || exit 2 ;;
esac
export AI_TRAINING_MODE="${AI_TRAINING_MODE:-1}"
export AI_CONTROL_ALL_AGENTS="${AI_CONTROL_ALL_AGENTS:-1}"
export AI_DISTANCE_REWARD_SCALE="${AI_DISTANCE_REWARD_SCALE:-0.14}"
export AI_SEEKER_TIME_PENALTY="${AI_SEEKER_TIME_PENALTY:--0.005}"
export AI_WIN_BONUS="${AI_WIN_BONUS:-10}"
export AI_STEP_TICK_INTERVAL="${AI_STEP_TICK_INTERVAL:-3}"
