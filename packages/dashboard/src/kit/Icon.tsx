import type { ReactNode } from "react"
import "./Icon.css"

/** Shapes on a grid of 24. A picture says nothing that the text beside it does not say, so screen readers skip it. */
const shapes = {
  bolt: <path d="M13 3 5 14h6l-1 7 8-11h-6l1-7Z" />,
  fleet: <path d="M4 5h7v6H4zM13 5h7v6h-7zM4 13h7v6H4zM13 13h7v6h-7z" />,
  home: <path d="M4 11 12 4l8 7M6 9.5V20h12V9.5M10 20v-6h4v6" />,
  people: (
    <path d="M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7ZM2.5 20a6.5 6.5 0 0 1 13 0M16 4.5a3.5 3.5 0 0 1 0 6.5M18 14a6.5 6.5 0 0 1 3.5 6" />
  ),
  chart: <path d="M4 4v16h16M8 16v-4M12 16V8M16 16v-6" />,
  bell: <path d="M6 16V11a6 6 0 1 1 12 0v5l1.5 2h-15L6 16ZM10 20.5h4" />,
  send: <path d="M4 12 20 4l-6 16-3-7-7-1Z" />,
  plug: <path d="M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0V8ZM12 17v4" />,
  program: <path d="M5 4h14v16H5zM9 9h6M9 13h6M9 17h3" />,
  dispatch: <path d="M4 18c4 0 4-12 8-12s4 12 8 12M4 21h16" />,
  pylon: <path d="M12 3 7 21M12 3l5 18M5 8h14M5 8v2.5M19 8v2.5M9.4 12.5h5.2M8.3 16.5h7.4" />,
  broadcast: (
    <path d="M12 11v10M12 10.5v.01M8.8 13.7a4.5 4.5 0 0 1 0-6.4M15.2 13.7a4.5 4.5 0 0 0 0-6.4M6.3 16.2a8 8 0 0 1 0-11.4M17.7 16.2a8 8 0 0 0 0-11.4" />
  ),
  key: <path d="M8 19a4.5 4.5 0 1 1 3.4-7.4L20 3M17 6l3 3M14 9l2 2" />,
  health: <path d="M3 12h4l2.5-6 4 12 2.5-6h5" />,
  person: <path d="M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4.5 20a7.5 7.5 0 0 1 15 0" />,
  menu: <path d="M4 7h16M4 12h16M4 17h16" />,
  cross: <path d="m6.5 6.5 11 11M17.5 6.5l-11 11" />,
  check: <path d="m5 12.5 4.5 4.5L19 7.5" />,
  broken: (
    <path d="M9 15l-2.5 2.5a3.5 3.5 0 0 1-5-5L5 9M15 9l2.5-2.5a3.5 3.5 0 0 1 5 5L19 15M8 3v2.5M3 8h2.5M16 21v-2.5M21 16h-2.5" />
  ),
  warning: <path d="M12 4 2.8 20h18.4L12 4ZM12 10v4.5M12 17.3v.01" />,
  info: <path d="M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 11v5M12 8v.01" />,
  down: <path d="m6 9 6 6 6-6" />,
  right: <path d="m9 6 6 6-6 6" />,
  left: <path d="m15 6-6 6 6 6" />,
  search: <path d="M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM15.5 15.5 20 20" />,
  copy: <path d="M9 9h11v11H9zM5 15H4V4h11v1" />,
  download: <path d="M12 4v11M7 11l5 5 5-5M4 20h16" />,
  refresh: <path d="M19 8A8 8 0 1 0 20 13M20 4v5h-5" />,
  plus: <path d="M12 5v14M5 12h14" />,
  minus: <path d="M5 12h14" />,
  more: <path d="M5 12h.01M12 12h.01M19 12h.01" />,
  calendar: <path d="M4 6h16v14H4zM4 10.5h16M8 3.5V8M16 3.5V8" />,
  clock: <path d="M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 7v5.2l3.2 2" />,
  sun: (
    <path d="M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4" />
  ),
  moon: <path d="M20 14A8.5 8.5 0 0 1 10 4a8.5 8.5 0 1 0 10 10Z" />,
  globe: <path d="M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM3.5 9h17M3.5 15h17M12 3c-5 5-5 13 0 18 5-5 5-13 0-18Z" />,
  battery: <path d="M4 8h14v9H4zM20.5 11v3M7 11v3M10 11v3" />,
  map: <path d="m4 6 5-2 6 2 5-2v14l-5 2-6-2-5 2V6ZM9 4v14M15 6v14" />,
  filter: <path d="M4 5h16l-6 8v5l-4 2v-7L4 5Z" />,
  pen: <path d="m4 20 1-4L16 5l3 3L8 19l-4 1Z" />,
  trash: <path d="M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13" />
} satisfies Readonly<Record<string, ReactNode>>

export type IconName = keyof typeof shapes

interface PictureProps {
  readonly size?: number
  /** Shapes on a grid of 24. */
  readonly children: ReactNode
}

export const Picture = ({ size = 20, children }: PictureProps) => (
  <svg
    className="icon"
    viewBox="0 0 24 24"
    width={size}
    height={size}
    fill="none"
    stroke="currentColor"
    strokeWidth="1.75"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    focusable="false"
  >
    {children}
  </svg>
)

export const Icon = ({ name, size = 20 }: { readonly name: IconName; readonly size?: number }) => (
  <Picture size={size}>{shapes[name]}</Picture>
)
