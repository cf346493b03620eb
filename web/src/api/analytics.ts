// Requests of Analytics and Runs: runs, their windows, evaluations, files, leagues, completeness, and W&B.
import { getJson, part } from "./client";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type RunSummary = Schemas["RunSummary"];
export type RunList = Schemas["RunList"];
export type RunDetail = Schemas["RunDetail"];
export type RunRecord = Schemas["RunRecord"];
export type WindowList = Schemas["WindowList"];
export type Evaluation = Schemas["Evaluation"];
export type RatingList = Schemas["RatingList"];
export type ReplayEntry = Schemas["IndexEntry"];
export type ReplayList = Schemas["ReplayList"];
export type CheckpointList = Schemas["CheckpointList"];
export type FileList = Schemas["FileList"];
export type RunFile = Schemas["RunFile"];
export type PolicyList = Schemas["PolicyList"];
export type LeagueReport = Schemas["LeagueReport"];
export type League = Schemas["League"];
export type Standing = Schemas["Standing"];
export type RankedPlayer = Schemas["RankedPlayer"];
export type Headline = Schemas["Headline"];
export type WindowRow = Schemas["WindowRow"];
export type Completeness = Schemas["Completeness"];
export type WandbStatus = Schemas["WandbStatus"];
export type WandbRunList = Schemas["WandbRunList"];
export type WandbIterationView = Schemas["WandbIterationView"];
export type GameSpec = Schemas["GameSpec"];

const run = (runId: string) => `/api/runs/${part(runId)}`;

export const listRuns = (limit: number, signal?: AbortSignal) => getJson<RunList>("/api/runs", { limit }, signal);
export const getRun = (runId: string, signal?: AbortSignal) => getJson<RunDetail>(run(runId), {}, signal);
export const newestWindows = (runId: string, limit: number, signal?: AbortSignal) =>
  getJson<WindowList>(`${run(runId)}/metrics/windows`, { limit, order: "desc" }, signal);
export const listRatings = (runId: string, signal?: AbortSignal) => getJson<RatingList>(`${run(runId)}/ratings`, { limit: 5000 }, signal);
export const listReplays = (runId: string, limit: number, signal?: AbortSignal) => getJson<ReplayList>(`${run(runId)}/replays`, { limit }, signal);
export const listCheckpoints = (runId: string, signal?: AbortSignal) => getJson<CheckpointList>(`${run(runId)}/checkpoints`, {}, signal);
export const listFiles = (runId: string, signal?: AbortSignal) => getJson<FileList>(`${run(runId)}/files`, {}, signal);
export const listPolicies = (runId: string, signal?: AbortSignal) => getJson<PolicyList>(`${run(runId)}/policies`, {}, signal);
export const getLeague = (runId: string, signal?: AbortSignal) => getJson<LeagueReport>(`${run(runId)}/league`, {}, signal);
export const getCompleteness = (runId: string, signal?: AbortSignal) => getJson<Completeness>(`${run(runId)}/analytics/completeness`, {}, signal);
export const getGame = (game: string, signal?: AbortSignal) => getJson<GameSpec>(`/api/games/${part(game)}`, {}, signal);

export const getWandbStatus = (signal?: AbortSignal) => getJson<WandbStatus>("/api/wandb/status", {}, signal);
export const listWandbRuns = (project: string | undefined, signal?: AbortSignal) =>
  getJson<WandbRunList>("/api/wandb/runs/latest", { limit: 10, project }, signal);
export const getWandbView = (runId: string, project: string, signal?: AbortSignal) =>
  getJson<WandbIterationView>(`/api/wandb/runs/${part(runId)}/iteration-view`, { project, max_points: 500 }, signal);
