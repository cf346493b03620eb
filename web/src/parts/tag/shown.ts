import { one, type Shown } from "../player/known";

const SEEKER = "seeker";
const HIDER = "hider";

/** Wins of a role's learner by the kind of its opponent. */
function against(role: string): (readonly [string, string])[] {
  return [
    [`${role}_win_rate_vs_current`, "newest self"],
    [`${role}_win_rate_vs_past`, "past selves"],
    [`${role}_win_rate_vs_scripted`, "scripted players"],
  ];
}

const shown: Shown = {
  roles: [SEEKER, HIDER],
  outcome: [
    { title: "Who wins", unit: "share of the learner's matches", percent: true, columns: [["seeker_win_rate", "seeker", SEEKER], ["hider_win_rate", "hider", HIDER]] },
    { title: "The seeker wins against", unit: "share of matches", percent: true, columns: against("seeker") },
    { title: "The hider wins against", unit: "share of matches", percent: true, columns: against("hider") },
    one("duration_s_mean", "How long a match lasts", "seconds"),
    one("first_seen_s_mean", "First seen after", "seconds"),
    { title: "Return", unit: "the learner's reward per episode", columns: [["seeker_return_mean", "seeker", SEEKER], ["hider_return_mean", "hider", HIDER]] },
    one("seeker_distance_mean", "Distance between the two", "metres"),
  ],
  groups: [],
  headlines: [
    one("seeker_win_rate", "Seeker wins", "share of episodes", true),
    one("hider_win_rate", "Hider wins", "share of episodes", true),
    one("duration_s_mean", "Match lasts", "seconds"),
    one("first_seen_s_mean", "First seen after", "seconds"),
  ],
  logged: ["seeker_win_rate"],
  summary: ["seeker_win_rate", "hider_win_rate", "seeker_return_mean", "hider_return_mean"],
  loudEvents: ["tag", "pass", "timeout"],
};

export default shown;
