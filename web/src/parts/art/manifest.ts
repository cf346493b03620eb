// The file of a picture or sound in an installed pack. Requested once; without a response everything is drawn.
import { useSyncExternalStore } from "react";
import { apiUrl, getJson } from "../../api/client";
import type { Cue, Picture } from "./table";

export type Manifest = {
  graphics: Partial<Record<Picture, string>>;
  sounds: Partial<Record<Cue, string[]>>;
  packs: { name: string; licence: string; licence_files: string[] }[];
};

const NOTHING: Manifest = { graphics: {}, sounds: {}, packs: [] };
let manifest = NOTHING;
const kept: HTMLImageElement[] = []; // held so that the browser keeps them: playing asks the server for nothing more
let asked: Promise<void> | undefined;
const listeners = new Set<() => void>();

/** Begins to ask, the first time. Art is decoration: a server without any, or none at all, is no error to show. */
export function askForManifest(): Promise<void> {
  asked ??= getJson<Partial<Manifest>>("/api/assets/manifest")
    .then((found) => {
      manifest = { ...NOTHING, ...found };
      kept.push(...Object.values(manifest.graphics).map(preloaded));
      for (const listener of listeners) listener();
    })
    .catch(() => undefined);
  return asked;
}

function preloaded(path: string): HTMLImageElement {
  const image = new Image();
  image.src = assetUrl(path);
  return image;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  void askForManifest();
  return () => listeners.delete(listener);
}

export function useManifest(): Manifest {
  return useSyncExternalStore(subscribe, () => manifest);
}

/** The address of the file for a picture, or null: then draw it. */
export function useArt(name: Picture): string | null {
  const path = useManifest().graphics[name];
  return path ? assetUrl(path) : null;
}

export function soundFiles(cue: Cue): string[] {
  return (manifest.sounds[cue] ?? []).map(assetUrl);
}

function assetUrl(path: string): string {
  return apiUrl(`/api/assets/${path.split("/").map(encodeURIComponent).join("/")}`);
}
