class_name RLEnv
extends TagLive
## Tag as a training environment: asks the server through RLClient what to do and tells it what came of it.
##
## The settings are those of the Inspector: training_mode, control_all_agents, ai_is_it, step_tick_interval, tag_bonus,
## progress_reward_scale, legacy_act_fallback. Variables of docs/environment.md win over them.
