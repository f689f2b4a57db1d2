import type { AnchorHTMLAttributes, ButtonHTMLAttributes, ReactNode } from "react"
import { Icon, type IconName } from "./Icon.tsx"
import "./Button.css"

/** main: the one act of a view. danger: an act that destroys something. quiet: an act within a row or a bar. */
export type Tone = "main" | "plain" | "danger" | "quiet"

interface Looks {
  readonly tone?: Tone
  readonly icon?: IconName
  readonly small?: boolean
}

const classes = ({ tone = "plain", small = false }: Looks, more?: string) =>
  ["button", tone, small && "small", more].filter(Boolean).join(" ")

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "children">, Looks {
  readonly children: ReactNode
  /** The act is running: the button keeps its place and its focus, and does nothing. */
  readonly busy?: boolean
}

export const Button = ({ tone, icon, small, busy = false, children, className, onClick, ...rest }: ButtonProps) => (
  <button
    type="button"
    {...rest}
    className={classes({ ...(tone && { tone }), ...(small && { small }) }, className)}
    aria-disabled={busy || undefined}
    onClick={busy ? (event) => event.preventDefault() : onClick}
  >
    {busy ? <span className="spinner" aria-hidden="true" /> : icon && <Icon name={icon} size={18} />}
    {children}
  </button>
)

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, "children"> {
  readonly icon: IconName
  /** Its name, for screen readers and as a tooltip. */
  readonly label: string
}

export const IconButton = ({ icon, label, className, ...rest }: IconButtonProps) => (
  <button type="button" {...rest} className={`icon-button ${className ?? ""}`} aria-label={label} title={label}>
    <Icon name={icon} />
  </button>
)

interface AnchorProps extends AnchorHTMLAttributes<HTMLAnchorElement>, Looks {}

/** A link that looks like a button. */
export const ButtonAnchor = ({ tone, icon, small, children, className, ...rest }: AnchorProps) => (
  <a {...rest} className={classes({ ...(tone && { tone }), ...(small && { small }) }, className)}>
    {icon && <Icon name={icon} size={18} />}
    {children}
  </a>
)
