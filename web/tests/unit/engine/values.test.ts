import { expect, test } from "vitest";
import { openReplay } from "../../../src/engine/replay";
import { readReplay } from "../../../src/engine/replayFile";
import { estimateValues } from "../../../src/engine/values";
import { engine, fixture } from "./fixtures";
import { policyOf } from "./runtime";

await engine();

test.each([
  ["tag", "tag_table_0.onnx", 0],
  ["tag", "tag_gaussian_12.onnx", 1],
])("%s by %s: the value before every decision is the policy's own on that frame", async (name, file, agent) => {
  const data = fixture(`${name}.jsonl.gz`);
  const [policy, source] = [await policyOf(file), await openReplay(data)];
  const counts: number[] = [];
  const { values, known } = await estimateValues(source.file, policy, agent, (estimate) => counts.push(estimate.known));
  expect(known).toBe(source.steps);
  expect(counts.at(-1)).toBe(source.steps);
  const width = source.spec.shape.observation;
  let state: Float32Array | null = null;
  for (let step = 0; step < source.steps; step++) {
    const seen = source.frameAt(step)!.observations!.slice(agent * width, (agent + 1) * width);
    const answer = await policy.act(seen, null, state);
    state = answer.state;
    expect(values[step]).toBeCloseTo(answer.values[0]!, 3);
  }
  source.close();
});

test("it can be stopped, and refuses a policy of another game", async () => {
  const file = await readReplay(fixture("prospector.jsonl.gz"));
  const stop = new AbortController();
  const asked = estimateValues(file, await policyOf("prospector_auto_0.onnx"), 0, () => stop.abort(), stop.signal);
  await expect(asked).rejects.toThrow();
  await expect(estimateValues(file, await policyOf("tag_table_0.onnx"), 0)).rejects.toThrow("plays tag, not prospector");
});
