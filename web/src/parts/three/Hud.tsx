// Numbers over a picture: what an instrument panel would show.

export type Reading = {
  name: string;
  value: string;
  unit?: string;
  note?: string; // what it should be, or what it means now
  share?: number; // of its full range, as a bar
  warn?: boolean;
};

export function Hud({ readings }: { readings: readonly Reading[] }) {
  return (
    <dl className="hud">
      {readings.map(({ name, value, unit, note, share, warn }) => (
        <div key={name} className={warn ? "hud-warn" : ""} data-reading={name}>
          <dt>{name}</dt>
          <dd>
            <span className="hud-value numbers">{value}</span>
            {unit && <span className="hud-unit"> {unit}</span>}
            {note && <span className="hud-note numbers"> {note}</span>}
            {share !== undefined && (
              <span className="hud-bar">
                <i style={{ inlineSize: `${Math.min(1, Math.max(0, share)) * 100}%` }} />
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
