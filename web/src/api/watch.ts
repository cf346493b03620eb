// Requests of Watch: what is newest, replays by filter, one replay as its file or as frames.
import { getBytes, getJson, part, socketUrl, type Query } from "./client";
import { takeEarly } from "./early";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type Newest = Schemas["Newest"];
export type ReplayEntry = Schemas["IndexEntry"];
export type ReplayDetail = Schemas["ReplayDetail"];
export type ServerFrame = Schemas["Frame"];
export type FramePage = Schemas["FramePage"];
export type WindowRow = Schemas["WindowRow"];
export type TagList = Schemas["TagList"];
export type ReplayList = Schemas["ReplayList"];

const run = (runId: string) => `/api/runs/${part(runId)}`;
const replay = (runId: string, replayId: string) => `${run(runId)}/replays/${part(replayId)}`;

export const getNewest = async (signal?: AbortSignal) => (await takeEarly<Newest>("/api/newest")) ?? getJson<Newest>("/api/newest", {}, signal);
export const findReplays = (runId: string, filter: Query, signal?: AbortSignal) =>
  getJson<ReplayList>(`${run(runId)}/replays`, { limit: 500, ...filter }, signal);
export const listTags = (runId: string, signal?: AbortSignal) => getJson<TagList>(`${run(runId)}/tags`, {}, signal);
export const getReplay = (runId: string, replayId: string, signal?: AbortSignal) =>
  getJson<ReplayDetail>(replay(runId, replayId), {}, signal);
export const getReplayFile = async (runId: string, replayId: string, signal?: AbortSignal) => {
  const path = replayFilePath(runId, replayId);
  return (await takeEarly<ArrayBuffer>(path)) ?? getBytes(path, {}, signal);
};
export const getFrames = (runId: string, replayId: string, offset: number, limit: number, signal?: AbortSignal) =>
  getJson<FramePage>(`${replay(runId, replayId)}/frames`, { offset, limit }, signal);
export const framesSocket = (runId: string, replayId: string, offset: number, limit: number) =>
  socketUrl(`/ws/runs/${part(runId)}/replays/${part(replayId)}/frames`, { offset, limit });
export const replayFileName = (replayId: string) => `${replayId}.jsonl.gz`;
export const replayFilePath = (runId: string, replayId: string) => `${replay(runId, replayId)}/file`;
