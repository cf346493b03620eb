"""Callbacks for plain Stable-Baselines3: `model.learn(100_000, callback=[PerformanceMetricsCallback()])`."""

from sandlot.compat.vr.callbacks import (
    PerformanceMetricsCallback,
    SceneReloadCallback,
    TotalTimestepsCallback,
)

__all__ = ["PerformanceMetricsCallback", "SceneReloadCallback", "TotalTimestepsCallback"]
