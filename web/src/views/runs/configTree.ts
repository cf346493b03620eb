// A configuration as a flat list of settings: for searching, and for comparing two runs.

export type Setting = { path: string; value: unknown };
export type Difference = { path: string; left: string | null; right: string | null };

/** ppo.learning_rate → 0.001. A list of plain values is one setting; an empty group is shown as empty. */
export function settingsOf(config: unknown, path = ""): Setting[] {
  if (isGroup(config)) {
    const inside = Object.entries(config).flatMap(([name, value]) => settingsOf(value, path ? `${path}.${name}` : name));
    return inside.length || !path ? inside : [{ path, value: config }];
  }
  if (Array.isArray(config) && config.some((each) => isGroup(each) || Array.isArray(each)))
    return config.flatMap((each, at) => settingsOf(each, `${path}.${at}`));
  return [{ path, value: config }];
}

function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Settings whose path or value holds every word, whatever the case. */
export function search(settings: readonly Setting[], words: string): Setting[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return settings.filter(({ path, value }) => {
    const text = `${path} ${shown(value)}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

/** What is not the same in both; null where one has no such setting. */
export function differences(left: readonly Setting[], right: readonly Setting[]): Difference[] {
  const [a, b] = [left, right].map((side) => new Map(side.map(({ path, value }) => [path, shown(value)])));
  const paths = new Set([...(a?.keys() ?? []), ...(b?.keys() ?? [])]);
  return [...paths]
    .map((path) => ({ path, left: a?.get(path) ?? null, right: b?.get(path) ?? null }))
    .filter((each) => each.left !== each.right);
}

export function shown(value: unknown): string {
  return typeof value === "string" ? (value === "" ? '""' : value) : JSON.stringify(value);
}

/** Settings by their first name, for folding. */
export function groups(settings: readonly Setting[]): Map<string, Setting[]> {
  const found = new Map<string, Setting[]>();
  for (const setting of settings) {
    const dot = setting.path.indexOf(".");
    const name = dot < 0 ? "" : setting.path.slice(0, dot);
    found.set(name, [...(found.get(name) ?? []), setting]);
  }
  return found;
}
