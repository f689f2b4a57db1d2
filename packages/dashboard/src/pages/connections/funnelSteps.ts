import type { ConnectFunnel } from "@edp/domain/connections/ConnectFunnel"
import type { ConnectSessionStatus } from "@edp/domain/connections/ConnectSession"

type Manufacturer = ConnectFunnel["manufacturers"][number]

/** The way of a session that succeeds, in its order. Steps that need nothing from the person are skipped. */
export const funnelStatuses = [
  "PENDING",
  "STARTED",
  "ENTERING_CUSTOMER_INFO",
  "SELECTING_MANUFACTURER",
  "AUTHORIZING_MANUFACTURER",
  "ENTERING_SYSTEM_INFO",
  "SUCCESS"
] as const satisfies ReadonlyArray<ConnectSessionStatus>

export type FunnelStatus = (typeof funnelStatuses)[number]

export interface FunnelBar {
  readonly status: FunnelStatus
  /** Sessions that came to this step or further. */
  readonly reached: number
  /** Sessions that were in this step: fewer than came further where it is skipped. */
  readonly sessions: number
  /** Share of all sessions, from 0 to 1. */
  readonly share: number
  /** Share of the sessions that reached the step before; null for the first step. */
  readonly rate: number | null
  /** Null: it differs by manufacturer, or none has left the step. */
  readonly medianSeconds: number | null
}

const inStatus = (manufacturers: ReadonlyArray<Manufacturer>, status: ConnectSessionStatus) =>
  manufacturers.reduce((sum, { steps }) => sum + (steps.find((step) => step.status === status)?.sessions ?? 0), 0)

/**
 * The bars of a funnel. A session that skips a step has passed it, so the bar of a step is never shorter than the next one.
 */
export const funnelBars = (manufacturers: ReadonlyArray<Manufacturer>): ReadonlyArray<FunnelBar> => {
  const all = manufacturers.reduce((sum, { sessions }) => sum + sessions, 0)
  const own = funnelStatuses.map((status) => inStatus(manufacturers, status))
  const reached = own.map((_, index) => (index === 0 ? all : Math.max(...own.slice(index))))
  const [single, ...others] = manufacturers
  return funnelStatuses.map((status, index) => ({
    status,
    reached: reached[index]!,
    sessions: own[index]!,
    share: all === 0 ? 0 : reached[index]! / all,
    rate: index === 0 ? null : reached[index - 1] === 0 ? 0 : reached[index]! / reached[index - 1]!,
    medianSeconds:
      others.length === 0 ? (single?.steps.find((step) => step.status === status)?.medianSeconds ?? null) : null
  }))
}

/** The errors of manufacturers together, the most frequent first. */
export const funnelErrors = (manufacturers: ReadonlyArray<Manufacturer>) => {
  const counts = new Map<string, number>()
  for (const { errors } of manufacturers) {
    for (const { code, sessions } of errors) counts.set(code, (counts.get(code) ?? 0) + sessions)
  }
  return [...counts].map(([code, sessions]) => ({ code, sessions })).sort((a, b) => b.sessions - a.sessions)
}

/** Share of the sessions of a manufacturer that succeeded, from 0 to 1; null without sessions. */
export const successShare = (manufacturer: Manufacturer): number | null =>
  manufacturer.sessions === 0 ? null : inStatus([manufacturer], "SUCCESS") / manufacturer.sessions
