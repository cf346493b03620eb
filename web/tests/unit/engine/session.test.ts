import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { botName, botsFor, defaultBot } from "../../../src/engine/bots";
import { nineDigits } from "../../../src/engine/recorder";
import { openReplay } from "../../../src/engine/replay";
import { readReplay } from "../../../src/engine/replayFile";
import { PlaySession, playOut, type SessionOptions } from "../../../src/engine/session";
import { engine, python } from "./fixtures";
import { policyOf } from "./runtime";

const ready = await engine();
const ROOT = resolve(import.meta.dirname, "../../../..");
const open: PlaySession[] = [];

async function start(options: SessionOptions): Promise<PlaySession> {
  const session = await PlaySession.start(options);
  open.push(session);
  return session;
}

const policy = policyOf;

/** Real time passes until the match is over. */
async function run(session: PlaySession, frameSeconds = 1 / 60): Promise<number> {
  let frames = 0;
  while (!session.over && frames < 100_000) {
    session.advance(frameSeconds);
    await session.ready();
    frames++;
  }
  return frames;
}

afterEach(() => open.splice(0).forEach((session) => session.close()));

describe("a match by the clock", () => {
  test("takes as long as the game says, whatever the frame rate", async () => {
    for (const fps of [20, 60, 144]) {
      const session = await start({ game: "tag", seed: 4, human: "hider", players: { seeker: { kind: "bot", name: "ambush", level: 1 } } });
      const frames = await run(session, 1 / fps);
      expect(Math.abs(frames / fps - session.steps * session.secondsPerStep!)).toBeLessThan(0.15);
    }
  });

  test("a page that slept does not make the match leap ahead", async () => {
    const session = await start({ game: "tag", seed: 4, human: "hider" });
    expect(session.advance(3600)).toBeLessThanOrEqual(8);
    expect(session.steps * session.secondsPerStep!).toBeLessThanOrEqual(0.3);
    expect(session.advance(-5)).toBe(0);
  });

  test("a person takes over from a scripted player in the middle, and the file names both", async () => {
    const session = await start({ game: "tag", seed: 4 });
    session.advance(0.2);
    expect(() => session.hold([0, 0, 0])).toThrow("No person plays");
    session.takeOver("hider", "you");
    session.hold([0.5, -1, -1]);
    session.advance(0.1);
    expect(session.frame.actions[1]).toBe("move_x 0.50, move_z -1.00, jump -1.00");
    expect(session.names.hider).toMatch(/\(scripted\), then you$/);
    expect(() => session.takeOver("hider")).toThrow("Nobody but people plays hider");
    await run(session);
    const { bytes, name } = await session.save();
    const replay = await openReplay(bytes, name);
    replay.frameAt(replay.steps);
    expect(replay.verdict().state).toBe("yes");
    expect(replay.facts.policies.hider).toBe(session.names.hider);
    replay.close();
  });

  test("an agent does what a person holds, until it changes", async () => {
    const session = await start({ game: "tag", seed: 4, human: "hider" });
    session.hold([0.5, -1, -1]);
    session.advance(0.1);
    expect(session.frame.actions[1]).toBe("move_x 0.50, move_z -1.00, jump -1.00");
    session.hold([Number.NaN, 9, 0]);
    session.advance(0.1);
    expect(session.frame.actions[1]).toBe("move_x 0.00, move_z 1.00, jump 0.00");
    expect(() => session.hold([1])).toThrow("3 numbers, not 1");
    expect(() => session.hold([0, 0, 0], 0)).toThrow("No person");
  });

  test("frames are one decision apart, and blend says how far between two", async () => {
    const session = await start({ game: "tag", seed: 4, human: "seeker" });
    session.advance(0.06);
    expect([session.previous.step, session.frame.step]).toEqual([0, 1]);
    expect(session.blend).toBeCloseTo(0.01 / session.secondsPerStep!, 5);
  });

  test("where roles pass on, everybody plays the role held now", async () => {
    const session = await start({ game: "tag", seed: 2, config: { mode: "switch" }, human: null });
    expect(session.roleOf(0)).toBe("seeker");
    await run(session, 0.05);
    expect(session.events().some((event) => event.name === "pass")).toBe(true);
    const seekers = session.frame.render.seeker as number[];
    seekers.forEach((flag, agent) => expect(session.roleOf(agent)).toBe(flag ? "seeker" : "hider"));
  });

  test("a trained policy is an opponent, drawn the same again from the same seed", async () => {
    const seeker = await policy("tag_table_12.onnx");
    const hashes = [];
    for (let i = 0; i < 2; i++) {
      const session = await start({ game: "tag", seed: 6, human: "hider", players: { seeker: { kind: "policy", policy: seeker } } });
      await run(session, 0.05);
      expect(session.names).toEqual({ seeker: "seeker of window 3", hider: "a person" });
      hashes.push((await readReplay((await session.save()).bytes)).hashes.at(-1)!.value);
    }
    expect(hashes[0]).toBe(hashes[1]);
  });

  test("a policy of another game is refused before the match begins", async () => {
    const pilot = await policy("prospector_auto_0.onnx");
    await expect(start({ game: "tag", human: "hider", players: { seeker: { kind: "policy", policy: pilot } } })).rejects.toThrow(
      "plays prospector, not tag",
    );
  });
});

describe("a game of decisions", () => {
  test("moves when a person decides, and shows what may be done", async () => {
    const session = await start({ game: "prospector", seed: 12, human: "pilot" });
    const legal = session.frame.masks!.indexOf(1);
    const frame = await session.play(legal);
    expect(frame.step).toBe(1);
    expect(frame.actions).toEqual([session.spec.actions[legal]!.name]);
    expect(() => session.advance(1)).toThrow("no clock");
    const invalid = await session.play(999);
    expect(invalid.actions).toEqual(["invalid (-1)"]);
    expect(invalid.events.map((event) => event.name)).toContain("invalid_action");
  });

  test("is over when it is over", async () => {
    const session = await start({ game: "prospector", seed: 12, human: "pilot", config: { time_max: 100 } });
    while (!session.over) await session.play(6);
    expect(session.episode.ticks).toBeGreaterThan(0);
    await expect(session.play(6)).rejects.toThrow("over");
  });

  test("others can play the same seed to compare with", async () => {
    const scores = [];
    for (const name of ["tour", "do_nothing"]) {
      const session = await playOut({ game: "prospector", seed: 12, config: { time_max: 2000 }, players: { pilot: { kind: "bot", name } } });
      open.push(session);
      expect(session.over).toBe(true);
      scores.push(session.episode.net_profit as number);
    }
    expect(scores[0]).toBeGreaterThan(scores[1]!);
  });

  test("a policy pilots it", async () => {
    const pilot = await policy("prospector_auto_0.onnx");
    const config = pilot.facts.config;
    const session = await playOut({ game: "prospector", seed: 1, config: { ...config, time_max: 300 }, players: { pilot: { kind: "policy", policy: pilot } } });
    open.push(session);
    expect(session.over).toBe(true);
  });
});

describe("a saved match", () => {
  test("is a replay: the page plays it again, and so does Python", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sandlot-"));
    try {
      const sessions = [
        await start({ game: "tag", seed: 5, human: "hider", humanName: "Ada" }),
        await start({ game: "tag", seed: "18446744073709551615", human: null, config: { mode: "switch", hiders: 3, time_limit: 6 } }),
        await start({ game: "prospector", seed: 8, human: "pilot", config: { profile: "classic", time_max: 400 } }),
        await start({ game: "tag", seed: 5, human: "seeker" }),
      ];
      const [match, crowd, pilot, unfinished] = sessions as [PlaySession, PlaySession, PlaySession, PlaySession];
      match.hold([0.3, -0.77, 1]);
      await run(match, 0.05);
      await run(crowd, 0.05);
      for (let i = 0; !pilot.over; i++) await pilot.play(i % 40 === 39 ? i % 69 : randomLegal(pilot, i));
      unfinished.advance(0.2);
      for (const session of sessions) {
        const { name, bytes } = await session.save();
        writeFileSync(join(folder, name), bytes);
        const source = await openReplay(bytes);
        while (source.verdict().state === "checking") await new Promise((done) => setTimeout(done, 2));
        expect(source.verdict()).toEqual({ state: "yes" });
        expect(source.frameAt(source.steps)!.render).toEqual(session.frame.render);
        source.close();
        expect(verified(join(folder, name))).toMatchObject({ verdict: { agrees: true, differences: [] }, header: { policies: session.names } });
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("holds numbers as Python writes them", () => {
    for (const [value, nine] of python().numbers) expect(nineDigits(value)).toBe(nine);
  });
});

describe("a match that cannot be", () => {
  test.each(["", "abc", "-1", "1.5", "18446744073709551616", Number.NaN, -3])("a seed of %s is refused", async (seed) => {
    await expect(start({ game: "tag", seed, human: null })).rejects.toThrow("A seed is a whole number");
  });

  test.each([
    ["time_limit", "soon"],
    ["time_limit", -5],
    ["mode", "dance"],
    ["no_such_setting", 1],
  ])("%s = %s is refused in a sentence", async (name, value) => {
    await expect(start({ game: "tag", config: { [name]: value }, human: null })).rejects.toThrow(name);
  });

  test("nothing can be done to a closed match", async () => {
    const session = await start({ game: "tag", seed: 1, human: "hider" });
    session.close();
    session.close();
    expect(session.advance(1)).toBe(0);
    await expect(session.play([0, 0, 0])).rejects.toThrow("closed");
  });

  test("a hundred matches leave nothing behind in the engine", async () => {
    const { exports } = ready as unknown as { exports: { memory: WebAssembly.Memory } };
    const sizes: number[] = [];
    for (let i = 0; i < 100; i++) {
      const session = await PlaySession.start({ game: i % 2 ? "tag" : "prospector", seed: i, human: null });
      session.close();
      sizes.push(exports.memory.buffer.byteLength);
    }
    expect(sizes.at(-1)).toBe(sizes[9]);
  });
});

describe("scripted players by name", () => {
  test("are found by role", () => {
    const tag = ready.describe("tag");
    expect(defaultBot(tag, "seeker")).toEqual({ kind: "bot", name: "chase" });
    expect(defaultBot(tag, "hider")).toEqual({ kind: "bot", name: "evade" });
    expect(botsFor(tag, "hider").map((bot) => bot.name)).toEqual(["evade", "wander"]);
    expect(botName(tag, { kind: "bot", name: "chase" })).toBe("chase:3");
    expect(botName(ready.describe("prospector"), { kind: "bot", name: "tour" })).toBe("tour");
  });

  test("an unknown role or bot is refused with what there is", async () => {
    await expect(start({ game: "tag", human: "goalkeeper" })).rejects.toThrow("seeker, hider");
    await expect(start({ game: "tag", human: null, players: { seeker: { kind: "bot", name: "nobody" } } })).rejects.toThrow("no bot nobody");
  });
});

function randomLegal(session: PlaySession, i: number): number {
  const legal = Array.from(session.frame.masks!).flatMap((allowed, id) => (allowed ? [id] : []));
  return legal[(i * 7) % legal.length] ?? 0;
}

function verified(file: string): unknown {
  const own = resolve(ROOT, ".venv/bin/python");
  const program = process.env.PYTHON ?? (existsSync(own) ? own : "python3");
  return JSON.parse(execFileSync(program, ["-m", "sandlot", "replay", file, "--verify", "--json"], { cwd: ROOT, encoding: "utf8", timeout: 60_000 })) as unknown;
}
