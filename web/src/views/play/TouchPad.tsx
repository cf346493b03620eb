// A stick for the left thumb and a button or a second stick for the right, on screens that are touched.
import { useRef, useState, type PointerEvent } from "react";
import type { Hands, Stick } from "./hands";

const REACH_PX = 44;

export type Touch = { left: Stick; right: Stick | { code: string; label: string } };

export function TouchPad({ hands, touch: { left, right } }: { hands: Hands; touch: Touch }) {
  return (
    <div className="touch" aria-hidden="true">
      <TouchStick hands={hands} stick={left} />
      {"code" in right ? <TouchButton hands={hands} {...right} /> : <TouchStick hands={hands} stick={right} />}
    </div>
  );
}

function TouchStick({ hands, stick }: { hands: Hands; stick: Stick }) {
  const [knob, setKnob] = useState({ x: 0, y: 0 });
  const start = useRef<{ id: number; x: number; y: number } | null>(null);
  const steer = (right: number, up: number) => hands.steer({ ...(stick.x ? { [stick.x]: right } : {}), ...(stick.y ? { [stick.y]: up } : {}) });
  const move = (event: PointerEvent) => {
    if (start.current?.id !== event.pointerId) return;
    const dx = stick.x ? event.clientX - start.current.x : 0;
    const dy = stick.y ? event.clientY - start.current.y : 0;
    const length = Math.max(1, Math.hypot(dx, dy) / REACH_PX);
    setKnob({ x: dx / length, y: dy / length });
    steer(dx / length / REACH_PX, -dy / length / REACH_PX);
  };
  const down = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    start.current = { id: event.pointerId, x: box.left + box.width / 2, y: box.top + box.height / 2 };
    event.currentTarget.setPointerCapture(event.pointerId);
    move(event);
  };
  const rest = () => {
    start.current = null;
    setKnob({ x: 0, y: 0 });
    steer(0, 0);
  };
  return (
    <div className="touch-stick" onPointerDown={down} onPointerMove={move} onPointerUp={rest} onPointerCancel={rest}>
      <i style={{ transform: `translate(${knob.x}px, ${knob.y}px)` }} />
    </div>
  );
}

function TouchButton({ hands, code, label }: { hands: Hands; code: string; label: string }) {
  const press = () => hands.press(code);
  const release = () => hands.release(code);
  return (
    <div className="touch-button" onPointerDown={press} onPointerUp={release} onPointerCancel={release} onPointerLeave={release}>
      {label}
    </div>
  );
}
