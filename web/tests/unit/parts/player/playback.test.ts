import { describe, expect, it } from "vitest";
import { Playback } from "../../../../src/parts/player/playback";

function tagMatch(): Playback {
  const playback = new Playback({ kind: "clock", stepsPerSecond: 20 });
  playback.setLength(200);
  return playback;
}

describe("a game by the clock", () => {
  it("runs in real time at speed 1", () => {
    const playback = tagMatch();
    playback.play();
    for (let i = 0; i < 60; i++) playback.advance(1 / 60);
    expect(playback.position).toBeCloseTo(20, 6);
  });

  it("stops at the end, and begins anew when played again", () => {
    const playback = tagMatch();
    playback.seek(199.9);
    playback.play();
    playback.advance(0.2);
    expect([playback.position, playback.playing]).toEqual([200, false]);
    playback.play();
    expect([playback.position, playback.playing]).toEqual([0, true]);
  });

  it("goes round when it loops", () => {
    const playback = tagMatch();
    playback.change({ loop: true });
    playback.seek(199.9);
    playback.play();
    playback.advance(0.2);
    expect([playback.position, playback.playing]).toEqual([0, true]);
  });

  it("waits for frames that are not there yet", () => {
    const playback = tagMatch();
    playback.play();
    playback.advance(0.2, 3);
    expect([playback.position, playback.playing]).toEqual([3, true]);
  });

  it("does not leap ahead after the tab slept", () => {
    const playback = tagMatch();
    playback.play();
    playback.advance(3600);
    expect(playback.position).toBeLessThan(10);
  });

  it("never runs backward, whatever an animation frame says", () => {
    const playback = tagMatch();
    playback.play();
    playback.advance(-0.2);
    expect(playback.position).toBe(0);
    playback.advance(0.1);
    expect(playback.position).toBeCloseTo(2, 9);
  });

  it("steps to whole steps and stops playing", () => {
    const playback = tagMatch();
    playback.play();
    playback.seek(10.4);
    playback.nudge(1);
    expect([playback.position, playback.playing]).toEqual([11, false]);
    playback.seek(10.4);
    playback.nudge(-1);
    expect(playback.position).toBe(10);
  });

  it("stays within the replay wherever it is sent", () => {
    const playback = tagMatch();
    for (const [asked, got] of [[-5, 0], [1e9, 200], [Number.NaN, 200]] as const) {
      playback.seek(asked);
      expect(playback.position).toBe(got);
    }
  });
});

describe("a game by decisions", () => {
  it("shows the asked frames a second, each some steps on", () => {
    const playback = new Playback({ kind: "frames" });
    playback.setLength(1000);
    playback.change({ speed: 10, stride: 5 });
    playback.play();
    for (let i = 0; i < 20; i++) playback.advance(0.05);
    expect(playback.position).toBe(50);
  });
});

it("tells the page once a step, not once a picture", () => {
  const playback = tagMatch();
  playback.play();
  let calls = 0;
  playback.subscribe(() => calls++);
  for (let i = 0; i < 60; i++) playback.advance(1 / 60);
  expect(calls).toBeLessThanOrEqual(21);
});
