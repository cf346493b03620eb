"""What each library is given, in one table per library: a change of any is a decision, not an accident."""

import pytest

WORLDS, HORIZON, MINIBATCHES = 16, 16, 2  # of the tiny run


def test_stable_baselines3_is_given_these_hyperparameters(tiny):
    pytest.importorskip("stable_baselines3")
    from sandlot.train.adapters.sb3 import make

    runner = make(tiny("tag", "sb3"), "run")
    model, ppo = runner.model, runner.config.ppo
    assert {
        "n_steps": model.n_steps,
        "batch_size": model.batch_size,
        "n_epochs": model.n_epochs,
        "gamma": model.gamma,
        "gae_lambda": model.gae_lambda,
        "clip_range": model.clip_range(1.0),
        "clip_range_vf": model.clip_range_vf,
        "vf_coef": model.vf_coef,
        "max_grad_norm": model.max_grad_norm,
        "target_kl": model.target_kl,
        "normalize_advantage": model.normalize_advantage,
        "ortho_init": model.policy.ortho_init,
        "net_arch": model.policy.net_arch,
        "adam_eps": model.policy.optimizer.defaults["eps"],
    } == {
        "n_steps": HORIZON,
        "batch_size": WORLDS * HORIZON // MINIBATCHES,
        "n_epochs": ppo.epochs,
        "gamma": 0.99,
        "gae_lambda": ppo.trace,
        "clip_range": ppo.clip,
        "clip_range_vf": None,
        "vf_coef": ppo.value_weight,
        "max_grad_norm": ppo.gradient_cap,
        "target_kl": ppo.target_kl or None,
        "normalize_advantage": True,
        "ortho_init": False,  # the weights are our network's, with its own start
        "net_arch": [],
        "adam_eps": 1e-5,
    }
    runner.close()


def test_pufferlib_is_given_these_hyperparameters(tiny):
    pytest.importorskip("pufferlib")
    from sandlot.train.adapters.puffer import ENDLESS_DECISIONS, _settings

    config = tiny("tag", "puffer")
    ppo = config.ppo
    assert _settings(config, WORLDS) == {
        "env": "tag",
        "seed": 1,
        "device": "cpu",
        "torch_deterministic": True,
        "cpu_offload": False,
        "compile": False,
        "use_rnn": False,
        "precision": "float32",
        "data_dir": "",
        "checkpoint_interval": ENDLESS_DECISIONS,
        "total_timesteps": ENDLESS_DECISIONS,
        "batch_size": WORLDS * HORIZON,
        "bptt_horizon": HORIZON,
        "minibatch_size": WORLDS // MINIBATCHES * HORIZON,
        "max_minibatch_size": WORLDS // MINIBATCHES * HORIZON,
        "update_epochs": ppo.epochs,
        "optimizer": "adam",
        "learning_rate": ppo.learning_rate,
        "anneal_lr": False,
        "adam_beta1": 0.9,
        "adam_beta2": 0.999,
        "adam_eps": 1e-5,
        "gamma": 0.99,
        "gae_lambda": ppo.trace,
        "clip_coef": ppo.clip,
        "vf_clip_coef": ppo.clip,
        "vf_coef": ppo.value_weight,
        "ent_coef": ppo.entropy,
        "max_grad_norm": ppo.gradient_cap,
        "vtrace_rho_clip": 1.0,
        "vtrace_c_clip": 1.0,
        "prio_alpha": 0.0,
        "prio_beta0": 1.0,
    }
