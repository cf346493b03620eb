import { expect, test } from "vitest";
import { Hands } from "../../../../src/views/play/hands";
import { bindings, REST, steeringOf, TOUCH_JUMP } from "../../../../src/views/play/tag/steering";

function tap(hands: Hands, code: string): void {
  hands.press(code);
  hands.release(code);
}

function button(number: number) {
  return { axes: [0, 0], buttons: Array.from({ length: 16 }, (_, i) => ({ pressed: i === number, touched: false, value: 0 })) };
}

test("a key that was let go before the game asked counts for one decision", () => {
  const hands = new Hands(bindings);
  tap(hands, "KeyW");
  expect(steeringOf(hands.axes()).forward).toBe(1);
  expect(steeringOf(hands.axes()).forward).toBe(1); // asking takes nothing away, deciding does
  hands.decided(false);
  expect(steeringOf(hands.axes())).toEqual(REST);
});

test.each(["Space", TOUCH_JUMP])("a tap on %s is one jump", (code) => {
  const hands = new Hands(bindings);
  tap(hands, code);
  expect(steeringOf(hands.axes()).jump).toBe(true);
  hands.decided(true);
  expect(steeringOf(hands.axes()).jump).toBe(false);
});

test("a tap to jump just before the landing is still wanted on it, and not for ever", () => {
  const hands = new Hands(bindings);
  tap(hands, "Space");
  for (let decision = 0; decision < 3; decision++) {
    hands.decided(false);
    expect(steeringOf(hands.axes()).jump).toBe(true);
  }
  hands.decided(false);
  expect(steeringOf(hands.axes()).jump).toBe(false);
});

test("a key that is held down counts until it is let go, and not a decision longer", () => {
  const hands = new Hands(bindings);
  hands.press("KeyD");
  for (let decision = 0; decision < 20; decision++) {
    hands.press("KeyD"); // the keyboard repeats it
    hands.decided(false);
    expect(steeringOf(hands.axes()).right).toBe(1);
  }
  hands.release("KeyD");
  expect(steeringOf(hands.axes())).toEqual(REST);
});

test("a button of a gamepad that one picture saw counts for the decision of a later one", () => {
  const hands = new Hands(bindings);
  hands.readGamepads([button(0)]);
  hands.readGamepads([button(-1)]);
  expect(steeringOf(hands.axes()).jump).toBe(true);
  hands.decided(true);
  expect(steeringOf(hands.axes()).jump).toBe(false);
});

test("a gamepad that is unplugged lets go", () => {
  const hands = new Hands(bindings);
  hands.readGamepads([{ ...button(12), axes: [0.5, 0] }]);
  hands.decided(false);
  hands.readGamepads([]);
  expect(steeringOf(hands.axes())).toEqual(REST);
});

test("a flick of the stick counts for one decision", () => {
  const hands = new Hands(bindings);
  hands.steer({ right: 0, forward: 1 });
  hands.steer({ right: 0, forward: 0 });
  expect(steeringOf(hands.axes()).forward).toBe(1);
  hands.decided(false);
  expect(steeringOf(hands.axes())).toEqual(REST);
});

test("taps before the match are forgotten, what is held is not", () => {
  const hands = new Hands(bindings);
  tap(hands, "Space");
  hands.press("KeyW");
  hands.forgetTaps();
  expect(steeringOf(hands.axes())).toEqual({ right: 0, forward: 1, jump: false });
});
