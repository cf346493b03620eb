// Requests of Learn and Home: how play changed over a training, and the trained policies that ship with Sandlot.
import { getJson, part } from "./client";
import type { components } from "./schema";

type Schemas = components["schemas"];
export type LearningHistory = Schemas["LearningHistory"];
export type Stage = Schemas["Stage"];
export type StageReplay = Schemas["StageReplay"];
export type LearningResult = Schemas["LearningResult"];
export type PretrainedGame = Schemas["PretrainedGame"];
export type PretrainedList = Schemas["PretrainedList"];

/** Whose learning is shown: a run's, or that of a game whose trained policies ship with Sandlot. */
export type Training = { kind: "run"; run: string } | { kind: "pretrained"; game: string };

export const getLearning = (training: Training, signal?: AbortSignal) =>
  getJson<LearningHistory>(training.kind === "run" ? `/api/runs/${part(training.run)}/learning` : `/api/pretrained/${part(training.game)}/learning`, {}, signal);
export const listPretrained = (signal?: AbortSignal) => getJson<PretrainedList>("/api/pretrained", {}, signal);

/** The game that stands for all that ship: one of two sides, which is the better show, where there is one. */
export function shippedFirst(games: readonly PretrainedGame[]): PretrainedGame | undefined {
  return games.find(({ policies }) => policies.length > 1) ?? games[0];
}

/** The page that shows a training's learning. */
export function learnAddress(training: Training): string {
  return training.kind === "run" ? `/learn?run=${part(training.run)}` : `/learn?trained=${part(training.game)}`;
}
