import { type HealthQuota, HEALTH_ITEMS } from "@edp/domain/dashboard/SystemHealth"
import { windowEnd, windowStart } from "../../accounts/quotas/quotaWindows.ts"
import type { Manifest, Quota } from "@edp/adapter-kit/ManufacturerAdapter"
import { Schema } from "effect"

/** Calls that were counted in a window of a quota. */
export const CountedCalls = Schema.Struct({
  manufacturer: Schema.String,
  /** Empty for all accounts of the manufacturer. */
  accountId: Schema.String,
  accountName: Schema.NullOr(Schema.String),
  workspaceId: Schema.NullOr(Schema.String),
  /** 0 for the calendar month. */
  windowSeconds: Schema.Finite,
  windowStart: Schema.Date,
  calls: Schema.Finite,
  pausedUntil: Schema.NullOr(Schema.Date)
})
export type CountedCalls = typeof CountedCalls.Type

const scopeFor = ({ accountId }: CountedCalls) => (accountId === "" ? "manufacturer" : "account")

const windowSeconds = ({ window }: Quota) => (window === "month" ? 0 : window)

const toUse = (slug: string, quota: Quota, counted: CountedCalls | undefined, now: number): HealthQuota => ({
  manufacturer: slug,
  accountId: counted?.accountId || null,
  accountName: counted?.accountName ?? null,
  workspaceId: counted?.workspaceId ?? null,
  window: quota.window === "month" ? null : quota.window,
  limit: quota.calls,
  pollingLimit: Math.floor(quota.calls * (1 - quota.headroom)),
  // A window that has ended is counted anew by the next call.
  used: counted !== undefined && counted.windowStart.getTime() >= windowStart(quota, now) ? counted.calls : 0,
  resetsAt: new Date(windowEnd(quota, now)).toISOString(),
  pausedUntil: counted?.pausedUntil?.toISOString() ?? null
})

/**
 * How much of the manufacturers' limits is used, the fullest first. Limits of all accounts together are listed also without calls, those of
 * single accounts only with some or while they pause.
 *
 * @param now Milliseconds since 1970.
 */
export const quotaUse = (
  manifests: ReadonlyArray<Pick<Manifest, "slug" | "quotas">>,
  calls: ReadonlyArray<CountedCalls>,
  now: number
): ReadonlyArray<HealthQuota> =>
  manifests
    .flatMap(({ slug, quotas }) =>
      quotas.flatMap((quota) => {
        const counted = calls.filter(
          (call) =>
            call.manufacturer === slug && call.windowSeconds === windowSeconds(quota) && scopeFor(call) === quota.scope
        )
        if (quota.scope === "manufacturer") return [toUse(slug, quota, counted[0], now)]
        return counted
          .map((call) => toUse(slug, quota, call, now))
          .filter(({ pausedUntil, used }) => used > 0 || pausedUntil !== null)
      })
    )
    .toSorted((a, b) => b.used / b.limit - a.used / a.limit)
    .slice(0, 2 * HEALTH_ITEMS)
