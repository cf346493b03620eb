// Sound against a counting stand-in for the browser's synthesiser: node has none. The real one: tests/web/test_art.py.
import { beforeEach, describe, expect, it, vi } from "vitest";

type Node = { connected: boolean; onended: (() => void) | null };
let nodes: Node[];

function node(): Node & Record<string, unknown> {
  const made = {
    connected: false,
    onended: null,
    gain: ramp(),
    frequency: ramp(),
    connect(into: unknown) {
      made.connected = true;
      return into;
    },
    disconnect: () => void (made.connected = false),
    start: vi.fn(),
    stop: vi.fn(),
  };
  nodes.push(made);
  return made;
}

const ramp = () => ({ value: 1, setValueAtTime: vi.fn(), exponentialRampToValueAtTime: vi.fn() });

class Synthesiser {
  currentTime = 0;
  sampleRate = 8000;
  state = "running";
  destination = {};
  resume = async () => undefined;
  createGain = node;
  createOscillator = node;
  createBufferSource = node;
  createBiquadFilter = node;
  createBuffer = () => ({ sampleRate: 8000, getChannelData: () => new Float32Array(4000) });
}

async function fresh(stored: string | null) {
  nodes = [];
  const memory = new Map(stored === null ? [] : [["sandlot.sound", stored]]);
  vi.resetModules();
  vi.stubGlobal("AudioContext", Synthesiser);
  vi.stubGlobal("document", { hidden: false });
  vi.stubGlobal("fetch", () => Promise.reject(new Error("no server here")));
  vi.stubGlobal("localStorage", { getItem: (key: string) => memory.get(key) ?? null, setItem: (key: string, value: string) => memory.set(key, value) });
  return { sound: await import("../../../../src/parts/art/sound"), memory };
}

describe("sound", () => {
  beforeEach(() => void vi.useFakeTimers());

  it("is off by default and makes nothing then", async () => {
    const { sound } = await fresh(null);
    sound.playCue("siren");
    expect(sound.isSoundOn()).toBe(false);
    expect(nodes).toHaveLength(0);
  });

  it("is remembered", async () => {
    const { sound, memory } = await fresh(null);
    sound.setSound(true);
    expect(memory.get("sandlot.sound")).toBe("on");
    expect((await fresh("on")).sound.isSoundOn()).toBe(true);
    expect((await fresh("off")).sound.isSoundOn()).toBe(false);
  });

  it("lets every node go when a sound ends, at ten cues a second for a minute", async () => {
    const { sound } = await fresh("on");
    const cues = ["laser.low", "siren", "cash", "explosion"] as const;
    for (let i = 0; i < 600; i++) {
      sound.playCue(cues[i % cues.length]);
      vi.advanceTimersByTime(100);
      for (const made of nodes) made.onended?.();
      nodes = nodes.filter((made) => made.connected && !made.onended);
    }
    expect(sound.soundingVoices()).toBe(0);
  });

  it("drops cues rather than piling them up", async () => {
    const { sound } = await fresh("on");
    for (const cue of ["ping", "beam", "sweep", "click", "select", "shield", "chime", "hiss", "wrench", "beep", "puff"] as const) sound.playCue(cue);
    expect(sound.soundingVoices()).toBe(8);
    sound.setSound(false);
    expect(sound.soundingVoices()).toBe(0);
  });

  it("does not repeat a cue within a blink, and takes null as silence", async () => {
    const { sound } = await fresh("on");
    sound.playCue("ping");
    sound.playCue("ping");
    sound.playCue(null);
    expect(sound.soundingVoices()).toBe(1);
  });
});
