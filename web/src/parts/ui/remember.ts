// Small choices kept in localStorage; where a browser forbids it, until the page is closed.

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
