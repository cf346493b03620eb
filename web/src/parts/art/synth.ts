// The default sounds: each cue a short tone or noise with a fall, made by the browser's own synthesiser.
import type { Cue } from "./table";

export type Tone = {
  wave: OscillatorType | "noise";
  hertz: readonly [number, number]; // from, to; of noise: its filter
  ms: number;
  again?: number; // played so many times, one after the other
  loud?: number; // 0 to 1
};

export const TONES: Record<Cue, Tone> = {
  whoosh: { wave: "noise", hertz: [400, 2400], ms: 220 },
  thrust: { wave: "noise", hertz: [900, 120], ms: 520, loud: 1 },
  ping: { wave: "sine", hertz: [1200, 900], ms: 260 },
  beam: { wave: "triangle", hertz: [700, 760], ms: 220 },
  sweep: { wave: "sine", hertz: [300, 1500], ms: 480 },
  click: { wave: "square", hertz: [900, 900], ms: 22, loud: 0.4 },
  select: { wave: "sine", hertz: [1500, 1500], ms: 35, loud: 0.5 },
  "laser.low": { wave: "sawtooth", hertz: [320, 180], ms: 110, loud: 0.4 },
  "laser.mid": { wave: "sawtooth", hertz: [620, 300], ms: 120, loud: 0.45 },
  "laser.high": { wave: "sawtooth", hertz: [1100, 420], ms: 130, loud: 0.5 },
  shield: { wave: "sine", hertz: [260, 420], ms: 320 },
  chime: { wave: "sine", hertz: [1046, 1568], ms: 220, again: 2 },
  hiss: { wave: "noise", hertz: [6000, 2500], ms: 380, loud: 0.5 },
  wrench: { wave: "square", hertz: [220, 200], ms: 45, again: 3, loud: 0.4 },
  beep: { wave: "sine", hertz: [880, 880], ms: 90 },
  puff: { wave: "noise", hertz: [1200, 300], ms: 160, loud: 0.5 },
  clamp: { wave: "square", hertz: [140, 90], ms: 110 },
  cash: { wave: "triangle", hertz: [988, 1319], ms: 90, again: 2 },
  confirm: { wave: "sine", hertz: [660, 880], ms: 130 },
  repair: { wave: "triangle", hertz: [220, 440], ms: 260, again: 3 },
  success: { wave: "triangle", hertz: [523, 784], ms: 200, again: 3 },
  siren: { wave: "sawtooth", hertz: [500, 900], ms: 260, again: 2, loud: 0.5 },
  explosion: { wave: "noise", hertz: [1800, 80], ms: 480, loud: 1 },
  "explosion.big": { wave: "noise", hertz: [1200, 40], ms: 1100, loud: 1 },
  alarm: { wave: "square", hertz: [740, 740], ms: 110, again: 2, loud: 0.4 },
  failure: { wave: "sawtooth", hertz: [240, 50], ms: 800, loud: 0.6 },
  error: { wave: "square", hertz: [180, 150], ms: 90, loud: 0.4 },
  end: { wave: "triangle", hertz: [523, 392], ms: 320, again: 2 },
  start: { wave: "triangle", hertz: [440, 660], ms: 160, again: 2 },
  touch: { wave: "square", hertz: [520, 1040], ms: 140 },
  jump: { wave: "sine", hertz: [300, 620], ms: 120 },
  land: { wave: "noise", hertz: [500, 120], ms: 90, loud: 0.6 },
};

let noise: AudioBuffer | undefined;

/** Half a second of noise, made once; it loops. */
function noiseOf(context: BaseAudioContext): AudioBuffer {
  if (noise?.sampleRate === context.sampleRate) return noise;
  noise = context.createBuffer(1, context.sampleRate / 2, context.sampleRate);
  const samples = noise.getChannelData(0);
  for (let i = 0; i < samples.length; i++) samples[i] = Math.random() * 2 - 1;
  return noise;
}

/** Sets a tone up and starts it; resolves, through `done`, when its nodes may go. */
export function startTone(context: BaseAudioContext, { wave, hertz, ms, again = 1, loud = 0.7 }: Tone, done: () => void): AudioNode {
  const begin = context.currentTime;
  const each = ms / 1000;
  const end = begin + each * again;
  const volume = context.createGain();
  for (let i = 0; i < again; i++) {
    volume.gain.setValueAtTime(loud, begin + i * each);
    volume.gain.exponentialRampToValueAtTime(0.001, begin + (i + 1) * each);
  }
  const source = wave === "noise" ? noiseSource(context, hertz, begin, end, volume) : tone(context, wave, hertz, begin, each, again, volume);
  source.onended = done;
  source.start(begin);
  source.stop(end);
  return volume;
}

function tone(context: BaseAudioContext, wave: OscillatorType, [from, to]: Tone["hertz"], begin: number, each: number, again: number, into: AudioNode) {
  const source = context.createOscillator();
  source.type = wave;
  for (let i = 0; i < again; i++) {
    source.frequency.setValueAtTime(from, begin + i * each);
    source.frequency.exponentialRampToValueAtTime(to, begin + (i + 1) * each);
  }
  source.connect(into);
  return source;
}

function noiseSource(context: BaseAudioContext, [from, to]: Tone["hertz"], begin: number, end: number, into: AudioNode) {
  const source = context.createBufferSource();
  source.buffer = noiseOf(context);
  source.loop = true;
  const filter = context.createBiquadFilter();
  filter.type = "bandpass";
  filter.frequency.setValueAtTime(from, begin);
  filter.frequency.exponentialRampToValueAtTime(to, end);
  source.connect(filter).connect(into);
  return source;
}
