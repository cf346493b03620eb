// Frames that the server made: the fallback where this page's engine cannot play a replay again.
import { ApiError, getJson, part } from "../../api/client";
import { framesSocket, getFrames, getReplay, type FramePage, type ReplayDetail, type ServerFrame } from "../../api/watch";
import type { FieldSpec, Frame, GameSpec, ReplayEvent, Named, ReplayFacts, Source, Verdict } from "./source";
import { actionWords } from "./words";

export type Transport = "http" | "socket";

const PAGE = 128; // frames a request
const MOST_PAGES = 24; // kept in memory; the farthest from the playhead go first
const SOCKET_DEADLINE_MS = 30_000;

export async function openServerSource(runId: string, replayId: string, transport: Transport, why: string, signal: AbortSignal): Promise<Source> {
  const detail = await getReplay(runId, replayId, signal);
  if (!detail.header || !detail.end || !detail.playable) throw new ApiError(409, detail.why_not ?? "The server cannot show this replay.");
  const game = await getJson<{ spec: GameSpec }>(`/api/games/${part(detail.header.game)}`, {}, signal);
  const source = new ServerSource(game.spec, detail, transport, why);
  await source.loadPage(0);
  return source;
}

class ServerSource implements Source {
  readonly facts: ReplayFacts;
  readonly steps: number;
  readonly ticks: number;
  #pages = new Map<number, Frame[]>();
  #opening: Frame | null = null;
  #loading = new Map<number, Promise<void>>();
  #failed = new Set<number>();
  #listeners = new Set<() => void>();
  #stop = new AbortController();
  #replayEvents: ReplayEvent[];

  constructor(
    readonly spec: GameSpec,
    readonly detail: ReplayDetail,
    readonly transport: Transport,
    readonly why: string,
  ) {
    const { header, end } = detail;
    if (!header || !end) throw new ApiError(409, "The server cannot read this replay.");
    this.steps = end.steps;
    this.ticks = end.ticks;
    this.facts = {
      replayId: header.replay_id,
      runId: detail.run_id,
      windowId: header.window_id ?? null,
      game: header.game,
      seed: String(header.seed),
      config: header.config,
      agents: header.agents,
      policies: header.policies,
      tags: detail.replay.tags,
      createdAt: header.created_at,
      returns: end.returns,
      episode: end.episode,
    };
    this.#replayEvents = detail.events.map(({ step, name }) => ({ step: step + 1, tick: this.tickOfStep(step + 1), name, values: {} }));
  }

  frameAt(step: number): Frame | null {
    if (step <= 0) return this.#opening;
    const page = Math.floor((step - 1) / PAGE);
    const found = this.#pages.get(page)?.[(step - 1) % PAGE] ?? null;
    if (!found) void this.loadPage(page).catch(() => this.#failed.add(page));
    else if (!this.#pages.has(page + 1) && (page + 1) * PAGE < this.steps) void this.loadPage(page + 1).catch(() => this.#failed.add(page + 1));
    return found;
  }

  /** Loads a page once; later calls wait for the same answer. */
  loadPage(page: number): Promise<void> {
    if (this.#pages.has(page) || this.#failed.has(page)) return Promise.resolve();
    let loading = this.#loading.get(page);
    if (!loading) {
      loading = this.#load(page).finally(() => this.#loading.delete(page));
      this.#loading.set(page, loading);
    }
    return loading;
  }

  async #load(page: number): Promise<void> {
    const { runId, replayId } = { runId: this.detail.run_id, replayId: this.facts.replayId };
    const answer = this.transport === "http" ? await getFrames(runId, replayId, page * PAGE, PAGE, this.#stop.signal) : await overSocket(runId, replayId, page * PAGE, this.#stop.signal);
    if (answer.opening) this.#opening = this.#openingFrame(answer.opening);
    else if (page === 0 && !this.#opening) this.#opening = this.#openingFrame((await getFrames(runId, replayId, 0, 1, this.#stop.signal)).opening ?? {});
    this.#pages.set(page, answer.frames.map((frame) => this.#frame(frame)));
    this.#forget(page);
    for (const listener of this.#listeners) listener();
  }

  #forget(near: number): void {
    const far = [...this.#pages.keys()].sort((a, b) => Math.abs(b - near) - Math.abs(a - near));
    for (const page of far.slice(0, Math.max(0, far.length - MOST_PAGES))) this.#pages.delete(page);
  }

  #openingFrame(state: Readonly<Record<string, unknown>>): Frame {
    const named = this.#named(state);
    return { step: 0, tick: 0, dt: 0, actions: [], rewards: this.facts.agents.map(() => 0), terms: {}, events: [], ...named, raw: state };
  }

  #frame(frame: ServerFrame): Frame {
    const step = frame.frame_index + 1;
    return {
      step,
      tick: frame.t,
      dt: frame.dt,
      actions: actionWords(this.spec, frame.action),
      rewards: [frame.reward].flat(),
      terms: {},
      events: frame.events.map((event) => replayEvent(event, step, frame.t)),
      ...this.#named(frame.render_state),
      raw: frame,
    };
  }

  #named(state: Readonly<Record<string, unknown>>): Pick<Frame, "render" | "info"> {
    return { render: block(this.spec.render, state), info: block(this.spec.info, state) };
  }

  events(): readonly ReplayEvent[] {
    return this.#replayEvents;
  }

  tickOfStep(step: number): number {
    const known = this.#pages.get(Math.floor((step - 1) / PAGE))?.[(step - 1) % PAGE];
    return known?.tick ?? Math.round((step / Math.max(1, this.steps)) * this.ticks);
  }

  stepOfTick(tick: number): number {
    return Math.min(this.steps, Math.max(0, Math.ceil((tick / Math.max(1, this.ticks)) * this.steps)));
  }

  verdict(): Verdict {
    const playedIn = this.detail.header?.played_in ?? "native";
    return playedIn === "native" ? { state: "unchecked", why: this.why } : { state: "elsewhere", engine: playedIn };
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#stop.abort();
  }
}

function replayEvent(event: Readonly<Record<string, unknown>>, step: number, tick: number): ReplayEvent {
  const { name, values } = event as { name?: string; values?: Record<string, number> };
  const rest = Object.entries(values ?? event).filter((pair): pair is [string, number] => typeof pair[1] === "number");
  return { step, tick, name: String(name ?? "event"), values: Object.fromEntries(rest) };
}

/** The server writes words and nested lists; the page's blocks hold numbers, flat. */
function block(fields: readonly FieldSpec[], state: Readonly<Record<string, unknown>>): Named {
  const pairs = fields.flatMap((field): [string, number | number[]][] => {
    const value = state[field.name];
    if (value === undefined || value === null) return [];
    if (typeof value === "string") return [[field.name, Math.max(0, field.labels.indexOf(value))]];
    return [[field.name, Array.isArray(value) ? value.flat(3).map(Number) : Number(value)]];
  });
  return Object.fromEntries(pairs);
}

type SocketMessage = { type: string; frames?: ServerFrame[]; opening?: FramePage["opening"]; detail?: string; status_code?: number };

function overSocket(runId: string, replayId: string, offset: number, signal: AbortSignal): Promise<Pick<FramePage, "frames" | "opening">> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(framesSocket(runId, replayId, offset, PAGE));
    const frames: ServerFrame[] = [];
    let opening: FramePage["opening"] = null;
    const late = setTimeout(() => finish(() => reject(new ApiError(0, "The server's socket sends nothing; choose HTTP under Advanced."))), SOCKET_DEADLINE_MS);
    const finish = (tell: () => void) => {
      clearTimeout(late);
      socket.onclose = socket.onerror = null;
      socket.close();
      tell();
    };
    signal.addEventListener("abort", () => finish(() => reject(signal.reason as Error)), { once: true });
    socket.onerror = () => finish(() => reject(new ApiError(0, "The server's socket cannot be reached; choose HTTP under Advanced.")));
    socket.onclose = () => finish(() => reject(new ApiError(0, "The server closed the socket before all frames were sent.")));
    socket.onmessage = (event: MessageEvent<string>) => {
      const message = JSON.parse(event.data) as SocketMessage;
      if (message.type === "error") finish(() => reject(new ApiError(message.status_code ?? 500, message.detail ?? "The server's socket refused.")));
      else if (message.type === "complete") finish(() => resolve({ frames, opening }));
      else {
        frames.push(...(message.frames ?? []));
        opening = message.opening ?? opening;
      }
    };
  });
}
