import { describe, expect, it } from "vitest";
import { DRAWN } from "../../../../src/parts/art/drawn";
import { TONES } from "../../../../src/parts/art/synth";
import { actionSigns, CUES, eventSigns, meaning, PICTURES } from "../../../../src/parts/art/table";

describe("the table of signs", () => {
  it("knows an action by its name", () => {
    expect(actionSigns("prospector", "MINE_AGGRESSIVE_SELECTED")).toEqual({
      effect: "beam.bright",
      sound: "laser.high",
      icon: "icon.action.mine.aggressive",
    });
  });

  it("keeps an explicit none apart from nothing known, though both are silent", () => {
    expect(actionSigns("prospector", "HOLD_DRIFT")).toEqual({ effect: null, sound: null, icon: "icon.action.hold" });
    expect(actionSigns("chess", "castle")).toEqual({ effect: null, sound: null, icon: null });
  });

  it("does not take an event for an action of the same name", () => {
    expect(eventSigns("tag", "jump").sound).toBe("jump");
    expect(actionSigns("tag", "jump").sound).toBeNull();
  });
});

describe("the default look and sound", () => {
  it("draws every picture and has a tone for every cue", () => {
    expect(Object.keys(DRAWN).sort()).toEqual([...PICTURES].sort());
    expect(Object.keys(TONES).sort()).toEqual([...CUES].sort());
    for (const picture of PICTURES) expect(meaning(picture)).not.toBe("");
  });

  it("keeps every sound short and its pitch a positive number, as ramps need", () => {
    for (const tone of Object.values(TONES)) {
      expect(tone.ms * (tone.again ?? 1)).toBeLessThanOrEqual(1200);
      expect(Math.min(...tone.hertz)).toBeGreaterThan(0);
    }
  });
});
