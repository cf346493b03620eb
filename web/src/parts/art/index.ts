// Pictures and sounds by what they mean. Pages never name a file.
export { Art, ArtMark } from "./Art";
export { useArt, useManifest } from "./manifest";
export { isSoundOn, playCue, setSound, soundingVoices, useSound } from "./sound";
export { SoundSwitch } from "./SoundSwitch";
export { useEventCues } from "./useEventCues";
export { actionSigns, eventSigns, type Cue, type Effect, type Picture, type Signs } from "./table";
