import { afterEach, describe, expect, test } from "vitest";
import { openReplay, type ReplaySource } from "../../../src/engine/replay";
import { readReplay, writeReplay, type ReplayFile } from "../../../src/engine/replayFile";
import { engine, fixture, python, type PythonFrame } from "./fixtures";

await engine();
const expectedFrames = python().frames;
const names = Object.keys(expectedFrames);
const open: ReplaySource[] = [];

async function replay(name: string): Promise<ReplaySource> {
  const source = await openReplay(fixture(`${name}.jsonl.gz`), name);
  open.push(source);
  return source;
}

async function changed(name: string, change: (file: ReplayFile) => unknown): Promise<Uint8Array> {
  const file = structuredClone(await readReplay(fixture(`${name}.jsonl.gz`)));
  change(file);
  return writeReplay(file);
}

/** Until the slices in the background have played all of it. */
async function whole(source: ReplaySource): Promise<ReplaySource> {
  for (let waited = 0; source.verdict().state === "checking" && waited < 10_000; waited += 5)
    await new Promise((done) => setTimeout(done, 5));
  return source;
}

afterEach(() => open.splice(0).forEach((source) => source.close()));

describe("a replay in the page", () => {
  test.each(names)("%s plays again bit by bit and is verified", async (name) => {
    const source = await whole(await replay(name));
    expect(source.verdict()).toEqual({ state: "yes" });
    expect([source.steps, source.ticks, source.events().length]).toEqual([expectedFrames[name]!.steps, expectedFrames[name]!.ticks, expectedFrames[name]!.events]);
  });

  test.each(names)("%s shows what Python's player shows", async (name) => {
    const source = await whole(await replay(name));
    for (const expected of expectedFrames[name]!.frames) compare(source, expected);
  });

  test("the first frame is there at once, the rest comes without being asked for", async () => {
    const source = await replay("prospector");
    expect(source.verdict().state).toBe("checking");
    expect(source.frameAt(0)).toMatchObject({ step: 0, tick: 0, dt: 0, actions: [], events: [] });
    let calls = 0;
    source.subscribe(() => calls++);
    await whole(source);
    expect(calls).toBeGreaterThan(0);
  });

  test("any order of steps gives the same frames", async () => {
    const source = await whole(await replay("prospector"));
    const steps = [0, source.steps, 1, 129, 128, 127, 4000, 3999, 256, 257, source.steps - 1, 2];
    const first = steps.map((step) => JSON.stringify(source.frameAt(step)));
    const other = await whole(await replay("prospector"));
    const sorted = [...steps].sort((a, b) => a - b);
    const second = new Map(sorted.map((step) => [step, JSON.stringify(other.frameAt(step))]));
    steps.forEach((step, i) => expect(first[i]).toBe(second.get(step)));
  });

  test("a step that is not there has no frame", async () => {
    const source = await whole(await replay("tag"));
    for (const step of [-1, 0.5, source.steps + 1, Number.NaN]) expect(source.frameAt(step)).toBeNull();
  });

  test("ticks and steps lead to each other", async () => {
    const source = await whole(await replay("prospector"));
    expect(source.stepOfTick(source.ticks)).toBe(source.steps);
    expect(source.stepOfTick(0)).toBe(0);
    for (const step of [1, 77, 5000]) expect(source.stepOfTick(source.tickOfStep(step))).toBe(step);
    expect(source.stepOfTick(1e9)).toBe(source.steps);
  });

  test("reward terms add up to the reward, by name", async () => {
    const source = await whole(await replay("prospector"));
    for (let step = 1; step <= source.steps; step += 97) {
      const frame = source.frameAt(step)!;
      const sum = Object.values(frame.terms).reduce((total, [value = 0]) => total + value, 0);
      expect(sum).toBeCloseTo(frame.rewards[0]!, 3);
    }
  });

  test("a changed action is found at the next hash", async () => {
    const source = await whole(await openReplay(await changed("tag", (file) => (file.actions[9] = -file.actions[9]! || 1))));
    open.push(source);
    expect(source.verdict()).toMatchObject({ state: "no", why: expect.stringContaining("at step") as string });
    expect(source.frameAt(5)).not.toBeNull();
  });

  test.each<[string, (file: ReplayFile) => unknown]>([
    ["returns", (file) => (file.end.returns[0]! += 1)],
    ["events happen", (file) => file.events.pop()],
    ["ticks", (file) => file.end.ticks++],
    ["ending", (file) => (file.end.terminated = !file.end.terminated)],
  ])("other %s than recorded are found", async (sentence, change) => {
    const source = await whole(await openReplay(await changed("tag", change)));
    open.push(source);
    expect(source.verdict()).toMatchObject({ state: "no", why: expect.stringContaining(sentence) as string });
  });

  test("an episode that goes on after its end is found, and its frames end there", async () => {
    const data = await changed("tag", (file) => {
      const width = file.actions.length / file.end.steps;
      const longer = new Float32Array(file.actions.length + width);
      longer.set(file.actions);
      Object.assign(file, { actions: longer });
      file.header.action_shape[0] = ++file.end.steps;
    });
    const source = await whole(await openReplay(data));
    open.push(source);
    expect(source.verdict()).toMatchObject({ state: "no", why: expect.stringContaining("ends after") as string });
    expect(source.frameAt(source.steps)).not.toBeNull();
    expect(source.steps).toBe(expectedFrames.tag!.steps);
  });

  test.each<[string, string, (file: ReplayFile) => unknown]>([
    ["other_engine", "version 0", (file) => (file.header.game_version = "0")],
    ["other_engine", "played in Godot", (file) => (file.header.played_in = "godot")],
    ["other_engine", "does not have", (file) => (file.header.game = "chess")],
    ["other_engine", "settings that this page's engine does not know", (file) => (file.header.config.gravitas = 3)],
  ])("%s: a file of %s is left to the server", async (kind, sentence, change) => {
    await expect(openReplay(await changed("tag", change))).rejects.toMatchObject({
      kind,
      message: expect.stringContaining(sentence) as string,
    });
  });

  test("after close nothing is played any more", async () => {
    const source = await replay("tag");
    source.close();
    await new Promise((done) => setTimeout(done, 30));
    expect(source.frameAt(3)).toBeNull();
  });

  test("a hundred replays, opened and closed, leave nothing behind in the engine", async () => {
    const { exports } = (await engine()) as unknown as { exports: { memory: WebAssembly.Memory } };
    const sizes: number[] = [];
    for (let i = 0; i < 100; i++) {
      const source = await replay(i % 2 ? "tag" : "prospector_big_seed");
      source.frameAt(source.steps);
      source.close();
      sizes.push(exports.memory.buffer.byteLength);
    }
    expect(sizes.at(-1)).toBe(sizes[9]);
  });

  test("a seek to any step of a long episode takes a few milliseconds", async () => {
    const source = await whole(await replay("prospector"));
    const times = Array.from({ length: 200 }, (_, i) => {
      const begun = performance.now();
      source.frameAt((i * 7919) % source.steps);
      return performance.now() - begun;
    }).sort((a, b) => a - b);
    expect(times[190]!).toBeLessThan(50); // 95 %: one pause of the machine does not count
  });
});

/** Python's frames hold info and render together, labels as words, lists in their shape, nine digits. */
function compare(source: ReplaySource, expected: PythonFrame): void {
  const frame = source.frameAt(expected.frame_index + 1)!;
  expect([frame.tick, frame.dt]).toEqual([expected.t, expected.dt]);
  expect(frame.rewards.length).toBe(source.facts.agents.length);
  [expected.reward].flat().forEach((reward, agent) => expect(frame.rewards[agent]).toBeCloseTo(reward, 6));
  expect(frame.events.map((event) => event.name)).toEqual(expected.events.map((event) => event.name));
  for (const [fields, block] of [
    [source.spec.info, frame.info],
    [source.spec.render, frame.render],
  ] as const)
    for (const field of fields) {
      const shown = block === frame.info ? expected.info[field.name] : expected.render_state[field.name];
      close([block[field.name]!].flat(), [shown].flat(9), field.labels);
    }
  close(Array.from(frame.observations!), [expected.render_state.observation].flat(9), []);
}

function close(found: number[], wanted: unknown[], labels: readonly string[]): void {
  expect(found.length).toBe(wanted.length);
  found.forEach((value, i) => {
    const want = wanted[i];
    const number = typeof want === "string" ? labels.indexOf(want) : (want as number);
    expect(Math.abs(value - number)).toBeLessThanOrEqual(1e-7 * Math.max(1, Math.abs(number)));
  });
}
