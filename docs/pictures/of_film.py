"""The README's pictures of a film: a poster, a sheet of moments and a moving picture of at most 5 MB.

python docs/pictures/of_film.py FILM.mp4 docs/pictures
"""

import json
import sys
from pathlib import Path

import numpy as np
from PIL import Image

from sandlot.media.mp4 import read_frames, video_info

LARGEST = 5_000_000  # bytes of the moving picture
GIF_WIDTH, GIF_FPS, COLOURS = 480, 7, 96
SHEET = ("early", "split", "touch", "end")  # shots, each at this share of its time
SHARES = {"early": 0.5, "split": 0.8, "touch": 0.85, "end": 0.9, "title": 0.6, "finish": 0.8}
MOVING = ("split", "touch", "finish", "end")


def main(film: Path, folder: Path) -> None:
    """Write film_poster.jpg, film.jpg and film.gif."""
    fps = video_info(film).fps
    frames = list(read_frames(film))
    shots, begin = {}, 0.0
    for shot in json.loads(film.with_suffix(".json").read_text())["shots"]:
        shots[shot["name"]] = (begin, shot["seconds"])
        begin += shot["seconds"]

    def moment(name: str) -> Image.Image:
        first, seconds = shots[name]
        return Image.fromarray(frames[min(len(frames) - 1, int((first + SHARES[name] * seconds) * fps))])

    folder.mkdir(parents=True, exist_ok=True)
    moment("touch" if "touch" in shots else "finish").save(folder / "film_poster.jpg", quality=88)
    chosen = [moment(name) for name in SHEET if name in shots]
    wide, tall = chosen[0].size
    sheet = Image.new("RGB", (2 * wide, (len(chosen) + 1) // 2 * tall))
    for number, picture in enumerate(chosen):
        sheet.paste(picture, (number % 2 * wide, number // 2 * tall))
    sheet.thumbnail((1280, 1280))
    sheet.save(folder / "film.jpg", quality=86)
    write_gif(frames, fps, [shots[name] for name in MOVING if name in shots], folder / "film.gif")


def write_gif(frames: list[np.ndarray], fps: float, parts: list[tuple[float, float]], path: Path) -> None:
    """These parts of the film, smaller until the file is small enough."""
    times = [begin + t for begin, seconds in parts for t in np.arange(0, seconds, 1 / GIF_FPS)]
    for width in (GIF_WIDTH, 400, 320, 240):
        pictures = []
        for time in times:
            picture = Image.fromarray(frames[min(len(frames) - 1, int(time * fps))])
            picture = picture.resize(
                (width, round(width * picture.height / picture.width)), Image.Resampling.LANCZOS
            )
            pictures.append(picture.quantize(COLOURS, dither=Image.Dither.NONE))
        options = {"save_all": True, "duration": round(1000 / GIF_FPS), "loop": 0, "optimize": True}
        pictures[0].save(path, append_images=pictures[1:], **options)
        if path.stat().st_size <= LARGEST:
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
