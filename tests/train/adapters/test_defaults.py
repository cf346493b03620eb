"""What each library is given, in one table per library: a change of any is a decision, not an accident."""

import pytest

WORLDS, HORIZON, MINIBATCHES = 16, 16, 2  # of the tiny run


def test_stable_baselines3_is_given_these_hyperparameters(tiny):
    pytest.importorskip("stable_baselines3")
    from sandlot.train.adapters.sb3 import SB3Runner

    runner = SB3Runner(tiny("tag", "sb3"), "run")
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
        "n_epochs": ppo.update_epochs,
        "gamma": 0.99,
        "gae_lambda": ppo.gae_lambda,
        "clip_range": ppo.clip_range,
        "clip_range_vf": None,
        "vf_coef": ppo.vf_coef,
        "max_grad_norm": ppo.max_grad_norm,
        "target_kl": ppo.target_kl or None,
        "normalize_advantage": True,
        "ortho_init": False,  # the weights are our network's, with its own start
        "net_arch": [],
        "adam_eps": 1e-5,
    }
    runner.close()


def test_pufferlib_is_given_these_hyperparameters(tiny):
    pytest.importorskip("pufferlib")
    from sandlot.train.adapters.puffer import ENDLESS_STEPS, _settings

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
        "checkpoint_interval": ENDLESS_STEPS,
        "total_timesteps": ENDLESS_STEPS,
        "batch_size": WORLDS * HORIZON,
        "bptt_horizon": HORIZON,
        "minibatch_size": WORLDS // MINIBATCHES * HORIZON,
        "max_minibatch_size": WORLDS // MINIBATCHES * HORIZON,
        "update_epochs": ppo.update_epochs,
        "optimizer": "adam",
        "learning_rate": ppo.learning_rate,
        "anneal_lr": False,
        "adam_beta1": 0.9,
        "adam_beta2": 0.999,
        "adam_eps": 1e-5,
        "gamma": 0.99,
        "gae_lambda": ppo.gae_lambda,
        "clip_coef": ppo.clip_range,
        "vf_clip_coef": ppo.clip_range,
        "vf_coef": ppo.vf_coef,
        "ent_coef": ppo.ent_coef,
        "max_grad_norm": ppo.max_grad_norm,
        "vtrace_rho_clip": 1.0,
        "vtrace_c_clip": 1.0,
        "prio_alpha": 0.0,
        "prio_beta0": 1.0,
    }


def test_rllib_is_given_these_hyperparameters(tiny):
    pytest.importorskip("ray.rllib")
    from sandlot.policies.heads import Categorical
    from sandlot.train.adapters.rllib import AgentSlotsVectorEnv, SandlotModule, _settings
    from sandlot.train.config import as_dict
    from sandlot.worlds import load_spec

    config = tiny("tag", "rllib", "run.seed=4294967298")  # 2^32 + 2
    ppo, spec, rows, actions = config.ppo, load_spec("tag", config.settings), 8, Categorical(34)
    made = _settings(config, spec, rows, actions)
    assert {
        "env": made.env,
        "env_config": dict(made.env_config),
        "num_env_runners": made.num_env_runners,
        "num_envs_per_env_runner": made.num_envs_per_env_runner,
        "rollout_fragment_length": made.rollout_fragment_length,
        "gym_env_vectorize_mode": made.gym_env_vectorize_mode,
        "train_batch_size_per_learner": made.train_batch_size_per_learner,
        "minibatch_size": made.minibatch_size,
        "num_epochs": made.num_epochs,
        "lr": made.lr,
        "gamma": made.gamma,
        "lambda_": made.lambda_,
        "clip_param": made.clip_param,
        "entropy_coeff": made.entropy_coeff,
        "vf_loss_coeff": made.vf_loss_coeff,
        "grad_clip": made.grad_clip,
        "use_kl_loss": made.use_kl_loss,
        "num_learners": made.num_learners,
        "module": made.rl_module_spec.module_class,
        "model_config": made.rl_module_spec.model_config,
        "seed": made.seed,
        "log_level": made.log_level,
        "observation_size": made.observation_space.shape,
        "actions": made.action_space.n,
    } == {
        "env": AgentSlotsVectorEnv,
        "env_config": {"config": as_dict(config)},
        "num_env_runners": 2,
        "num_envs_per_env_runner": rows,
        "rollout_fragment_length": HORIZON,
        "gym_env_vectorize_mode": "vector_entry_point",
        "train_batch_size_per_learner": 2 * rows * HORIZON,
        "minibatch_size": 2 * rows * HORIZON // MINIBATCHES,
        "num_epochs": ppo.update_epochs,
        "lr": ppo.learning_rate,
        "gamma": 0.99,
        "lambda_": ppo.gae_lambda,
        "clip_param": ppo.clip_range,
        "entropy_coeff": ppo.ent_coef,
        "vf_loss_coeff": ppo.vf_coef,
        "grad_clip": ppo.max_grad_norm,
        "use_kl_loss": False,
        "num_learners": 0,
        "module": SandlotModule,
        "model_config": {"config": as_dict(config)},
        "seed": 2,
        "log_level": "ERROR",
        "observation_size": (spec.observation_size,),
        "actions": actions.size,
    }


def test_a_minibatch_of_rllib_has_at_least_two_rows(tiny):
    pytest.importorskip("ray.rllib")
    from sandlot.policies.heads import Categorical
    from sandlot.train.adapters.rllib import _settings
    from sandlot.worlds import load_spec

    config = tiny(
        "tag", "rllib", "ppo.num_steps=1", "ppo.num_minibatches=1", "ppo.num_envs=2", "adapter.num_workers=1"
    )
    assert _settings(config, load_spec("tag"), 1, Categorical(34)).minibatch_size == 2


def test_a_local_ray_cluster_is_small_quiet_and_of_this_machine(tiny, monkeypatch):
    pytest.importorskip("ray.rllib")
    import logging

    from sandlot.train.adapters import rllib

    asked, running = [], []
    monkeypatch.setattr(rllib.ray, "is_initialized", lambda: bool(running))
    monkeypatch.setattr(rllib.ray, "init", lambda **options: asked.append(options))
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    rllib._start_ray(tiny("tag", "rllib", "adapter.num_workers=2"))
    rllib._start_ray(tiny("tag", "rllib", "adapter.address=10.0.0.1:6379"))
    running.append(True)
    rllib._start_ray(tiny("tag", "rllib"))
    assert asked == [
        {
            "address": "local",
            "num_cpus": 3,
            "include_dashboard": False,
            "object_store_memory": 256 << 20,
            **quiet,
        },
        {"address": "10.0.0.1:6379", **quiet},
    ]


@pytest.mark.parametrize(("kl", "given"), [("0.05", 0.05), ("0.0", None)])
def test_without_a_target_stable_baselines3_watches_no_divergence(tiny, kl, given):
    pytest.importorskip("stable_baselines3")
    from sandlot.train.adapters.sb3 import SB3Runner

    runner = SB3Runner(tiny("tag", "sb3", f"ppo.target_kl={kl}"), "run")
    assert runner.model.target_kl == given
    runner.close()


def test_a_minibatch_of_pufferlib_has_whole_rows_and_at_least_one(tiny):
    pytest.importorskip("pufferlib")
    from sandlot.train.adapters.puffer import _settings

    config = tiny("tag", "puffer", "ppo.num_minibatches=16")
    assert _settings(config, 8)["minibatch_size"] == HORIZON
    assert _settings(config, 48)["minibatch_size"] == 3 * HORIZON
