import { expect, it } from "vitest";
import { read, write } from "../../../../src/views/watch/selection";

it("an address says all that is watched, and is read back as it was written", () => {
  const selection = { run: "a b", replay: "replay-000001-x", other: "replay-0", tick: 42, way: "socket" as const, file: null };
  const [search, hash] = write(selection).slice(1).split("#");
  expect(read(search!, `#${hash}`)).toEqual(selection);
});

it("the newest replay needs no words", () => {
  expect(write({ run: null, replay: null, other: null, tick: null, way: "engine", file: null })).toBe("/");
  expect(read("", "")).toEqual({ run: null, replay: null, other: null, tick: null, way: "engine", file: null });
});

it("a file that was opened in this tab has an address too", () => {
  const selection = { ...read("", ""), file: "a match.jsonl.gz", tick: 7 };
  const [search, hash] = write(selection).slice(1).split("#");
  expect(read(search!, `#${hash}`)).toEqual(selection);
});

it.each(["#t=", "#t=-1", "#t=1.5", "#t=99999999999", "#x"])("%s is no moment", (hash) => {
  expect(read("", hash).tick).toBeNull();
});
