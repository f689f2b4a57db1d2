import type { ReactNode } from "react"
import { Icon, type IconName } from "./Icon.tsx"
import "./components.css"
import "./PageHeader.css"

interface PageHeaderProps {
  readonly title: string
  /** A line under the title: what this is, its state and its age. */
  readonly lead?: ReactNode
  readonly actions?: ReactNode
  /** Links to where this belongs. */
  readonly above?: ReactNode
}

/** The head of a page. Its title is the only heading of the first level. */
export const PageHeader = ({ title, lead, actions, above }: PageHeaderProps) => (
  <header className="page-head">
    <div>
      {above && <div className="above">{above}</div>}
      <h1 tabIndex={-1}>{title}</h1>
      {lead && <div className="muted">{lead}</div>}
    </div>
    {actions && <div className="actions">{actions}</div>}
    <title>{`${title} · edp`}</title>
  </header>
)

interface CardProps {
  readonly title?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
  /** The content reaches the edges: tables and charts. */
  readonly flush?: boolean
}

export const Card = ({ title, actions, children, flush = false }: CardProps) => (
  <section className={flush ? "card flush" : "card"}>
    {(title !== undefined || actions !== undefined) && (
      <div className="card-head">
        {title !== undefined && <h2>{title}</h2>}
        {actions !== undefined && <div className="actions">{actions}</div>}
      </div>
    )}
    {children}
  </section>
)

export type State = "good" | "warn" | "bad" | "info" | "plain"

/** A state in a word. The colour never says more than the word. */
export const Badge = ({ state = "plain", children }: { readonly state?: State; readonly children: ReactNode }) => (
  <span className={`badge ${state}`}>{children}</span>
)

interface NoticeProps {
  readonly state: State
  readonly title?: ReactNode
  readonly children?: ReactNode
  readonly actions?: ReactNode
  /** It appeared after an action, so screen readers read it at once. */
  readonly announced?: boolean
  /** It has the focus when the page opens. */
  readonly takesFocus?: boolean
  readonly className?: string
}

const noticeIcons: Readonly<Record<State, IconName>> = {
  good: "check",
  warn: "warning",
  bad: "warning",
  info: "info",
  plain: "info"
}

export const Notice = ({ state, title, children, actions, announced, takesFocus, className }: NoticeProps) => (
  <div
    className={["notice", state, className].filter(Boolean).join(" ")}
    role={announced === true ? (state === "bad" ? "alert" : "status") : undefined}
    tabIndex={takesFocus === true ? -1 : undefined}
    autoFocus={takesFocus}
  >
    <Icon name={noticeIcons[state]} />
    <div>
      {title !== undefined && <p className="notice-title">{title}</p>}
      {children !== undefined && <div>{children}</div>}
      {actions !== undefined && <div className="actions">{actions}</div>}
    </div>
  </div>
)

interface EmptyProps {
  readonly icon: IconName
  readonly title: string
  /** The next step. */
  readonly children?: ReactNode
  readonly actions?: ReactNode
}

/** Stands where there is nothing yet, and says what to do next. */
export const Empty = ({ icon, title, children, actions }: EmptyProps) => (
  <div className="empty">
    <Icon name={icon} size={36} />
    <h2>{title}</h2>
    {children !== undefined && <div className="muted">{children}</div>}
    {actions !== undefined && <div className="actions">{actions}</div>}
  </div>
)

interface FactsProps {
  readonly items: ReadonlyArray<readonly [term: ReactNode, value: ReactNode]>
  /** The values are long: each has a row of its own on a phone. */
  readonly wide?: boolean
}

/** Terms and their values. An absent value is shown as a dash. */
export const Facts = ({ items, wide = false }: FactsProps) => (
  <dl className={wide ? "facts wide" : "facts"}>
    {items.map(([term, value], index) => (
      <div key={index}>
        <dt>{term}</dt>
        <dd>{value === null || value === undefined || value === "" ? "–" : value}</dd>
      </div>
    ))}
  </dl>
)
