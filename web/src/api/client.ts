// All requests to the server. Every error response becomes an ApiError with a sentence for the reader.

/** Empty when the page comes from the API's own server; set VITE_API_BASE when the API is on another server. */
export const API_BASE = String(import.meta.env.VITE_API_BASE ?? "").replace(/\/$/, "");
const DEADLINE_MS = 30_000;

export type Query = Record<string, string | number | boolean | undefined>;

export class ApiError extends Error {
  constructor(
    readonly status: number, // 0: no response
    message: string,
  ) {
    super(message);
    this.name = "ApiError";
  }

  get gone(): boolean {
    return this.status === 404;
  }

  get unreachable(): boolean {
    return this.status === 0;
  }
}

/** The sentence that the page shows for an error. */
export function sentence(error: unknown): string {
  if (error instanceof Error && error.message) return error.message;
  return "Something went wrong; reload the page to try again.";
}

export function apiUrl(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  const tail = parameters.size ? `?${parameters}` : "";
  return `${API_BASE}${path}${tail}`;
}

export function socketUrl(path: string, query: Query = {}): string {
  const url = new URL(apiUrl(path, query), location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}

type Options = { signal?: AbortSignal; method?: string; body?: unknown };

export async function request(path: string, query: Query = {}, { signal, method = "GET", body }: Options = {}): Promise<Response> {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  let response: Response;
  try {
    response = await fetch(apiUrl(path, query), {
      method,
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      headers: body === undefined ? undefined : { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, "The server does not answer. Is `sandlot serve` still running?");
  }
  if (!response.ok) throw await toApiError(response);
  return response;
}

const ROUTE_HINT = / GET \/\S+ lists [^.]*\./g; // a hint for programs, not for a page

/** The server's own sentence where it sent one. */
async function toApiError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => "");
  return new ApiError(response.status, detailOf(text) ?? `The server answered ${response.status} without a reason.`);
}

function detailOf(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== "object" || body === null) return undefined;
    const { detail } = body as { detail?: unknown };
    if (typeof detail === "string") return detail.replace(ROUTE_HINT, "");
  } catch {
    // Not JSON: a proxy's error page.
  }
  return undefined;
}

export async function getJson<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return (await request(path, query, { signal })).json() as Promise<T>;
}

export async function getBytes(path: string, query: Query = {}, signal?: AbortSignal): Promise<ArrayBuffer> {
  return (await request(path, query, { signal })).arrayBuffer();
}

export async function postJson<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return (await request(path, {}, { method: "POST", body, signal })).json() as Promise<T>;
}

export async function remove<T>(path: string): Promise<T> {
  return (await request(path, {}, { method: "DELETE" })).json() as Promise<T>;
}

/** A part of a path, safe whatever it holds. */
export function part(name: string | number): string {
  return encodeURIComponent(String(name));
}
