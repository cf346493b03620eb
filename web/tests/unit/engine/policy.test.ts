import { describe, expect, test } from "vitest";
import { openPolicy } from "../../../src/engine/policy";
import { readFacts } from "../../../src/engine/policyFile";
import { Random } from "../../../src/engine/random";
import { engine, fixture, python, type PythonPolicy } from "./fixtures";
import { policyOf, runtime } from "./runtime";

const open = policyOf;
const { policies } = python();
const masksOf = (step: PythonPolicy["steps"][number]) => (step.masks ? Uint8Array.from(step.masks) : null);

describe("a policy in the page", () => {
  test.each(policies)("$game $head with memory $memory answers as PyTorch does", async ({ file, steps }) => {
    const policy = await open(file);
    let state: Float32Array | null = null;
    for (const step of steps) {
      const answer = await policy.act(Float32Array.from(step.observations), masksOf(step), state, { greedy: true });
      expect(answer.actions.length).toBe(step.actions.length);
      step.actions.forEach((action, i) => expect(answer.actions[i]).toBeCloseTo(action, 4));
      step.values.forEach((value, i) => expect(Math.abs(answer.values[i]! - value)).toBeLessThan(1e-3 * Math.max(1, Math.abs(value))));
      ({ state } = answer);
    }
  });

  test.each(policies)("$game $head with memory $memory draws what is allowed, the same again from the same seed", async ({ file, steps, game }) => {
    const policy = await open(file);
    const step = steps[0]!;
    const draw = async (seed: number) => {
      const options = { random: new Random(seed) };
      return Array.from((await policy.act(Float32Array.from(step.observations), masksOf(step), null, options)).actions);
    };
    const first = await draw(1);
    expect(await draw(1)).toEqual(first);
    const many = await Promise.all(Array.from({ length: 20 }, (_, seed) => draw(seed)));
    if (game === "prospector") {
      const count = step.masks!.length / first.length;
      for (const actions of many) actions.forEach((action, row) => expect(step.masks![row * count + action]).toBe(1));
    } else expect(many.flat().every((value) => value >= -1 && value <= 1)).toBe(true);
  });

  test("drawing follows the probabilities", async () => {
    const fixture = policies.find((each) => each.game === "prospector" && each.memory === 0)!;
    const policy = await open(fixture.file);
    const width = policy.facts.observation_size;
    const count = (policy.facts.head as { count: number }).count;
    const rows = 2000;
    const seen = new Float32Array(rows * width);
    const masks = new Uint8Array(rows * count);
    for (let row = 0; row < rows; row++) {
      seen.set(fixture.steps[3]!.observations.slice(0, width), row * width);
      masks.set([1, 1, 1, 0], row * count); // three legal actions
    }
    const { actions } = await policy.act(seen, masks, null, { random: new Random(7) });
    const shares = [0, 1, 2].map((id) => Array.from(actions).filter((action) => action === id).length / rows);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBe(1);
    const { actions: likeliest } = await policy.act(seen.subarray(0, width), masks.subarray(0, count), null, { greedy: true });
    expect(Math.max(...shares)).toBe(shares[likeliest[0]!]);
  });

  test("the file says what it is", async () => {
    const { facts, name } = await open("tag_table_0.onnx");
    expect(facts).toMatchObject({ game: "tag", role: "seeker", memory: 0, run_id: "fixture", window_id: 3, head: { kind: "table" } });
    expect(name).toBe("seeker of window 3");
  });

  test("it refuses another game, version or width, in a sentence", async () => {
    const [policy, ready] = [await open("tag_table_0.onnx"), await engine()];
    const tag = ready.describe("tag");
    expect(() => policy.check(tag)).not.toThrow();
    expect(() => policy.check(ready.describe("prospector"))).toThrow("plays tag, not prospector");
    expect(() => policy.check({ ...tag, version: "0" })).toThrow("version 0");
    expect(() => policy.check({ ...tag, shape: { ...tag.shape, observation: 7 } })).toThrow("the game shows 7");
    await expect(policy.act(new Float32Array(5))).rejects.toThrow("no rows");
  });

  test("what is not a Sandlot policy is refused", async () => {
    const good = fixture("tag_table_0.onnx");
    expect(() => readFacts(new TextEncoder().encode("hello"), "notes.txt")).toThrow("notes.txt is n");
    expect(() => readFacts(new Uint8Array(0))).toThrow("not a Sandlot policy");
    expect(() => readFacts(good.slice(0, good.length - 40))).toThrow("cut off");
    await expect(openPolicy(new Uint8Array((64 << 20) + 1))).rejects.toThrow("larger than 64 MiB");
    const spoiled = good.slice();
    const at = new TextDecoder("latin1").decode(good).indexOf("Gemm");
    spoiled.set(new TextEncoder().encode("Gexx"), at);
    await expect(openPolicy(spoiled, runtime())).rejects.toThrow("cannot be run here");
  });
});
