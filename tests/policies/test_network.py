"""The network: its layers, how they begin, and what memory adds."""

import pytest
import torch

from sandlot.errors import UnknownName
from sandlot.policies.network import Network, dense


def sizes(network):
    return [layer.weight.shape for layer in network.torso if hasattr(layer, "weight")]


def test_a_network_has_two_layers_of_128_and_no_memory_unless_told_otherwise():
    network = Network(5, 3)
    assert sizes(network) == [(128, 5), (128, 128)] and network.last.weight.shape == (4, 128)
    assert network.cell is None and network(torch.zeros(2, 5))[1] is None


@pytest.mark.parametrize("memory", [0, 6])
def test_the_last_layer_reads_the_memory_where_there_is_one(memory):
    network = Network(5, 3, (16, 8), recurrent_size=memory)
    assert sizes(network) == [(16, 5), (8, 16)]
    assert network.last.weight.shape == (4, memory or 8), "an output each, and the value"


def test_layers_begin_orthogonal_and_the_actions_about_equally_likely():
    network = Network(40, 3, (16,))
    first, last = network.torso[0], network.last
    assert torch.allclose(first.weight @ first.weight.T, 2.0 * torch.eye(16), atol=1e-4), "gain sqrt(2)"
    lengths = last.weight.detach().square().sum(dim=1).sqrt()
    assert lengths.tolist() == pytest.approx([0.01, 0.01, 0.01, 1.0], rel=1e-4)
    assert not first.bias.any() and not last.bias.any()


@pytest.mark.parametrize("gain", [0.5, 2.0])
def test_a_dense_layer_has_the_gain_it_was_asked_for(gain):
    layer = dense(8, 4, gain)
    assert torch.allclose(layer.weight @ layer.weight.T, gain**2 * torch.eye(4), atol=1e-4)


def test_memory_begins_at_zero_and_is_carried_by_the_caller():
    network = Network(5, 3, (8,), recurrent_size=6)
    seen = torch.rand(2, 5)
    fresh, state = network(seen)
    same, _ = network(seen, torch.zeros(2, 6))
    later, _ = network(seen, state)
    assert torch.equal(fresh, same) and not torch.equal(fresh, later)
    assert torch.equal(network.initial_state(2), torch.zeros(2, 6))


def test_memory_is_added_up_in_float32_also_where_the_rest_is_rounded():
    network = Network(5, 3, (8,), recurrent_size=6)
    with torch.autocast("cpu", torch.bfloat16):
        _, state = network(torch.rand(2, 5))
    assert state.dtype == torch.float32


def test_an_unknown_activation_is_named():
    with pytest.raises(UnknownName, match="Did you mean 'relu'"):
        Network(5, 3, activation="rely")
