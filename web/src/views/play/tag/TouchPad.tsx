// A stick for the left thumb and a button for the right, on screens that are touched.
import { useRef, useState, type PointerEvent } from "react";
import type { Hands } from "./hands";
import { TOUCH_JUMP } from "./steering";

const REACH_PX = 44;

export function TouchPad({ hands }: { hands: Hands }) {
  const [knob, setKnob] = useState({ x: 0, y: 0 });
  const start = useRef<{ id: number; x: number; y: number } | null>(null);
  const move = (event: PointerEvent) => {
    if (start.current?.id !== event.pointerId) return;
    const [dx, dy] = [event.clientX - start.current.x, event.clientY - start.current.y];
    const length = Math.max(1, Math.hypot(dx, dy) / REACH_PX);
    setKnob({ x: dx / length, y: dy / length });
    hands.steer({ right: dx / length / REACH_PX, forward: -dy / length / REACH_PX });
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
    hands.steer({ right: 0, forward: 0 });
  };
  const jump = () => hands.press(TOUCH_JUMP);
  const land = () => hands.release(TOUCH_JUMP);
  return (
    <div className="touch" aria-hidden="true">
      <div className="touch-stick" onPointerDown={down} onPointerMove={move} onPointerUp={rest} onPointerCancel={rest}>
        <i style={{ transform: `translate(${knob.x}px, ${knob.y}px)` }} />
      </div>
      <div className="touch-jump" onPointerDown={jump} onPointerUp={land} onPointerCancel={land} onPointerLeave={land}>
        Jump
      </div>
    </div>
  );
}
