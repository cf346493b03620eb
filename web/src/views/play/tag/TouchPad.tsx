// A stick for the left thumb and a button for the right, on screens that are touched.
import { useRef, useState, type PointerEvent, type RefObject } from "react";
import { REST, type Wish } from "./steering";

const REACH_PX = 44;

export function TouchPad({ touch }: { touch: RefObject<Wish> }) {
  const [knob, setKnob] = useState({ x: 0, y: 0 });
  const start = useRef<{ id: number; x: number; y: number } | null>(null);
  const move = (event: PointerEvent) => {
    if (start.current?.id !== event.pointerId) return;
    const [dx, dy] = [event.clientX - start.current.x, event.clientY - start.current.y];
    const length = Math.max(1, Math.hypot(dx, dy) / REACH_PX);
    setKnob({ x: dx / length, y: dy / length });
    touch.current = { ...touch.current, right: dx / length / REACH_PX, forward: -dy / length / REACH_PX };
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
    touch.current = { ...REST, jump: touch.current.jump };
  };
  const jump = (wanted: boolean) => () => {
    touch.current = { ...touch.current, jump: wanted };
  };
  return (
    <div className="touch" aria-hidden="true">
      <div className="touch-stick" onPointerDown={down} onPointerMove={move} onPointerUp={rest} onPointerCancel={rest}>
        <i style={{ transform: `translate(${knob.x}px, ${knob.y}px)` }} />
      </div>
      <div className="touch-jump" onPointerDown={jump(true)} onPointerUp={jump(false)} onPointerCancel={jump(false)} onPointerLeave={jump(false)}>
        Jump
      </div>
    </div>
  );
}
