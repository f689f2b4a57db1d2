import { randomUUID } from "node:crypto"
import type { Event } from "@edp/domain/events/Event"
import { Clock, Context, Effect, Exit, Layer, Random } from "effect"
import { SqlClient } from "effect/sql"
import { Events } from "../events/Events.ts"
import { coalesce } from "../sql/coalesce.ts"
import { inTransaction } from "../sql/transaction.ts"
import { attemptOutcome } from "./attemptOutcome.ts"
import { type Attempt, AttemptsRepository, type Health } from "./AttemptsRepository.ts"
import { attemptRow, laneOutcome } from "./laneRun.ts"
import { type Due, type LaneOutcome, LanesRepository, type TakenLane } from "./LanesRepository.ts"
import { Senders } from "./senders/Senders.ts"
import { type SendingTarget, Targets } from "./Targets.ts"

/** How many lanes an instance works on at a time, and how many of one destination. */
const LANES = 64
const LANES_EACH = 16
/** Deliveries of a lane that are read at once. */
const PART = 10
/** A claim outlives everything that one delivery may take, and more deliveries are begun only in its first half. */
const CLAIM_MS = 60_000

/** What a worker has done in a lane. */
interface LaneReport {
  readonly attempts: ReadonlyArray<Attempt>
  readonly outcome: LaneOutcome
  readonly health: Health | undefined
  readonly gone: boolean
}

/** Sends what is due, lane by lane: in order within one, side by side across them. */
export class Delivering extends Context.Service<
  Delivering,
  {
    /** Takes lanes that are due, as many as there is room for, and works on them in the background. Answers how many. */
    readonly begin: Effect.Effect<number>
  }
>()("@edp/server/destinations/Delivering") {
  static readonly layer = Layer.effect(
    Delivering,
    Effect.gen(function* () {
      const lanes = yield* LanesRepository
      const attempts = yield* AttemptsRepository
      const events = yield* Events
      const targets = yield* Targets
      const senders = yield* Senders
      const sql = yield* SqlClient.SqlClient
      const scope = yield* Effect.scope
      const busy = new Map<string, number>()
      let working = 0

      const store = (reports: ReadonlyArray<LaneReport>) =>
        Effect.gen(function* () {
          const now = new Date(yield* Clock.currentTimeMillis)
          const tried = reports.flatMap((report) => report.attempts)
          if (tried.length > 0) yield* attempts.record(tried)
          const healths = new Map(
            reports.flatMap(({ health }) => (health === undefined ? [] : [[health.destinationId, health] as const]))
          )
          if (healths.size > 0) yield* attempts.noteHealth([...healths.values()], now)
          const gone = reports.filter((report) => report.gone).map(({ outcome }) => outcome.destinationId)
          if (gone.length > 0) yield* attempts.deactivate(gone, "The receiver answered 410 Gone", now)
          yield* lanes.release(
            reports.map(({ outcome }) => outcome),
            now
          )
        }).pipe(inTransaction, Effect.provideService(SqlClient.SqlClient, sql))

      const settle = yield* coalesce(
        (reports: ReadonlyArray<LaneReport>) => Effect.as(store(reports), () => Exit.void),
        { maxBatch: 100 }
      )

      const attempt = Effect.fnUntraced(function* (target: SendingTarget, due: Due, event: Event) {
        const begun = yield* Clock.currentTimeMillis
        const result = yield* senders.send(target, event)
        const ended = yield* Clock.currentTimeMillis
        const outcome = attemptOutcome(result, due.failures, ended, yield* Random.next)
        return { result, outcome, row: attemptRow(due, result, outcome, begun, ended) }
      })

      /** Tries deliveries in their order until one has to wait. */
      const run = Effect.fnUntraced(function* (
        claim: string,
        lane: TakenLane,
        dues: ReadonlyArray<Due>,
        target: SendingTarget,
        byId: ReadonlyMap<string, Event>
      ) {
        const deadline = (yield* Clock.currentTimeMillis) + CLAIM_MS / 2
        const rows: Array<Attempt> = []
        let health: Health | undefined
        let waitsUntil: number | undefined
        let gone = false
        for (const due of dues) {
          const now = yield* Clock.currentTimeMillis
          if (now >= deadline) break
          const event = byId.get(due.eventId)
          if (event === undefined) {
            rows.push(notKept(due, now))
            continue
          }
          const { outcome, result, row } = yield* attempt(target, due, event)
          rows.push(row)
          health = { destinationId: due.destinationId, succeeded: result.succeeded }
          gone = result.gone
          // One that later events have passed has its lane to itself.
          if (!outcome.passed || due.lane === due.id) waitsUntil = outcome.nextAt
          if (!result.succeeded) break
        }
        const isEmpty = rows.length === dues.length && dues.length < PART && waitsUntil === undefined
        const now = yield* Clock.currentTimeMillis
        yield* settle({ attempts: rows, outcome: laneOutcome(claim, lane, isEmpty, waitsUntil, now), health, gone })
      })

      const free = (destinationId: string) =>
        Effect.sync(() => {
          working -= 1
          const left = (busy.get(destinationId) ?? 1) - 1
          if (left === 0) busy.delete(destinationId)
          else busy.set(destinationId, left)
        })

      /** What is to be done in each of the lanes. A destination that is gone gets nothing any more. */
      const take = Effect.fnUntraced(function* (claim: string, taken: ReadonlyArray<TakenLane>) {
        const dues = yield* lanes.heads(taken, PART)
        const [found, byId] = yield* Effect.all(
          [
            targets.byIds([...new Set(taken.map(({ destinationId }) => destinationId))]),
            events.byIds([...new Set(dues.map(({ eventId }) => eventId))])
          ] as const,
          { concurrency: 2 }
        )
        const byLane = Map.groupBy(dues, ({ destinationId, lane }) => `${destinationId} ${lane}`)
        return taken.map((lane) => {
          const target = found.get(lane.destinationId)
          const mine = byLane.get(`${lane.destinationId} ${lane.lane}`) ?? []
          return { lane, work: target === undefined ? Effect.void : run(claim, lane, mine, target, byId) }
        })
      })

      const begin = Effect.gen(function* () {
        if (working >= LANES) return 0
        const claim = randomUUID()
        const now = yield* Clock.currentTimeMillis
        const full = [...busy].flatMap(([id, count]) => (count >= LANES_EACH ? [id] : []))
        const room = LANES - working
        const taken = yield* lanes.claim(claim, new Date(now), new Date(now + CLAIM_MS), full, LANES_EACH, room)
        if (taken.length === 0) return 0
        for (const { destinationId } of taken) {
          working += 1
          busy.set(destinationId, (busy.get(destinationId) ?? 0) + 1)
        }
        const works = yield* Effect.onError(take(claim, taken), () =>
          Effect.forEach(taken, ({ destinationId }) => free(destinationId), { discard: true })
        )
        yield* Effect.forEach(
          works,
          ({ lane, work }) =>
            work.pipe(
              Effect.catchCause((cause) => Effect.logWarning("A delivery was not recorded and will be repeated", cause)),
              Effect.ensuring(free(lane.destinationId)),
              Effect.forkIn(scope)
            ),
          { discard: true }
        )
        return taken.length
      }).pipe(Effect.withSpan("Delivering.begin"))

      return { begin }
    })
  )
}

/** An event that is older than events are kept. */
const notKept = (due: Due, now: number): Attempt => ({
  deliveryId: due.id,
  destinationId: due.destinationId,
  attemptedAt: new Date(now).toISOString(),
  durationMs: 0,
  statusCode: null,
  error: "The event is older than events are kept",
  responseBody: null,
  status: "failed",
  failures: due.failures,
  nextAt: null,
  lane: due.lane,
  sequence: due.sequence
})
