import { randomUUID } from "node:crypto"
import type { DestinationType } from "@edp/domain/destinations/Destination"
import type { Event } from "@edp/domain/events/Event"
import { Clock, Context, Duration, Effect, Exit, Fiber, Layer, Metric, Random } from "effect"
import { SqlClient } from "effect/sql"
import { Events } from "../../events/Events.ts"
import { isBusy, RequestsInFlight } from "../../platform/observability/RequestsInFlight.ts"
import { batched } from "../../platform/batching/batched.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { attemptOutcome, attemptRow, laneOutcome, untoldRow } from "./attempts.ts"
import { AttemptsRepository } from "./OutcomesRepository.ts"
import { EventWeather } from "./EventWeather.ts"
import { HourlyCaps } from "./HourlyCaps.ts"
import { type Attempt, CLAIM_SECONDS, type Due, type Health, type LaneOutcome, type TakenLane } from "./orderingKeys.ts"
import { makeLaneSlots, type Slot } from "./bulkheads.ts"
import { LanesRepository } from "./OrderingKeysRepository.ts"
import { Senders } from "../senders/Senders.ts"
import { type SendingTarget, Targets } from "../Targets.ts"
import { makeTurns } from "./pacing.ts"

/** How many lanes an instance has in hand, those of slow destinations beside the others. */
const LIMITS = { usual: 512, slow: 256, atOnce: 32, slowAfter: 1000 } as const
/** How many of one destination: of those that have answered quickly more than of those of which nothing is known. */
const EACH = 8
const EACH_QUICK = 256
/** Deliveries of a lane that are read at once, and of all that are taken together about as many. */
const PART = 10
const TOGETHER = 512
/** How long the end of the service waits for deliveries that have begun. */
const PATIENCE = Duration.seconds(11)
const CLAIM_MS = CLAIM_SECONDS * 1000
/** A destination is deactivated when every try has failed for this long. */
const FAILING_MS = 5 * 24 * 60 * 60 * 1000

const tries = Metric.counter("edp_delivery_attempts_total", {
  description: "Tries to deliver an event to a destination, by type and result",
  incremental: true
})

const byLabels = new Map<string, typeof tries>()

const count = (type: DestinationType, succeeded: boolean) => {
  const result = succeeded ? "succeeded" : "failed"
  const metric = byLabels.get(`${type} ${result}`) ?? Metric.withAttributes(tries, { type, result })
  byLabels.set(`${type} ${result}`, metric)
  metric.updateUnsafe(1, Context.empty())
}

/** A lane in a worker's hand. */
interface Held extends TakenLane {
  readonly claim: string
  readonly slot: Slot
  /** Until when it is certainly this worker's, in milliseconds. */
  until: number
}

/** What a worker has done in a lane. */
interface LaneReport {
  readonly attempts: ReadonlyArray<Attempt>
  readonly outcome: LaneOutcome
  readonly health: Health | undefined
  readonly gone: boolean
}

const laneName = ({ destinationId, lane }: { readonly destinationId: string; readonly lane: string }) =>
  `${destinationId} ${lane}`

/** Sends what is due, lane by lane: in order within one, side by side across them. */
export class Delivering extends Context.Service<
  Delivering,
  {
    /** Takes lanes that are due, as many as there is room for, and works on them in the background. Answers how many. */
    readonly begin: Effect.Effect<number>
    /** Keeps the lanes that are worked on for longer. Answers how many. */
    readonly renew: Effect.Effect<number>
    /** There may be something to begin with. */
    readonly wake: Effect.Effect<void>
    /** Waits until there may be. */
    readonly woken: Effect.Effect<void>
  }
>()("@edp/server/destinations/delivery/DeliveryRunner") {
  static readonly layer = Layer.effect(
    Delivering,
    Effect.gen(function* () {
      const lanes = yield* LanesRepository
      const attempts = yield* AttemptsRepository
      const events = yield* Events
      const targets = yield* Targets
      const senders = yield* Senders
      const weather = yield* EventWeather
      const caps = yield* HourlyCaps
      const sql = yield* SqlClient.SqlClient
      const requests = yield* RequestsInFlight
      const clock = yield* Clock.Clock
      const slots = makeLaneSlots(LIMITS)
      const turn = makeTurns(
        () => isBusy(requests),
        () => clock.currentTimeMillisUnsafe()
      )
      const inHand = new Set<Held>()
      const fibers = new Set<Fiber.Fiber<void>>()
      let stopping = false
      let isAwake = false
      let sleeper: (() => void) | undefined

      const wakeUp = () => {
        isAwake = true
        sleeper?.()
      }

      const store = (reports: ReadonlyArray<LaneReport>) =>
        Effect.gen(function* () {
          const now = new Date(yield* Clock.currentTimeMillis)
          const tried = reports.flatMap((report) => report.attempts)
          if (tried.length > 0) yield* attempts.record(tried)
          const healths = new Map(
            reports.flatMap(({ health }) => (health === undefined ? [] : [[health.destinationId, health] as const]))
          )
          if (healths.size > 0) yield* attempts.noteHealth([...healths.values()], now)
          const failing = [...healths.values()].flatMap((one) => (one.succeeded ? [] : [one.destinationId]))
          if (failing.length > 0) {
            const since = new Date(now.getTime() - FAILING_MS)
            yield* attempts.deactivate(failing, "Every delivery has failed for 5 days", now, since)
          }
          const gone = reports.filter((report) => report.gone).map(({ outcome }) => outcome.destinationId)
          if (gone.length > 0) yield* attempts.deactivate(gone, "The receiver answered 410 Gone", now)
          return yield* lanes.release(reports.map(({ outcome }) => outcome))
        }).pipe(transactionsOn(sql))

      const settle = yield* batched(
        (reports: ReadonlyArray<LaneReport>) =>
          Effect.map(store(reports), (isMoreDue) => {
            if (isMoreDue) wakeUp()
            return () => Exit.void
          }),
        { maxBatch: 500 }
      )

      const attempt = Effect.fnUntraced(function* (target: SendingTarget, due: Due, event: Event) {
        const whole = target.includeWeather ? yield* weather.added(event) : event
        const begun = yield* Clock.currentTimeMillis
        const result = yield* senders.send(target, whole)
        const ended = yield* Clock.currentTimeMillis
        count(target.destinationType, result.succeeded)
        const outcome = attemptOutcome(result, due.failures, ended, yield* Random.next)
        return { result, outcome, row: attemptRow(due, result, outcome, begun, ended) }
      })

      /** When the destination may get its next message, where its recipient's of this hour are used up; else null. */
      const usedUpUntil = (target: SendingTarget) =>
        Effect.tap(caps.take(target), (until) => (until === null ? Effect.void : lanes.pause(target.id, until)))

      /** Waits until there is room for a delivery to the destination; false where it is better to let go of the lane. */
      const entered = (held: Held) =>
        Effect.flatMap(
          Effect.callback<boolean>((resume) => {
            const leave = slots.enter(held.slot, (isLet) => resume(Effect.succeed(isLet)))
            return Effect.sync(leave)
          }),
          (isLet) =>
            isLet
              ? Effect.map(Effect.andThen(turn, Clock.currentTimeMillis), (now) => {
                  held.slot.begun = now
                  return true
                })
              : Effect.succeed(false)
        )
      const left = (held: Held, succeeded: boolean) =>
        Effect.map(Clock.currentTimeMillis, (now) => slots.leave(held.slot, succeeded, now))

      /** Tries deliveries in their order until one has to wait. */
      const run = Effect.fnUntraced(function* (
        held: Held,
        dues: ReadonlyArray<Due>,
        isWhole: boolean,
        target: SendingTarget,
        byId: ReadonlyMap<string, Event>
      ) {
        const rows: Array<Attempt> = []
        let health: Health | undefined
        let waitsUntil: number | undefined
        let gone = false
        for (const due of dues) {
          const now = yield* Clock.currentTimeMillis
          if (stopping || now >= held.until) break
          const event = byId.get(due.eventId)
          if (event === undefined) {
            rows.push(untoldRow(due, now))
            continue
          }
          const until = yield* usedUpUntil(target)
          if (until !== null) {
            waitsUntil = until.getTime()
            break
          }
          if (!(yield* entered(held))) break
          const { outcome, result, row } = yield* attempt(target, due, event).pipe(
            Effect.onError(() => left(held, false)),
            Effect.tap(({ result }) => left(held, result.succeeded))
          )
          rows.push(row)
          health = { destinationId: due.destinationId, succeeded: result.succeeded }
          gone = result.gone
          // One that later events have passed has its lane to itself.
          if (!outcome.passed || due.lane === due.id) waitsUntil = outcome.nextAt
          if (!result.succeeded) break
        }
        const isEmpty = isWhole && rows.length === dues.length && waitsUntil === undefined
        yield* settle({ attempts: rows, outcome: laneOutcome(held.claim, held, isEmpty, waitsUntil), health, gone })
      })

      /** What is to be done in each of the lanes. A destination that is gone gets nothing any more. */
      const plan = Effect.fnUntraced(function* (taken: ReadonlyArray<Held>) {
        const found = yield* targets.byIds([...new Set(taken.map(({ destinationId }) => destinationId))])
        const limited = [...found.values()].filter(({ destinationType }) => caps.limitOf(destinationType) !== undefined)
        if (limited.length > 0) {
          const now = new Date(yield* Clock.currentTimeMillis)
          yield* lanes.supersede(
            limited.map(({ id }) => id),
            now
          )
        }
        const part = Math.max(1, Math.min(PART, Math.floor(TOGETHER / taken.length)))
        const dues = yield* lanes.heads(taken, part)
        const byId = yield* events.byIds([...new Set(dues.map(({ eventId }) => eventId))])
        const byLane = Map.groupBy(dues, laneName)
        return (held: Held) => {
          const target = found.get(held.destinationId)
          const mine = byLane.get(laneName(held)) ?? []
          return target === undefined ? Effect.void : run(held, mine, mine.length < part, target, byId)
        }
      })

      const free = (held: Held) =>
        Effect.sync(() => {
          slots.free(held.slot)
          inHand.delete(held)
          wakeUp()
        })

      const work = (held: Held, task: Effect.Effect<void>) =>
        task.pipe(
          Effect.catchCause((cause) => Effect.logWarning("A delivery was not recorded and will be repeated", cause)),
          Effect.ensuring(free(held))
        )

      const claim = Effect.fnUntraced(function* () {
        const now = yield* Clock.currentTimeMillis
        slots.sweep(now)
        const room = slots.room()
        const slow = slots.slowOnes()
        const name = randomUUID()
        const common = { busy: slots.busy(), each: EACH }
        const more = { of: slots.quickOnes(), each: EACH_QUICK }
        const usual =
          room.usual === 0
            ? []
            : yield* lanes.claim(name, { ...common, more, except: slow, all: room.usual, held: slots.held(false) })
        const others =
          room.slow === 0 || slow.length === 0
            ? []
            : yield* lanes.claim(name, { ...common, only: slow, all: room.slow, held: slots.held(true) })
        return [...usual, ...others].map((lane): Held => {
          const held = {
            ...lane,
            claim: name,
            slot: slots.take(lane.destinationId, lane.workspaceId),
            until: now + CLAIM_MS
          }
          inHand.add(held)
          return held
        })
      })

      const begin = Effect.gen(function* () {
        if (stopping) return 0
        // Asked for all the time: a trace begins where there is something to do.
        const taken = yield* Effect.withTracerEnabled(claim(), false)
        if (taken.length === 0) return 0
        return yield* start(taken)
      })

      const start = Effect.fn("Delivering.start")(function* (taken: ReadonlyArray<Held>) {
        const taskOf = yield* Effect.onError(plan(taken), () => Effect.forEach(taken, free, { discard: true }))
        for (const held of taken) {
          const fiber = yield* Effect.forkDetach(work(held, taskOf(held)))
          fibers.add(fiber)
          fiber.addObserver(() => fibers.delete(fiber))
        }
        return taken.length
      })

      const renew = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const old = [...inHand].filter(({ until }) => until - now < CLAIM_MS * 0.75)
        if (old.length === 0) return 0
        const kept = new Set(
          (yield* lanes.renew(old.map(({ claim, destinationId, lane }) => ({ claim, destinationId, lane })))).map(
            laneName
          )
        )
        for (const held of old) held.until = kept.has(laneName(held)) ? now + CLAIM_MS : 0
        return old.length
      }).pipe(Effect.withSpan("Delivering.renew"))

      // What has begun is finished and recorded, so that nobody gets it twice; the rest comes back when its claim ends.
      yield* Effect.addFinalizer(() =>
        Effect.gen(function* () {
          stopping = true
          yield* Effect.timeoutOption(Fiber.awaitAll([...fibers]), PATIENCE)
          yield* Fiber.interruptAll([...fibers])
        })
      )

      return {
        begin,
        renew,
        wake: Effect.sync(wakeUp),
        woken: Effect.callback<void>((resume) => {
          const go = () => {
            isAwake = false
            sleeper = undefined
            resume(Effect.void)
          }
          if (isAwake) return go()
          sleeper = go
          return Effect.sync(() => {
            sleeper = undefined
          })
        })
      }
    })
  )
}
