// The names of pictures, sounds and effects, and which of them each action and event has. One file for site and server.
import table from "../../../../src/sandlot/media/art/table.json";

export type Picture = keyof typeof table.graphics;
export type Cue = keyof typeof table.sounds;
export type Effect = keyof typeof table.effects;
export type Signs = { effect: Effect | null; sound: Cue | null; icon: Picture | null };

const NONE: Signs = { effect: null, sound: null, icon: null };

type Row = Signs & { names: readonly string[] };
type Games = Record<string, { actions: readonly Row[]; events: readonly Row[] }>;
const BY_NAME = new Map<string, Signs>();
for (const [game, kinds] of Object.entries(table.games as unknown as Games))
  for (const [kind, rows] of Object.entries(kinds))
    for (const { names, ...signs } of rows) for (const name of names) BY_NAME.set(`${game}/${kind}/${name}`, signs);

export const PICTURES = Object.keys(table.graphics) as Picture[];
export const CUES = Object.keys(table.sounds) as Cue[];
export const EFFECTS = Object.keys(table.effects) as Effect[];

/** What an action looks and sounds like; nothing for a game that the table does not know. */
export function actionSigns(game: string, action: string): Signs {
  return BY_NAME.get(`${game}/actions/${action}`) ?? NONE;
}

export function eventSigns(game: string, event: string): Signs {
  return BY_NAME.get(`${game}/events/${event}`) ?? NONE;
}

/** What a picture is of, for those who cannot see it. */
export function meaning(picture: Picture): string {
  return table.graphics[picture];
}
