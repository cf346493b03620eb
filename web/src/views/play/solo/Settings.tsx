// The settings that a game offers as choices, and the seed.
import type { Config, GameSpec } from "../../../engine/engine";
import { capital, plainName } from "../../../parts/player/words";
import { Select } from "../../../parts/ui";

export type Chosen = { config: Config; seed: string };

const SEED_DIGITS = 19; // of 63 bits

export function Settings({ spec, chosen, onChange }: { spec: GameSpec; chosen: Chosen; onChange: (chosen: Chosen) => void }) {
  const { config, seed } = chosen;
  const change = (name: string, value: string) => onChange({ ...chosen, config: { ...config, [name]: value } });
  return (
    <div className="stack">
      {spec.profiles.length > 1 && (
        <Select label="Profile" value={String(config.profile ?? spec.profiles[0])} options={spec.profiles.map(optionOf)} onChange={(value) => change("profile", value)} />
      )}
      {spec.knobs
        .filter(({ kind }) => kind === "choice")
        .map(({ name, choices, defaults }) => (
          <Select
            key={name}
            label={capital(plainName(name))}
            value={String(config[name] ?? choices[defaults[0] ?? 0] ?? "")}
            options={choices.map(optionOf)}
            onChange={(value) => change(name, value)}
          />
        ))}
      <label className="field">
        <span className="field-label">Seed, empty for a new one each time</span>
        <input value={seed} inputMode="numeric" onChange={(event) => onChange({ ...chosen, seed: event.target.value.replace(/\D/g, "").slice(0, SEED_DIGITS) })} />
      </label>
    </div>
  );
}

function optionOf(value: string): { value: string; label: string } {
  return { value, label: plainName(value) };
}

