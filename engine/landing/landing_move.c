// landing_move.c: how a craft flies: thrust, fuel, gravity, attitude, terrain, and when a foot or the hull meets it.
#include "landing.h"

// ---------------------------------------------------------------- terrain

// Level around the pad, then rolling hills: the height is known everywhere.
SL_FN float landing_terrain(const LandingRules *r, const LandingWorld *w, float x, float z) {
    float away = sl_clamp((sl_sqrt(x * x + z * z) - LANDING_FLAT) / LANDING_RISE, 0.0f, 1.0f);
    float rise = away * away * (3.0f - 2.0f * away);
    float waves = sl_sin_turns(x * r->wave + w->phase_x) + sl_sin_turns(z * r->wave + w->phase_z);
    return r->half_height * rise * waves;
}

// ---------------------------------------------------------------- attitude

// Pitch about X after roll about Z.
SL_FN LandingAxes landing_axes(float pitch, float roll) {
    float sp = sl_sin_turns(pitch), cp = sl_cos_turns(pitch), sr = sl_sin_turns(roll), cr = sl_cos_turns(roll);
    LandingAxes a = { cr, cp * sr, sp * sr, -sr, cp * cr, sp * cr, -sp, cp };
    return a;
}

SL_FN float landing_turned(float turns, float rate, float turn_dt) {
    float t = turns + rate * turn_dt;
    return t - sl_round(t);
}

// ---------------------------------------------------------------- a tick of flight

// What one decision asks for, in the frame of the craft.
typedef struct {
    float force[3];             // N
    float burn;                 // kg a tick
    float pitch, roll;          // rad/s a tick, times kg
} LandingIntent;

SL_FN LandingIntent landing_decide(const LandingRules *r, LandingWorld *w, const float *action) {
    float tx = action[0], ty = sl_max(action[1], 0.0f), tz = action[2];
    float length = sl_sqrt(tx * tx + ty * ty + tz * tz);
    if (length > 1.0f) {
        tx = tx / length;
        ty = ty / length;
        tz = tz / length;
        length = 1.0f;
    }
    w->thrust_x = tx;
    w->thrust_y = ty;
    w->thrust_z = tz;
    w->rcs_pitch = action[3];
    w->rcs_roll = action[4];
    LandingIntent intent = { { tx * r->max_thrust, ty * r->max_thrust, tz * r->max_thrust }, length * r->burn,
                             action[3] * r->torque_dt, action[4] * r->torque_dt };
    return intent;
}

// Fuel of this tick, and the share of the thrust that it is enough for.
SL_FN float landing_burn(LandingWorld *w, float burn) {
    float share = 1.0f;
    if (burn > w->fuel) {
        share = w->fuel / burn;
        burn = w->fuel;
    }
    w->fuel = w->fuel - burn;
    return share;
}

SL_FN void landing_fly(const LandingRules *r, LandingWorld *w, const LandingIntent *intent) {
    float mass = r->dry_mass + w->fuel;
    float push = (r->dt * landing_burn(w, intent->burn)) / mass;
    LandingAxes a = landing_axes(w->pitch, w->roll);
    const float *f = intent->force;
    float nx = w->vx + (f[0] * a.xx + f[1] * a.yx) * push;
    float ny = (w->vy + ((f[0] * a.xy + f[1] * a.yy) + f[2] * a.zy) * push) - r->fall;
    float nz = w->vz + ((f[0] * a.xz + f[1] * a.yz) + f[2] * a.zz) * push;
    w->x = w->x + r->half_dt * (w->vx + nx);
    w->y = w->y + r->half_dt * (w->vy + ny);
    w->z = w->z + r->half_dt * (w->vz + nz);
    w->vx = nx;
    w->vy = ny;
    w->vz = nz;
    w->pitch_rate = (w->pitch_rate + intent->pitch / mass) * r->keep_spin;
    w->roll_rate = (w->roll_rate + intent->roll / mass) * r->keep_spin;
    w->pitch = landing_turned(w->pitch, w->pitch_rate, r->turn_dt);
    w->roll = landing_turned(w->roll, w->roll_rate, r->turn_dt);
}

// ---------------------------------------------------------------- contact

SL_FN int landing_foot_down(const LandingRules *r, const LandingWorld *w, const LandingAxes *a, float side, float front) {
    float ox = side * r->leg_spread, oy = -r->leg_length, oz = front * r->leg_spread;
    float x = w->x + (ox * a->xx + oy * a->yx);
    float y = w->y + ((ox * a->xy + oy * a->yy) + oz * a->zy);
    float z = w->z + ((ox * a->xz + oy * a->yz) + oz * a->zz);
    return y <= landing_terrain(r, w, x, z);
}

// 1 when one of the four feet or the hull is in the terrain. Far above it there is nothing to ask.
SL_FN int landing_contact(const LandingRules *r, const LandingWorld *w) {
    if (w->y - r->reach > r->terrain_height) return 0;
    if (w->y - LANDING_HULL <= landing_terrain(r, w, w->x, w->z)) return 1;
    LandingAxes a = landing_axes(w->pitch, w->roll);
    int down = landing_foot_down(r, w, &a, -1.0f, -1.0f);
    down |= landing_foot_down(r, w, &a, -1.0f, 1.0f);
    down |= landing_foot_down(r, w, &a, 1.0f, -1.0f);
    down |= landing_foot_down(r, w, &a, 1.0f, 1.0f);
    return down;
}
