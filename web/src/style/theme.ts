// Which theme is on, and what its colours are as numbers for things that are drawn rather than styled.
import { useSyncExternalStore } from "react";
import { remember } from "../parts/ui/remember";

export type ThemeChoice = "system" | "dark" | "light";

const KEY = "sandlot.theme";
const listeners = new Set<() => void>();
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
systemIsDark.addEventListener("change", tellAll);

function tellAll(): void {
  for (const listener of listeners) listener();
}

export function themeChoice(): ThemeChoice {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "dark" || chosen === "light" ? chosen : "system";
}

export function chooseTheme(choice: ThemeChoice): void {
  if (choice === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = choice;
  remember(KEY, choice);
  tellAll();
}

export function shownTheme(): "dark" | "light" {
  const choice = themeChoice();
  return choice === "system" ? (systemIsDark.matches ? "dark" : "light") : choice;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The theme on screen; components that draw colours themselves draw again when it changes. */
export function useTheme(): "dark" | "light" {
  return useSyncExternalStore(subscribe, shownTheme);
}

export function useThemeChoice(): ThemeChoice {
  return useSyncExternalStore(subscribe, themeChoice);
}

let probe: HTMLElement | null = null;

/** A token's colour as the browser resolves it now: themeColour("mark-1") → "rgb(255, 122, 85)". */
export function themeColour(token: string): string {
  if (!probe) {
    probe = document.createElement("i");
    probe.hidden = true;
    document.body.append(probe);
  }
  probe.style.color = `var(--${token})`;
  return getComputedStyle(probe).color;
}

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

function subscribeMotion(listener: () => void): () => void {
  reducedMotion.addEventListener("change", listener);
  return () => reducedMotion.removeEventListener("change", listener);
}

export function useReducedMotion(): boolean {
  return useSyncExternalStore(subscribeMotion, () => reducedMotion.matches);
}
