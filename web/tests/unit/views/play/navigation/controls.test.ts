import { describe, expect, it } from "vitest";
import { Hands } from "../../../../../src/views/play/hands";
import { actionOf, bindings } from "../../../../../src/views/play/navigation/controls";

function asked(...codes: string[]): Record<string, number> {
  const hands = new Hands(bindings);
  for (const code of codes) hands.press(code);
  return actionOf(hands.axes());
}

describe("keys on foot", () => {
  it("walk and turn as the head is meant to", () => {
    expect(asked("KeyW", "ArrowRight")).toEqual({ move_horizontal: 0, move_vertical: 1, rotate: 1 });
    expect(asked("KeyS", "KeyA", "KeyQ")).toEqual({ move_horizontal: -1, move_vertical: -1, rotate: -1 });
    expect(asked("KeyE", "ArrowLeft").rotate).toBe(0);
  });

  it("ask for less while Shift is held, and Shift alone for nothing", () => {
    expect(asked("KeyW", "ShiftLeft").move_vertical).toBe(0.7);
    expect(Object.values(asked("ShiftRight")).every((value) => value === 0)).toBe(true);
  });

  it("both sticks of a gamepad walk and turn at once", () => {
    const hands = new Hands(bindings);
    hands.readGamepads([{ axes: [0.5, -1, 0.4, 0.9], buttons: [] }]);
    expect(actionOf(hands.axes())).toEqual({ move_horizontal: 0.5, move_vertical: 1, rotate: 0.4 });
  });
});
