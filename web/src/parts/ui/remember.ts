// Small choices that outlive a visit. Where a browser forbids storage they last as long as the page.

export function remembered(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Forbidden here; nothing else depends on it.
  }
}
