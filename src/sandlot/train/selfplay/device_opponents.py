"""Opponents in worlds on a device: past policies and bots act there, on tensors."""

from typing import Any

import numpy as np
import torch

from .opponents import Assignment, Opponents


class DeviceOpponents(Opponents):
    """Plays all rows that no learner plays, without looking at the device.

    Their states are tensors. Those of rows whose episode ended in the last step begin anew when they act:
    bots' in their kernel, policies' here.
    """

    world: Any

    def _assigned(self, role: str, opponent: Any, worlds: np.ndarray, state: Any = None) -> Assignment:
        made = super()._assigned(role, opponent, worlds, state)
        rows: Any = torch.from_numpy(made.rows).to(self.device)
        if opponent.kind == "scripted":
            bot = opponent.player
            memory = bot.start(len(made.rows)) if state is None else state
            made.state = torch.from_numpy(memory).to(self.device)
            chosen = torch.full_like(rows, list(bot.spec.bots).index(bot.name), dtype=torch.int32)
            made.on_device = rows, chosen, torch.full_like(chosen, bot.level)
        else:
            made.on_device = (rows,)
            made.state = None if state is None else state.to(self.device)
        return made

    @torch.no_grad()
    def act(self) -> None:
        """Write the actions of all opponents into the world."""
        for each in self._assignments:
            if each.opponent.kind == "scripted":
                self.world.play_bots(*each.on_device, each.state)
            else:
                self._act_as(each, each.opponent.player)

    def _act_as(self, each: Assignment, policy: Any) -> None:
        """A past policy's actions."""
        (rows,) = each.on_device
        observations = self.world.observations[rows, : each.observation_size]
        masks = None if self.world.masks is None else self.world.masks[rows]
        if each.state is not None:
            each.state = each.state.masked_fill(self._ended()[rows][:, None], 0.0)
        outputs, each.state = policy.network(policy.normalize(observations), each.state)
        actions, _ = policy.head.sample(outputs, masks, policy.rng)
        self.world.act(rows, policy.head.to_world(actions))

    def _ended(self) -> torch.Tensor:
        """Rows whose episode ended in the last step, bool."""
        return self.world.terminated | self.world.truncated

    def restart(self, ended: Any) -> None:
        """Reset the players' states on rows that were given a new episode, [rows] bool."""
        ended = torch.as_tensor(ended, device=self.device)
        for each in self._assignments:
            if each.state is None:
                continue
            over = ended[each.on_device[0]]
            if each.opponent.kind == "scripted":
                each.state[:, 2:] = each.state[:, 2:].masked_fill(over[:, None], 0.0)
            else:
                each.state = each.state.masked_fill(over[:, None], 0.0)

    def state(self) -> dict[str, Any]:
        """What a resumed run continues with, here or on the CPU."""
        self.restart(self._ended())  # whoever goes on from here does not see that they ended
        saved = super().state()
        states = [None if a.state is None else a.state.cpu() for a in self._assignments]
        kinds = [a.opponent.kind for a in self._assignments]
        saved["assignments"] = [
            (role, name, state if state is None or kind == "past" else state.view(torch.uint8))
            for (role, name, _), state, kind in zip(saved["assignments"], states, kinds, strict=True)
        ]
        return saved
