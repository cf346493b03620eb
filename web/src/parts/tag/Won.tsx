/** The moment it is decided. winner: 1 seekers, 2 hiders. */
export function Won({ winner, seconds }: { winner: number; seconds: number }) {
  const role = winner === 1 ? "seeker" : "hider";
  return (
    <div className={`scene-ending tag-won-${role}`} role="status">
      {role === "seeker" ? `Caught after ${seconds.toFixed(1)} s` : `Escaped for ${seconds.toFixed(1)} s`}
    </div>
  );
}
