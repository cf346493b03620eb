// What one agent sees, as it sees it: its rays from left to right, near things tall, by type.
import { useEffect, useRef } from "react";
import { Seen, type Agent } from "./state";

const HEIGHT = 44;
const COLUMN = 6;

export function SightStrip({ agent, name, range }: { agent: Agent; name: string; range: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const pen = canvas.current?.getContext("2d");
    if (pen) drawSight(pen, agent, range);
  }, [agent, range]);
  const nearest = Math.min(...agent.rays.filter((ray) => ray.seen === Seen.Agent).map((ray) => ray.distance));
  const text = agent.out ? "is out" : Number.isFinite(nearest) ? `sees an opponent at ${nearest.toFixed(1)} m` : "sees nobody";
  return (
    <figure className="sight">
      <figcaption>
        <strong className={agent.seeker ? "tag-label-seeker" : "tag-label-hider"}>{name}</strong> {text}
      </figcaption>
      <canvas ref={canvas} width={agent.rays.length * COLUMN} height={HEIGHT} role="img" aria-label={`${name} ${text}`} />
    </figure>
  );
}

function drawSight(pen: CanvasRenderingContext2D, agent: Agent, range: number): void {
  const { width, height } = pen.canvas;
  const colours = { sky: "#0b0f12", wall: "#aab4ba", opponent: agent.seeker ? "#46bfe0" : "#ff7a55" };
  pen.fillStyle = colours.sky;
  pen.fillRect(0, 0, width, height);
  if (agent.out) return;
  agent.rays.forEach(({ distance, seen }, i) => {
    if (seen === Seen.Nothing) return;
    const tall = Math.min(height, height / (0.55 + distance * 0.42));
    pen.globalAlpha = seen === Seen.Agent ? 1 : 0.9 - 0.65 * Math.min(1, distance / range);
    pen.fillStyle = seen === Seen.Agent ? colours.opponent : colours.wall;
    // Ray 0 is the right edge of the view.
    pen.fillRect(width - (i + 1) * COLUMN, (height - tall) / 2, COLUMN - 1, tall);
  });
  pen.globalAlpha = 1;
}
