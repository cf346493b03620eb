import type { ButtonHTMLAttributes, ReactNode } from "react";

type Props = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "className"> & {
  kind?: "plain" | "primary" | "quiet" | "danger";
  icon?: ReactNode;
  label?: string; // what an icon alone is called; also its tooltip
  pressed?: boolean; // for switches
  children?: ReactNode;
};

export function Button({ kind = "plain", icon, label, pressed, children, ...rest }: Props) {
  return (
    <button
      type="button"
      className={`button button-${kind}${children ? "" : " button-icon"}`}
      aria-label={children ? undefined : label}
      aria-pressed={pressed}
      title={label}
      {...rest}
    >
      {icon}
      {children}
    </button>
  );
}
