"""Which file of a pack fits which name: lists of patterns, best first, and how they are matched.

A pattern is the end of a path in lower case, with * for any characters. The lists know the public-domain
packs by Kenney (Simple Space, Space Shooter Redux and its extension, Planets, UI Pack and its space edition,
Game Icons, Sci-fi Sounds, Interface Sounds, Digital Audio); other packs bring a sandlot-art.json instead.
"""

import fnmatch
from collections.abc import Iterable
from dataclasses import dataclass, field

# Files of one cue: the page plays them in turn, so that ten a second do not sound like a machine.
MAX_VARIANTS = 4

GRAPHICS: dict[str, tuple[str, ...]] = {
    "entity.ship.agent": ("playership1_blue.png", "ship_a.png", "spaceships_001.png"),
    "entity.ship.human": ("playership2_orange.png", "ship_e.png", "spaceships_004.png"),
    "entity.station": ("station_a.png", "spacestation_020.png", "ufoyellow.png"),
    "entity.asteroid.small": ("meteorbrown_small1.png", "meteor_small.png", "spacemeteors_004.png"),
    "entity.asteroid.medium": ("meteorbrown_med1.png", "meteor_large.png", "spacemeteors_003.png"),
    "entity.asteroid.large": ("meteorbrown_big1.png", "meteor_detailedlarge.png", "spacemeteors_001.png"),
    "entity.hazard.meteoroidField": ("meteorgrey_small1.png", "meteor_squaredetailedsmall.png"),
    "entity.hazard.radiation": ("effect_yellow.png", "bolt_gold.png", "spaceeffects_018.png"),
    "entity.pirate.marker": ("icon_exclamationlarge.png", "1x/warning.png", "exclamation.png"),
    "entity.pirate.ship": ("enemyblack1.png", "enemy_a.png", "ufored.png"),
    "background.starfield.0": ("backgrounds/black.png",),
    "background.starfield.1": ("backgrounds/darkpurple.png",),
    "background.starfield.2": ("backgrounds/blue.png",),
    "background.starfield.3": ("backgrounds/purple.png",),
    "background.planet.0": ("planet00.png",),
    "background.planet.1": ("planet03.png",),
    "background.planet.2": ("planet07.png",),
    "ui.panel.stats": ("glasspanel.png", "panel_glass.png", "blue_panel.png"),
    "ui.panel.cargo": ("glasspanel.png", "panel_glass.png", "blue_panel.png"),
    "ui.panel.market": ("glasspanel.png", "panel_glass.png", "blue_panel.png"),
    "ui.panel.events": ("glasspanel.png", "panel_glass.png", "blue_panel.png"),
    "ui.panel.minimap": ("glasspanel_corners.png", "panel_glass_notches.png", "blue_panel.png"),
    "ui.bar.frame": ("barhorizontal_shadow_mid.png", "bar_round_gloss_small.png"),
    "ui.bar.fill": ("barhorizontal_blue_mid.png", "blue/default/bar_round_small.png"),
    "ui.button.primary": ("buttonblue.png", "blue/default/button_rectangle_flat.png", "blue_button00.png"),
    "ui.button.secondary": ("buttongreen.png", "grey/default/button_rectangle_flat.png", "grey_button00.png"),
    "ui.button.danger": ("buttonred.png", "red/default/button_rectangle_flat.png", "red_button00.png"),
    "icon.action.travel": ("white/1x/arrowright.png",),
    "icon.action.burn": ("fire08.png",),
    "icon.action.select": ("white/1x/target.png",),
    "icon.action.tool": ("white/1x/wrench.png",),
    "icon.event.pirate": ("icon_exclamationlarge.png",),
    "icon.event.invalid": ("icon_crosssmall.png", "white/1x/cross.png"),
    "icon.event.destroyed": ("icon_crosslarge.png", "white/1x/skull.png"),
    "icon.market.up": ("white/1x/arrowup.png",),
    "icon.market.down": ("white/1x/arrowdown.png",),
    "icon.market.flat": ("white/1x/minus.png",),
}

SOUNDS: dict[str, tuple[str, ...]] = {
    "whoosh": ("thrusterfire_00*.ogg", "phaserup1.ogg", "switch-a.ogg"),
    "thrust": ("spaceenginelarge_000.ogg", "engine*_000.ogg", "phaserdown1.ogg"),
    "ping": ("computernoise_000.ogg", "sfx_twotone.ogg", "pepsound1.ogg"),
    "beam": ("laserretro_000.ogg", "sfx_zap.ogg", "zap1.ogg"),
    "sweep": ("computernoise_003.ogg", "highup.ogg", "sfx_shieldup.ogg"),
    "click": ("click_001.ogg", "click-a.ogg"),
    "select": ("select_00*.ogg", "tap-a.ogg", "tick_001.ogg"),
    "laser.low": ("lasersmall_00*.ogg", "sfx_laser1.ogg", "laser1.ogg"),
    "laser.mid": ("laserretro_00*.ogg", "sfx_laser2.ogg", "laser3.ogg"),
    "laser.high": ("laserlarge_00*.ogg", "sfx_laser2.ogg", "laser7.ogg"),
    "shield": ("forcefield_000.ogg", "sfx_shieldup.ogg"),
    "chime": ("confirmation_001.ogg", "powerup1.ogg", "sfx_twotone.ogg"),
    "hiss": ("forcefield_003.ogg", "sfx_shielddown.ogg"),
    "wrench": ("impactmetal_00*.ogg", "switch-b.ogg"),
    "beep": ("bong_001.ogg", "click-b.ogg", "tone1.ogg"),
    "puff": ("drop_00*.ogg", "tap-b.ogg"),
    "clamp": ("doorclose_000.ogg", "switch-b.ogg"),
    "cash": ("confirmation_002.ogg", "powerup2.ogg", "sfx_twotone.ogg"),
    "confirm": ("confirmation_003.ogg", "click-b.ogg", "powerup3.ogg"),
    "repair": ("dooropen_000.ogg", "switch-a.ogg", "powerup7.ogg"),
    "success": ("confirmation_004.ogg", "powerup11.ogg", "sfx_twotone.ogg"),
    "siren": ("computernoise_001.ogg", "twotone2.ogg", "sfx_zap.ogg"),
    "explosion": ("explosioncrunch_00*.ogg", "lowdown.ogg", "sfx_zap.ogg"),
    "explosion.big": ("lowfrequency_explosion_00*.ogg", "lowthreetone.ogg", "sfx_lose.ogg"),
    "alarm": ("computernoise_002.ogg", "zaptwotone.ogg", "sfx_shielddown.ogg"),
    "failure": ("enginecircular_004.ogg", "phaserdown3.ogg", "sfx_shielddown.ogg"),
    "error": ("error_00*.ogg", "switch-b.ogg"),
    "end": ("maximize_006.ogg", "threetone1.ogg", "sfx_lose.ogg"),
    "start": ("maximize_001.ogg", "highup.ogg", "sfx_shieldup.ogg"),
    "touch": ("impactmetal_000.ogg", "zap2.ogg", "sfx_zap.ogg"),
    "jump": ("pluck_001.ogg", "phasejump1.ogg", "tap-a.ogg"),
    "land": ("drop_001.ogg", "tap-b.ogg"),
}


@dataclass(frozen=True)
class Choice:
    """The files of a pack that have a use."""

    graphics: dict[str, str] = field(default_factory=dict)  # key → path within the pack
    sounds: dict[str, list[str]] = field(default_factory=dict)  # cue → its variants

    def __bool__(self) -> bool:
        return bool(self.graphics or self.sounds)


def choose(paths: Iterable[str]) -> Choice:
    """The best file for each name, as far as the pack has one."""
    ordered = sorted(paths, key=lambda path: (path.count("/"), len(path), path))
    graphics = {key: _first_match(ordered, patterns) for key, patterns in GRAPHICS.items()}
    sounds = {cue: _first_match(ordered, patterns) for cue, patterns in SOUNDS.items()}
    return Choice(
        {key: found[0] for key, found in graphics.items() if found},
        {cue: found[:MAX_VARIANTS] for cue, found in sounds.items() if found},
    )


def _first_match(paths: list[str], patterns: Iterable[str]) -> list[str]:
    for pattern in patterns:
        found = [path for path in paths if fnmatch.fnmatchcase(f"/{path.lower()}", f"*/{pattern}")]
        if found:
            return found
    return []
