// Sound: off by default, the choice is remembered, and the number of sounds at a time is limited.
import { useSyncExternalStore } from "react";
import { askForManifest, soundFiles } from "./manifest";
import { startTone, TONES } from "./synth";
import type { Cue } from "./table";

const REMEMBERED = "sandlot.sound";
const MOST_VOICES = 8; // sounding at once; a replay at ten frames a second asks for more
const SAME_CUE_PAUSE_MS = 60;
const MOST_BUFFERS = 64; // decoded files kept
const LOUDNESS = 0.35;

let on = remembered();
let context: AudioContext | undefined;
let master: GainNode | undefined;
const buffers = new Map<string, Promise<AudioBuffer | null>>();
const lastPlayed = new Map<Cue, { at: number; turn: number }>();
const voices = new Set<AudioNode>();
const listeners = new Set<() => void>();

function remembered(): boolean {
  try {
    return localStorage.getItem(REMEMBERED) === "on";
  } catch {
    return false; // storage is forbidden here: silence is the default
  }
}

export function isSoundOn(): boolean {
  return on;
}

export function setSound(wanted: boolean): void {
  on = wanted;
  try {
    localStorage.setItem(REMEMBERED, wanted ? "on" : "off");
  } catch {
    // Not remembered, then.
  }
  if (!wanted) silence();
  else void openContext()?.resume(); // within the click that asked for it, as browsers want
  for (const listener of listeners) listener();
}

/** [whether sound is on, switch it]. */
export function useSound(): readonly [boolean, (wanted: boolean) => void] {
  const now = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    isSoundOn,
    () => false,
  );
  return [now, setSound];
}

/** How many sounds are being heard; a test watches that it comes back to none. */
export function soundingVoices(): number {
  return voices.size;
}

/** Plays a cue if sound is on; null is an explicit none. Dropped rather than queued when too much sounds already. */
export function playCue(cue: Cue | null | undefined): void {
  if (!on || !cue || document.hidden || voices.size >= MOST_VOICES) return;
  const last = lastPlayed.get(cue);
  const now = performance.now();
  if (last && now - last.at < SAME_CUE_PAUSE_MS) return;
  const turn = (last?.turn ?? -1) + 1;
  lastPlayed.set(cue, { at: now, turn });
  const audio = openContext();
  if (!audio || audio.state === "closed") return;
  void askForManifest();
  const files = soundFiles(cue);
  const file = files[turn % Math.max(1, files.length)];
  if (file) void playFile(audio, file, cue);
  else playTone(audio, cue);
}

function openContext(): AudioContext | undefined {
  if (!context && typeof AudioContext !== "undefined") {
    context = new AudioContext();
    master = context.createGain();
    master.gain.value = LOUDNESS;
    master.connect(context.destination);
  }
  return context;
}

function playTone(audio: AudioContext, cue: Cue): void {
  const voice = startTone(audio, TONES[cue], () => release(voice));
  hold(voice);
}

async function playFile(audio: AudioContext, url: string, cue: Cue): Promise<void> {
  const buffer = await decoded(audio, url);
  if (!on || voices.size >= MOST_VOICES) return;
  if (!buffer) return playTone(audio, cue);
  const source = audio.createBufferSource();
  source.buffer = buffer;
  source.onended = () => release(source);
  hold(source);
  source.start();
}

/** A file's sound, fetched and decoded once; null when it cannot be: then the tone is played. */
function decoded(audio: AudioContext, url: string): Promise<AudioBuffer | null> {
  let found = buffers.get(url);
  if (!found) {
    found = fetch(url)
      .then((answer) => (answer.ok ? answer.arrayBuffer() : Promise.reject(new Error(String(answer.status)))))
      .then((bytes) => audio.decodeAudioData(bytes))
      .catch(() => null);
    if (buffers.size >= MOST_BUFFERS) buffers.delete(buffers.keys().next().value ?? "");
    buffers.set(url, found);
  }
  return found;
}

function hold(voice: AudioNode): void {
  voice.connect(master ?? voice.context.destination);
  voices.add(voice);
}

function release(voice: AudioNode): void {
  voice.disconnect();
  voices.delete(voice);
}

function silence(): void {
  for (const voice of [...voices]) release(voice);
}
