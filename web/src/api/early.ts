// What index.html asked for before any script was there (early.js): each answer is taken once, and only by who asks for
// exactly that.

declare global {
  var sandlotEarly: Record<string, Promise<unknown>> | undefined;
}

/** The early answer to a path, or null: nobody asked early, or there was none, and one has to ask oneself. */
export async function takeEarly<T>(path: string): Promise<T | null> {
  const answer = globalThis.sandlotEarly?.[path];
  if (!answer) return null;
  delete globalThis.sandlotEarly?.[path];
  return (await answer) as T | null;
}
