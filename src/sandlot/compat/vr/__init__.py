"""The surface of the VR navigation brief: what `scripts/ml/*.py` offer under its names.

config.py         RLConfig: seven sections, JSON, presets; paths.py: `user://` as a real folder
processing.py     observations and actions on their way between a game and a policy
rewards.py        RewardCalculator, whose eight terms training is paid by
environment.py    one Gymnasium environment, over the native game or over a game behind its HTTP API
training.py       Stable-Baselines3's PPO: checkpoints, curriculum, best model; callbacks.py, monitor.py
evaluation.py     episodes on held-out seeds
models.py         zips with their configuration, and ONNX
own_ppo.py        the same configuration under our own PPO
command.py        train_vr_navigation.py; setup_check.py: test_training_setup.py

Begin reading with `training.py`. The game is engine/navigation; scripts/ml/README.md is the page for users.
"""
