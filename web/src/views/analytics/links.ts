// Addresses of other pages that this one leads to.
const query = (parts: Record<string, string | undefined>) =>
  new URLSearchParams(Object.entries(parts).filter((each): each is [string, string] => each[1] !== undefined)).toString();

export const watchLink = (run: string, replay?: string) => `/?${query({ run, replay })}`;
export const analyticsLink = (run: string, tab?: string) => `/analytics?${query({ run, tab })}`;
export const runLink = (run: string) => `/runs/${encodeURIComponent(run)}`;
