// Responses that index.html requested before the scripts were loaded (early.js); each is used once.

declare global {
  var sandlotEarly: Record<string, Promise<unknown>> | undefined;
}

/** The early response to a path; null when it was not requested or failed. */
export async function takeEarly<T>(path: string): Promise<T | null> {
  const answer = globalThis.sandlotEarly?.[path];
  if (!answer) return null;
  delete globalThis.sandlotEarly?.[path];
  return (await answer) as T | null;
}
