import { Clock, Context, Effect, Layer, Metric } from "effect"
import type { Account } from "@edp/adapter-kit/Account"
import { AdapterError, isAdapterError } from "@edp/adapter-kit/AdapterError"
import type { Manifest } from "@edp/adapter-kit/ManufacturerAdapter"
import type { GuardedSend } from "../../platform/outbound/GuardedHttp.ts"
import { limitedClient } from "../../platform/outbound/limitedClient.ts"
import type { Leased } from "../../platform/jobs/JobRunner.ts"
import { type DatabaseUnavailable, hideUnavailable, revealUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { accountLimits } from "../accountLimits.ts"
import type { AccountRow } from "../accountRow.ts"
import { CallQuotas } from "../quotas/CallQuotas.ts"
import type { CallPurpose } from "../quotas/quotaWindows.ts"
import { askedPause } from "../../destinations/senders/DestinationSender.ts"

/** The time of a `Retry-After`, in seconds or as a date, in milliseconds since 1970; null if it names none. */
export const retryTime = (header: string | undefined, now: number): number | null => {
  const pause = askedPause(header, now)
  return pause === undefined ? null : now + pause
}

/** The kind and the location of an exception, without its message, which may hold parts of responses or credentials. */
const defectLocation = (defect: unknown): string => {
  if (!(defect instanceof Error)) return "an exception"
  const frame = defect.stack?.split("\n").find((line) => line.trimStart().startsWith("at "))
  return `${defect.name} ${frame?.trim() ?? ""}`.trim()
}

const RESPONSE_LIMIT = 4 * 1024 * 1024

const callsTotal = Metric.counter("edp_account_calls_total", {
  description:
    "Calls to manufacturers, by manufacturer and outcome: ok, refused, throttled, failed, unreachable or withheld",
  incremental: true
})

const byLabels = new Map<string, typeof callsTotal>()

const countCall = (manufacturer: string, outcome: string) => {
  const key = `${manufacturer} ${outcome}`
  const metric = byLabels.get(key) ?? Metric.withAttributes(callsTotal, { manufacturer, outcome })
  byLabels.set(key, metric)
  metric.updateUnsafe(1, Context.empty())
}

const outcomeName = (status: number | undefined) => {
  if (status === undefined) return "unreachable"
  if (status === 429) return "throttled"
  return status >= 500 ? "failed" : status >= 400 ? "refused" : "ok"
}

/** The calls of one piece of work. */
export interface Calls {
  readonly http: Account<unknown>["http"]
  /** Number of calls that were made. */
  readonly count: () => number
  /**
   * Runs a capability of an adapter. A call that the platform withheld decides its error, refusals for a time become pauses, and an
   * exception of the adapter becomes a `contract` error.
   */
  readonly run: <A, E>(
    work: Effect.Effect<A, E | AdapterError>
  ) => Effect.Effect<A, E | AdapterError | DatabaseUnavailable>
}

interface CallOptions {
  readonly manifest: Manifest
  readonly send: GuardedSend
  readonly account?: Pick<AccountRow, "id"> | undefined
  readonly purpose: CallPurpose
  /** The work ends when its lease is lost: no call is made after that. */
  readonly leased?: Pick<Leased<unknown>, "isHeld"> | undefined
}

/** Calls to manufacturers: within quotas, pauses and leases, counted, limited and traced. */
export class AccountCalls extends Context.Service<AccountCalls, { readonly make: (options: CallOptions) => Calls }>()(
  "@edp/server/accounts/AccountCalls"
) {
  static readonly layer = Layer.effect(
    AccountCalls,
    Effect.gen(function* () {
      const quotas = yield* CallQuotas

      return {
        make: ({ account, leased, manifest, purpose, send }) => {
          const { name, slug } = manifest
          let made = 0
          let pausedUntil = 0
          let withheld: AdapterError | undefined
          const withhold = (error: AdapterError) => {
            withheld = error
            countCall(slug, "withheld")
            return Effect.fail(error.message)
          }
          const admit = Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            if (leased !== undefined && !(yield* leased.isHeld)) {
              return yield* withhold(AdapterError.of("elsewhere", "Another instance works on the account"))
            }
            if (now < pausedUntil) {
              return yield* withhold(
                AdapterError.of("throttled", `${name} has asked for a pause`, { retryAt: pausedUntil })
              )
            }
            yield* Effect.catch(hideUnavailable(quotas.reserve(manifest, account?.id, purpose)), withhold)
            made++
          })
          const http = limitedClient(send, {
            span: "Manufacturer.call",
            attributes: { manufacturer: slug },
            timeLimitMs: accountLimits.callSeconds * 1000,
            responseLimit: RESPONSE_LIMIT,
            admit,
            onEnd: (response) => {
              countCall(slug, outcomeName(response?.status))
              if (response?.status !== 429) return Effect.void
              return Effect.gen(function* () {
                const retryAt = retryTime(response.headers["retry-after"], yield* Clock.currentTimeMillis)
                pausedUntil = yield* hideUnavailable(quotas.pause(manifest, account?.id, retryAt))
              })
            }
          })

          const explain = (error: AdapterError): Effect.Effect<never, AdapterError | DatabaseUnavailable> => {
            const isLimit = ["throttled", "quota_exhausted"].includes(error.failure)
            // The response says more than calls that were withheld because of it, such as when the pause ends.
            const isResponse = isLimit && error.upstream !== null
            const real = isResponse ? error : (withheld ?? error)
            // A full window of the platform's own count is no refusal, and a pause may have been stored with the response.
            const isRefusal = isLimit && real === error
            if (!isRefusal) return Effect.fail(real)
            if (pausedUntil > 0 && real.retryAt === null) {
              return Effect.fail(AdapterError.of(real.failure, real.message, { ...real, retryAt: pausedUntil }))
            }
            return Effect.flatMap(quotas.pause(manifest, account?.id, real.retryAt), (until) =>
              Effect.fail(AdapterError.of(real.failure, real.message, { ...real, retryAt: until }))
            )
          }
          return {
            http,
            count: () => made,
            run: <A, E>(work: Effect.Effect<A, E | AdapterError>) =>
              Effect.suspend(() => {
                withheld = undefined
                return work
              }).pipe(
                revealUnavailable,
                Effect.catchDefect((defect) =>
                  Effect.andThen(
                    Effect.logError(`The adapter of ${name} failed: ${defectLocation(defect)}`),
                    Effect.fail(AdapterError.of("contract", "The adapter failed on a response of the manufacturer"))
                  )
                ),
                Effect.catch((error): Effect.Effect<never, E | AdapterError | DatabaseUnavailable> =>
                  isAdapterError(error) ? explain(error) : Effect.fail(error)
                )
              )
          }
        }
      }
    })
  )
}
