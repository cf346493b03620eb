// Icons, drawn here in one stroke width; they take the colour of the text beside them.
import type { ReactNode } from "react";

function Icon({ children, fill = false }: { children: ReactNode; fill?: boolean }) {
  return (
    <svg
      width="18"
      height="18"
      viewBox="0 0 18 18"
      fill={fill ? "currentColor" : "none"}
      stroke={fill ? "none" : "currentColor"}
      strokeWidth="1.7"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {children}
    </svg>
  );
}

export const icons = {
  play: <Icon fill><path d="M5 3.2v11.6a.6.6 0 0 0 .92.5l9-5.8a.6.6 0 0 0 0-1l-9-5.8A.6.6 0 0 0 5 3.2Z" /></Icon>,
  pause: <Icon fill><rect x="4" y="3" width="3.6" height="12" rx="1" /><rect x="10.4" y="3" width="3.6" height="12" rx="1" /></Icon>,
  back: <Icon><path d="M11.5 4 6.5 9l5 5" /></Icon>,
  forward: <Icon><path d="m6.5 4 5 5-5 5" /></Icon>,
  start: <Icon><path d="M5 4v10M13.5 4l-5 5 5 5" /></Icon>,
  end: <Icon><path d="M13 4v10M4.5 4l5 5-5 5" /></Icon>,
  loop: <Icon><path d="M4 8a5 5 0 0 1 9-2l1 1.2M14 3.5v3.7h-3.7M14 10a5 5 0 0 1-9 2l-1-1.2M4 14.5v-3.7h3.7" /></Icon>,
  link: <Icon><path d="M7.5 10.5a3 3 0 0 0 4.2 0l2.4-2.4a3 3 0 0 0-4.2-4.2l-1 1M10.5 7.5a3 3 0 0 0-4.2 0L3.9 9.9a3 3 0 0 0 4.2 4.2l1-1" /></Icon>,
  check: <Icon><path d="m3.5 9.5 3.5 3.5 7.5-8" /></Icon>,
  cross: <Icon><path d="m4.5 4.5 9 9m0-9-9 9" /></Icon>,
  sun: <Icon><circle cx="9" cy="9" r="3.2" /><path d="M9 1.8v1.7M9 14.5v1.7M1.8 9h1.7M14.5 9h1.7M3.9 3.9l1.2 1.2M12.9 12.9l1.2 1.2M3.9 14.1l1.2-1.2M12.9 5.1l1.2-1.2" /></Icon>,
  moon: <Icon><path d="M14.8 10.6A6.3 6.3 0 0 1 7.4 3.2a6.3 6.3 0 1 0 7.4 7.4Z" /></Icon>,
  system: <Icon><circle cx="9" cy="9" r="6" /><path d="M9 3v12M9 6h5M9 9h6M9 12h5" /></Icon>,
  download: <Icon><path d="M9 3v8.5M5.5 8.2 9 11.7l3.5-3.5M3.5 15h11" /></Icon>,
  sound: <Icon><path d="M3 7v4h2.5L9 14V4L5.5 7H3ZM11.8 6.5a3.5 3.5 0 0 1 0 5M13.8 4.5a6.3 6.3 0 0 1 0 9" /></Icon>,
  silent: <Icon><path d="M3 7v4h2.5L9 14V4L5.5 7H3ZM12 7l4 4m0-4-4 4" /></Icon>,
  camera: <Icon><rect x="2" y="5" width="9.5" height="8" rx="1.5" /><path d="m11.5 8 4-2v6l-4-2" /></Icon>,
  eye: <Icon><path d="M1.8 9S4.5 4.2 9 4.2 16.2 9 16.2 9 13.5 13.8 9 13.8 1.8 9 1.8 9Z" /><circle cx="9" cy="9" r="2.2" /></Icon>,
  again: <Icon><path d="M14 9a5 5 0 1 1-1.6-3.7L14 6.8M14 3v3.8h-3.8" /></Icon>,
  up: <Icon><path d="m4 11 5-5 5 5" /></Icon>,
  down: <Icon><path d="m4 7 5 5 5-5" /></Icon>,
  flat: <Icon><path d="M4 9h10" /></Icon>,
  more: <Icon fill><circle cx="4" cy="9" r="1.5" /><circle cx="9" cy="9" r="1.5" /><circle cx="14" cy="9" r="1.5" /></Icon>,
};

/** The site's mark: two cubes on a diamond. */
export function Mark() {
  return (
    <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <path d="M16 2.5 29.5 16 16 29.5 2.5 16Z" fill="none" stroke="var(--accent)" strokeWidth="2.2" />
      <rect x="6.5" y="11.5" width="8.5" height="9" rx="1.8" fill="var(--mark-1)" />
      <rect x="17" y="11.5" width="8.5" height="9" rx="1.8" fill="var(--mark-2)" />
    </svg>
  );
}
