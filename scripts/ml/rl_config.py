#!/usr/bin/env python3
"""The configuration of VR navigation training: python scripts/ml/rl_config.py writes example_config.json.

from rl_config import RLConfig
config = RLConfig.preset("quick_test")
config.training.use_curriculum = True
config.save("my_config.json")
"""

from sandlot.compat.vr.config import (
    PRESETS,
    ActionsConfig,
    EnvironmentConfig,
    NetworkConfig,
    ObservationsConfig,
    PPOConfig,
    RewardsConfig,
    RLConfig,
    Stage,
    TrainingConfig,
    main,
)

__all__ = [
    "PRESETS",
    "ActionsConfig",
    "EnvironmentConfig",
    "NetworkConfig",
    "ObservationsConfig",
    "PPOConfig",
    "RLConfig",
    "RewardsConfig",
    "Stage",
    "TrainingConfig",
]

if __name__ == "__main__":
    main()
