import type { Quota } from "@edp/adapter-kit/ManufacturerAdapter"

/** The reason for a call: polling leaves the headroom to commands and end users. */
export type CallPurpose = "polling" | "command"

/** A call in one window of a quota. */
export interface WindowedCall {
  readonly accountId: string
  /** In seconds; 0 for the calendar month. */
  readonly windowSeconds: number
  /** ISO 8601. */
  readonly windowStart: string
  /** Calls in the window beyond which this one is refused. */
  readonly limit: number
}

const MONTH_SECONDS = 30 * 86_400

/** Windows are aligned to 1970 in UTC, so that all instances count the same one. */
export const windowStart = ({ window }: Pick<Quota, "window">, now: number): number => {
  if (window !== "month") return now - (now % (window * 1000))
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

/** When the window that is open now ends, in milliseconds since 1970. */
export const windowEnd = (quota: Pick<Quota, "window">, now: number): number => {
  const start = windowStart(quota, now)
  if (quota.window !== "month") return start + quota.window * 1000
  const date = new Date(start)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

/** The calls of a quota's window that a purpose may use. */
const allowance = ({ calls, headroom }: Quota, purpose: CallPurpose) =>
  purpose === "command" ? calls : Math.floor(calls * (1 - headroom))

/** A call in the windows of all quotas. A call without an account counts for the manufacturer alone. */
export const windowedCalls = (
  quotas: ReadonlyArray<Quota>,
  accountId: string | undefined,
  purpose: CallPurpose,
  now: number
): ReadonlyArray<WindowedCall & { readonly quota: Quota }> =>
  quotas.flatMap((quota) =>
    quota.scope === "account" && accountId === undefined
      ? []
      : [
          {
            quota,
            accountId: quota.scope === "account" ? accountId! : "",
            windowSeconds: quota.window === "month" ? 0 : quota.window,
            windowStart: new Date(windowStart(quota, now)).toISOString(),
            limit: allowance(quota, purpose)
          }
        ]
  )

/**
 * The shortest interval of readings, in seconds, at which the quotas last for all accounts.
 *
 * @param accounts Connected accounts of the manufacturer.
 * @param callsPerReading Calls that a reading of one account makes.
 */
export const sustainableInterval = (quotas: ReadonlyArray<Quota>, accounts: number, callsPerReading: number): number =>
  Math.max(
    0,
    ...quotas.map((quota) => {
      const seconds = quota.window === "month" ? MONTH_SECONDS : quota.window
      const readers = quota.scope === "account" ? 1 : Math.max(1, accounts)
      return (seconds * readers * Math.max(1, callsPerReading)) / Math.max(1, allowance(quota, "polling"))
    })
  )
