class_name Recorder
extends SandlotFrameRecorder
## Dumps frames: set `enabled` (or AI_RECORD=1) and every moment of the scene is saved as `frame_00000.png` and so on in
## `data/frames`, `fps` a second. `bash scripts/encode_frames.sh` makes them a film.
