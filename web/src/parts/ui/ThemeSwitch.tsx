import { chooseTheme, useThemeChoice, type ThemeChoice } from "../../style/theme";
import { Button } from "./Button";
import { icons } from "./icons";

const NEXT: Record<ThemeChoice, ThemeChoice> = { system: "dark", dark: "light", light: "system" };
const ICON = { system: icons.system, dark: icons.moon, light: icons.sun };

export function ThemeSwitch() {
  const choice = useThemeChoice();
  const next = NEXT[choice];
  return (
    <Button kind="quiet" icon={ICON[choice]} label={`Theme: ${choice}. Switch to ${next}`} onClick={() => chooseTheme(next)} />
  );
}
