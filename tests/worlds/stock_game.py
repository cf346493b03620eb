"""A game that speaks the stock godot-rl protocol, without Godot: agents count to a limit that they see.

Run by test_godot_rl.py with the words of the real command line and one more, the behaviour to try. Agent i
ends its episode after 3 + i steps; it observes [steps of the episode, i], its reward is its action.
"""

import json
import os
import socket
import sys
import time
from pathlib import Path

words = dict(word.lstrip("-").split("=", 1) for word in sys.argv[1:] if "=" in word)
behaviour = words["behaviour"]
agents = int(words.get("agents", 2))
connection = socket.create_connection(("127.0.0.1", int(words["port"])))


def receive():
    def read(count):
        data = b""
        while len(data) < count:
            piece = connection.recv(count - len(data))
            if not piece:
                sys.exit(0)
            data += piece
        return data

    return json.loads(read(int.from_bytes(read(4), "little")))


def send(message):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    connection.sendall(len(body).to_bytes(4, "little") + body)


def observations():
    return [{"obs": [float(count), float(i)]} for i, count in enumerate(counts)]


def env_info():
    policies = ["red", "blue"] * (agents // 2) if behaviour == "policies" else ["shared_policy"] * agents
    made = {
        "type": "env_info",
        "n_agents": agents,
        "agent_policy_names": policies,
        "observation_space": [{"obs": {"size": [2], "space": "box"}}] * agents,
        "action_space": [{"push": {"size": 1, "action_type": "continuous"}}] * agents,
    }
    return made | ({"sandlot": {"truncated": True, "terminal_obs": True, "seeds": True}} if extras else {})


extras = behaviour == "extras"
counts = [0] * agents
seeds = []
steps = 0
while True:
    message = receive()
    if message["type"] == "env_info":
        if behaviour == "no agents":
            send(env_info() | {"n_agents": 0})
        elif behaviour == "changes" and Path(words["mark"]).exists():
            send(env_info() | {"action_space": {"other": {"size": 1, "action_type": "continuous"}}})
        else:
            send(env_info())
        if "mark" in words:
            Path(words["mark"]).touch()
    elif message["type"] == "reset":
        counts, seeds = [0] * agents, message.get("seeds", [])
        send({"type": "reset", "obs": observations(), "info": [{}] * agents})
    elif message["type"] == "action":
        steps += 1
        if behaviour == "silent":
            time.sleep(60)
        if behaviour == "dies":
            print("SCRIPT ERROR: planted", flush=True)
            os.abort()
        if behaviour == "quits":
            sys.exit(0)
        if behaviour == "junk":
            send(b"no json")
        if behaviour == "other":
            send({"type": "reset", "obs": observations()})
        if behaviour == "huge":
            connection.sendall((0xFFFFFFFF).to_bytes(4, "little"))
        counts = [count + 1 for count in counts]
        done = [count == 3 + i for i, count in enumerate(counts)]
        last = observations()
        counts = [0 if over else count for over, count in zip(done, counts, strict=True)]
        step = {
            "type": "step",
            "obs": observations(),
            "reward": [action["push"][0] for action in message["action"]],
            "done": done,
            "info": [{"is_success": over and i == 0} for i, over in enumerate(done)],
        }
        if extras:
            step["truncated"] = [over and i == 1 for i, over in enumerate(done)]
            step["terminal_obs"] = [one if over else None for one, over in zip(last, done, strict=True)]
            step["info"] = [{"seed": seeds[i]} for i in range(agents)]
        if behaviour == "nan":
            send(json.dumps(step).replace('"obs": [{"obs": [1.0', '"obs": [{"obs": [nan').encode())
            continue
        if behaviour == "grows":
            step["obs"][1] = {"obs": [1.0, 2.0, 3.0]}
        if behaviour == "bad reward":
            step["reward"][1] = None
        if behaviour == "few":
            step["reward"].pop()
        send(step)
        if behaviour == "twice":
            send(step)
    elif message["type"] == "close":
        sys.exit(0)
