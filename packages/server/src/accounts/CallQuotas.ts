import { Clock, Context, Effect, Layer } from "effect"
import { AdapterError } from "../adapters/AdapterError.ts"
import type { Manifest, Quota } from "../adapters/ManufacturerAdapter.ts"
import { AccountsRepository } from "./AccountsRepository.ts"
import { CallQuotasRepository } from "./CallQuotasRepository.ts"
import { type CallPurpose, sustainableInterval, windowEnd, windowedCalls } from "./quotaWindows.ts"

/** The pause after a refusal that names no time. */
const UNNAMED_PAUSE = 60_000
/** The longest pause that a manufacturer may ask for, but for a used-up month. */
const LONGEST_PAUSE = 32 * 86_400_000

/** Weight of the newest reading in the average of calls. */
const WEIGHT = 0.1

/** A refusal is for all accounts if the manufacturer limits nothing else. */
const isShared = (quotas: ReadonlyArray<Quota>) =>
  quotas.length > 0 && quotas.every(({ scope }) => scope === "manufacturer")

/** Keeps calls to manufacturers within their quotas, counted over all instances, and holds the pauses that they ask for. */
export class CallQuotas extends Context.Service<
  CallQuotas,
  {
    /** Counts a call, or fails if there is no room for it in one of the windows. */
    readonly reserve: (
      manifest: Manifest,
      accountId: string | undefined,
      purpose: CallPurpose
    ) => Effect.Effect<void, AdapterError>
    /** Ends calls until the manufacturer takes them again. Returns the end of the pause. */
    readonly pause: (manifest: Manifest, accountId: string | undefined, retryAt: number | null) => Effect.Effect<number>
    /** The ends of the accounts' present pauses, in milliseconds since 1970. */
    readonly pauses: (
      accounts: ReadonlyArray<{ readonly id: string; readonly manufacturer: string }>
    ) => Effect.Effect<ReadonlyMap<string, number>>
    /** The shortest interval, in seconds, at which the quotas last for all accounts. */
    readonly sustainable: (manifest: Manifest) => Effect.Effect<number>
    /** Notes the calls that a reading made. */
    readonly noteCalls: (slug: string, calls: number) => void
    readonly clear: Effect.Effect<void>
  }
>()("@edp/server/accounts/CallQuotas") {
  static readonly layer = Layer.effect(
    CallQuotas,
    Effect.gen(function* () {
      const repository = yield* CallQuotasRepository
      const accounts = yield* AccountsRepository
      const averages = new Map<string, number>()
      const counts = yield* Effect.cachedWithTTL(
        Effect.map(accounts.counts, (rows) => new Map(rows.map(({ manufacturer, n }) => [manufacturer, n]))),
        "1 minute"
      )

      const reserve = Effect.fnUntraced(function* (
        { quotas, slug }: Manifest,
        accountId: string | undefined,
        purpose: CallPurpose
      ) {
        if (quotas.length === 0) return
        const now = yield* Clock.currentTimeMillis
        const calls = windowedCalls(quotas, accountId, purpose, now)
        if (calls.length === 0) return
        const counted = yield* repository.count(slug, calls)
        const full = calls.filter(
          (call) =>
            !counted.some(
              ({ accountId, windowSeconds }) => accountId === call.accountId && windowSeconds === call.windowSeconds
            )
        )
        if (full.length === 0) return
        const retryAt = Math.max(...full.map(({ quota }) => windowEnd(quota, now)))
        return yield* AdapterError.of(
          "quota_exhausted",
          purpose === "polling"
            ? "The calls for reading are used up in this window"
            : "The manufacturer's calls are used up in this window",
          { retryAt }
        )
      })

      return {
        reserve,
        pause: Effect.fnUntraced(function* (manifest, accountId, retryAt) {
          const now = yield* Clock.currentTimeMillis
          const until = Math.min(Math.max(retryAt ?? now + UNNAMED_PAUSE, now + 1000), now + LONGEST_PAUSE)
          const scope = isShared(manifest.quotas) ? "" : accountId
          // A refused sign-in says nothing about the accounts.
          if (scope !== undefined) yield* repository.pause(manifest.slug, scope, new Date(until))
          return until
        }),
        pauses: Effect.fnUntraced(function* (wanted) {
          if (wanted.length === 0) return new Map()
          const found = yield* repository.pauses(
            [...new Set(wanted.map(({ manufacturer }) => manufacturer))],
            wanted.map(({ id }) => id)
          )
          if (found.length === 0) return new Map()
          const ends = (id: string, manufacturer: string) =>
            found
              .filter((pause) => pause.manufacturer === manufacturer && ["", id].includes(pause.accountId))
              .map(({ until }) => until.getTime())
          return new Map(
            wanted.flatMap(({ id, manufacturer }) => {
              const until = ends(id, manufacturer)
              return until.length === 0 ? [] : [[id, Math.max(...until)] as const]
            })
          )
        }),
        sustainable: Effect.fnUntraced(function* ({ quotas, slug }) {
          if (quotas.length === 0) return 0
          return sustainableInterval(quotas, (yield* counts).get(slug) ?? 1, averages.get(slug) ?? 1)
        }),
        noteCalls: (slug, calls) => {
          const before = averages.get(slug)
          averages.set(slug, before === undefined ? calls : before + WEIGHT * (calls - before))
        },
        clear: Effect.asVoid(repository.clear)
      }
    })
  )
}
