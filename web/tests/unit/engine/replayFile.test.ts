import { deflateRawSync, gunzipSync } from "node:zlib";
import { blake2b } from "@noble/hashes/blake2.js";
import { describe, expect, test } from "vitest";
import { encodingOf, quantise, readReplay, writeReplay, type ReplayFile } from "../../../src/engine/replayFile";
import { fixture, python } from "./fixtures";

const names = Object.keys(python().frames);

describe("a replay file", () => {
  test.each(names)("%s is read as Python wrote it, and written again it reads the same", async (name) => {
    const file = await readReplay(fixture(`${name}.jsonl.gz`));
    expect(file.end.steps).toBe(python().frames[name]!.steps);
    expect(file.events.length).toBe(python().frames[name]!.events);
    expect(file.hashes[0]!.step).toBe(0);
    expect(file.hashes.at(-1)!.step).toBe(file.end.steps);
    const again = await writeReplay(file);
    expect(await readReplay(again)).toEqual(file);
    expect(() => gunzipSync(again)).not.toThrow(); // ordinary tools read it too
  });

  test("a 64-bit seed survives", async () => {
    const file = await readReplay(fixture("prospector_big_seed.jsonl.gz"));
    expect(file.header.seed).toBe("18446744073709551615");
  });

  test("every flipped byte and every cut is refused", async () => {
    const good = fixture("tag.jsonl.gz");
    for (let at = 0; at < good.length; at += 7) {
      const bad = good.slice();
      bad[at]! ^= 0x40;
      await expect(readReplay(bad, "x.gz")).rejects.toMatchObject({ kind: "damaged" });
      await expect(readReplay(good.slice(0, at), "x.gz")).rejects.toMatchObject({ kind: "damaged" });
    }
  });

  test("what is no replay, empty or far too large is refused in a sentence", async () => {
    await expect(readReplay(new TextEncoder().encode("hello, this is text and no replay at all"), "notes.txt")).rejects.toThrow(
      "notes.txt is not a replay of Sandlot",
    );
    await expect(readReplay(new Uint8Array(0))).rejects.toThrow("cut off");
    await expect(readReplay(new Uint8Array((16 << 20) + 1))).rejects.toThrow("larger than 16 MiB");
  });

  /** A file with a right digest around any text. */
  function packed(text: Buffer): Uint8Array {
    const body = Buffer.concat([deflateRawSync(text), Buffer.alloc(8)]);
    return Buffer.concat([fixture("tag.jsonl.gz").subarray(0, 16), blake2b(body, { dkLen: 16 }), body]);
  }

  test("a small file that unpacks to more than any replay is refused before it fills the memory", async () => {
    const bomb = packed(Buffer.alloc((64 << 20) + 1, "x"));
    expect(bomb.length).toBeLessThan(100_000);
    await expect(readReplay(bomb, "bomb.gz")).rejects.toThrow("more than");
  });

  test.each([
    ["", "is empty"],
    ["not json\n", "one JSON object per line"],
    ["[1]\n", "one JSON object per line"],
    ['{"kind": "end"}\n', "does not begin with a header"],
  ])("text like %j is refused", async (text, sentence) => {
    await expect(readReplay(packed(Buffer.from(text)), "it")).rejects.toThrow(sentence);
  });

  async function changed(change: (file: ReplayFile) => unknown): Promise<Uint8Array> {
    const file = structuredClone(await readReplay(fixture("tag.jsonl.gz")));
    change(file);
    return writeReplay(file);
  }

  test("a newer schema is refused as newer, so that a server may help", async () => {
    const data = await changed((file) => (file.header.schema_version = 2));
    await expect(readReplay(data)).rejects.toMatchObject({ kind: "newer", message: expect.stringContaining("schema version 2") as string });
  });

  test.each<[string, (file: ReplayFile) => unknown]>([
    ["says 3 steps", (file) => (file.end.steps = 3)],
    ["not valid at seed", (file) => (file.header.seed = "-1")],
    ["not valid at seed", (file) => (file.header.seed = (1n << 64n).toString())],
    ["not valid at action_encoding", (file) => (file.header.action_encoding = "int64" as "int8")],
    ["not valid at played_in", (file) => (file.header.played_in = "<b>godot</b>")],
    ["holds 1 returns", (file) => (file.end.returns = [1])],
    ["not valid at terminated", (file) => (file.end.terminated = 1 as unknown as boolean)],
    ["for 3 agents", (file) => file.header.agents.push("hider")],
    ["schema version null", (file) => (file.header.schema_version = null as unknown as number)],
  ])("a file that %s is refused", async (sentence, change) => {
    await expect(readReplay(await changed(change), "it")).rejects.toThrow(sentence);
  });

  test("no steps of endless width are refused at once", async () => {
    const lines = gunzipSync(fixture("tag.jsonl.gz")).toString().split("\n");
    const [header, , , , end] = lines.filter(Boolean).map((line) => JSON.parse(line) as Record<string, unknown>);
    lines[0] = JSON.stringify({ ...header, action_shape: [0, 2, 2 ** 52] });
    lines[4] = JSON.stringify({ ...end, steps: 0 });
    const endless = packed(Buffer.from(lines.join("\n")));
    await expect(readReplay(endless, "it")).rejects.toThrow("more than any game has");
  });

  test("continuous actions round to 127ths as in numpy: half to even, no minus zero", () => {
    expect(quantise(1.7)).toBe(1);
    expect(quantise(-3)).toBe(-1);
    expect(Object.is(quantise(-0.001), 0)).toBe(true);
    expect(quantise(Number.NaN)).toBe(0);
    for (let whole = -127; whole <= 127; whole++) expect(quantise(Math.fround(whole / 127))).toBe(Math.fround(whole / 127));
    expect(encodingOf(0)).toBe("q127");
    expect(encodingOf(69)).toBe("int8");
    expect(encodingOf(300)).toBe("int16");
  });
});
