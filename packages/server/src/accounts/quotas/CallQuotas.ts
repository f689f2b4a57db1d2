import { Clock, Context, Effect, Exit, Layer } from "effect"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { Manifest, Quota } from "@edp/adapter-kit/ManufacturerAdapter"
import { batched } from "../../platform/batching/batched.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { AccountsRepository } from "../AccountsRepository.ts"
import { CallQuotasRepository } from "./CallQuotasRepository.ts"
import { type CallPurpose, type WindowedCall, sustainableInterval, windowEnd, windowedCalls } from "./quotaWindows.ts"

/** The pause after a refusal that names no time. */
const UNNAMED_PAUSE = 60_000
/** The longest pause that a manufacturer may ask for, but for a used-up month. */
const LONGEST_PAUSE = 32 * 86_400_000

/** Weight of the newest reading in the average of calls. */
const WEIGHT = 0.1

/** A refusal is for all accounts if the manufacturer limits nothing else. */
const isShared = (quotas: ReadonlyArray<Quota>) =>
  quotas.length > 0 && quotas.every(({ scope }) => scope === "manufacturer")

interface Reservation {
  readonly manifest: Manifest
  readonly accountId: string | undefined
  readonly purpose: CallPurpose
}

const windowName = ({ accountId, windowSeconds }: Pick<WindowedCall, "accountId" | "windowSeconds">) =>
  `${windowSeconds} ${accountId}`

/** Keeps calls to manufacturers within their quotas, counted over all instances, and holds the pauses that they ask for. */
export class CallQuotas extends Context.Service<
  CallQuotas,
  {
    /** Counts a call, or fails if there is no room for it in one of the windows. */
    readonly reserve: (
      manifest: Manifest,
      accountId: string | undefined,
      purpose: CallPurpose
    ) => Effect.Effect<void, AdapterError | DatabaseUnavailable>
    /** Ends calls until the manufacturer takes them again. Returns the end of the pause. */
    readonly pause: (
      manifest: Manifest,
      accountId: string | undefined,
      retryAt: number | null
    ) => Effect.Effect<number, DatabaseUnavailable>
    /** The ends of the accounts' present pauses, in milliseconds since 1970. */
    readonly pauses: (
      accounts: ReadonlyArray<{ readonly id: string; readonly manufacturer: string }>
    ) => Effect.Effect<ReadonlyMap<string, number>, DatabaseUnavailable>
    /** The shortest interval, in seconds, at which the quotas last for all accounts. */
    readonly sustainable: (manifest: Manifest) => Effect.Effect<number, DatabaseUnavailable>
    /** Notes the calls that a reading made. */
    readonly noteCalls: (slug: string, calls: number) => void
    readonly clear: Effect.Effect<void, DatabaseUnavailable>
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

      /** Counts the calls of a manufacturer for one purpose. Each is counted in every window that has room for it. */
      const countCalls = Effect.fnUntraced(function* (
        slug: string,
        reservations: ReadonlyArray<Reservation>,
        now: number
      ) {
        const wanted = new Map<string, WindowedCall & { calls: number }>()
        const asked = reservations.map(({ accountId, manifest, purpose }) =>
          windowedCalls(manifest.quotas, accountId, purpose, now)
        )
        for (const { quota: _, ...call } of asked.flat()) {
          const known = wanted.get(windowName(call))
          if (known === undefined) wanted.set(windowName(call), { ...call, calls: 1 })
          else known.calls++
        }
        const counted = wanted.size === 0 ? [] : yield* repository.count(slug, [...wanted.values()])
        const left = new Map(counted.map((window) => [windowName(window), window.admitted]))
        return asked.map((calls) => {
          const full = calls.filter((call) => {
            const room = left.get(windowName(call)) ?? 0
            left.set(windowName(call), room - 1)
            return room <= 0
          })
          return full.length === 0 ? undefined : Math.max(...full.map(({ quota }) => windowEnd(quota, now)))
        })
      })

      /** The end of the window without room for a call; undefined if there is room. A row that every call counts in is written once for many. */
      const count = yield* batched(
        Effect.fnUntraced(function* (reservations: ReadonlyArray<Reservation>) {
          const now = yield* Clock.currentTimeMillis
          const ends = new Map<Reservation, number | undefined>()
          const groups = Map.groupBy(reservations, ({ manifest, purpose }) => `${manifest.slug} ${purpose}`)
          for (const group of groups.values()) {
            const found = yield* countCalls(group[0]!.manifest.slug, group, now)
            group.forEach((reservation, index) => ends.set(reservation, found[index]))
          }
          return (reservation: Reservation) => Exit.succeed(ends.get(reservation))
        }),
        { maxBatch: 500 }
      )

      const reserve = Effect.fnUntraced(function* (
        manifest: Manifest,
        accountId: string | undefined,
        purpose: CallPurpose
      ) {
        if (manifest.quotas.length === 0) return
        const retryAt = yield* count({ manifest, accountId, purpose })
        if (retryAt === undefined) return
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
