"""The surface of the playtesting guide: what `rl_training/*.py` offer under its names.

tasks.py       what is trained: the scene or native game, and the guide's defaults
worlds.py      engines with ports 11008 + i and seeds 42 + i, as one VecEnv
training.py    Stable-Baselines3's PPO: numbered and final zips, ONNX, TensorBoard
playing.py     episodes of a saved model
command.py     the command lines

Begin reading with `training.py`. rl_training/README.md is the page for users.
"""
