// A page with nothing on it but the engine, for tests/web/test_engine.py to drive and to measure in a real browser.
import { loadEngine } from "../../../src/engine/engine";
import { openReplay, type ReplaySource } from "../../../src/engine/replay";
import { PlaySession } from "../../../src/engine/session";

const sleep = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));

async function bytesOf(name: string): Promise<Uint8Array> {
  return new Uint8Array(await (await fetch(`/fixtures/${name}`)).arrayBuffer());
}

async function checked(source: ReplaySource): Promise<string> {
  while (source.verdict().state === "checking") await sleep(1);
  return source.verdict().state;
}

/** Opens a replay as a page would, and says how long each part took, in milliseconds. */
async function replay(name: string) {
  const data = await bytesOf(name);
  await loadEngine();
  const begun = performance.now();
  const source = await openReplay(data);
  source.frameAt(0);
  const first = performance.now() - begun;
  let longest = 0; // between two chances for the page to draw
  let before = performance.now();
  while (source.verdict().state === "checking") {
    await sleep(0);
    longest = Math.max(longest, performance.now() - before);
    before = performance.now();
  }
  const verified = performance.now() - begun;
  const seeks = Array.from({ length: 300 }, (_, i) => {
    const asked = performance.now();
    source.frameAt((i * 7919) % (source.steps + 1));
    return performance.now() - asked;
  }).sort((a, b) => a - b);
  const last = source.frameAt(source.steps)!;
  const result = {
    bytes: data.length, steps: source.steps, ticks: source.ticks, verdict: source.verdict().state, events: source.events().length,
    firstFrame: first, verified, longest, seekMedian: seeks[150]!, seek95: seeks[285]!, seekWorst: seeks[299]!, lastRender: last.render,
  };
  source.close();
  return result;
}

async function policy(name: string, observations: number[], masks: number[] | null) {
  const { loadPolicy } = await import("../../../src/engine/policy");
  const loaded = await loadPolicy(`/fixtures/${name}`);
  const answer = await loaded.act(Float32Array.from(observations), masks && Uint8Array.from(masks), null, { greedy: true });
  const one = Float32Array.from(observations.slice(0, loaded.facts.observation_size));
  const begun = performance.now();
  for (let i = 0; i < 200; i++) await loaded.act(one);
  return { actions: Array.from(answer.actions), values: Array.from(answer.values), milliseconds: (performance.now() - begun) / 200 };
}

/** A match against a trained policy by real time, at most so many seconds of it; then its replay, as base64. */
async function match(name: string, seconds: number) {
  const { loadPolicy } = await import("../../../src/engine/policy");
  const seeker = await loadPolicy(`/fixtures/${name}`);
  const session = await PlaySession.start({ game: "tag", seed: 3, human: "hider", players: { seeker: { kind: "policy", policy: seeker } } });
  session.hold([0.4, -1, -1]);
  const begun = performance.now();
  let before = begun;
  while (!session.over && performance.now() - begun < 1000 * seconds) {
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    session.advance((now - before) / 1000);
    before = now;
  }
  const played = (performance.now() - begun) / 1000;
  const { bytes } = await session.save();
  const source = await openReplay(bytes);
  const verdict = await checked(source);
  source.close();
  const result = { played, simulated: session.steps * session.secondsPerStep!, verdict, file: btoa(String.fromCharCode(...bytes)) };
  session.close();
  return result;
}

/** The sentence with which a damaged replay or a missing policy is refused. */
async function refusals() {
  const { loadPolicy } = await import("../../../src/engine/policy");
  const changed = await bytesOf("tag.jsonl.gz");
  changed[changed.length - 20]! ^= 1;
  const asked = [openReplay(changed, "match.jsonl.gz"), loadPolicy("/fixtures/none.onnx"), loadPolicy("/fixtures/tag.jsonl.gz")];
  return Promise.all(asked.map((each) => each.then(() => "accepted", (problem: Error) => problem.message)));
}

Object.assign(window, { sandlot: { replay, policy, match, refusals, ready: true } });
