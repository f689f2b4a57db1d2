import type { DestinationType } from "@edp/domain/destinations/Destination"
import type { Event } from "@edp/domain/events/Event"
import { Clock, Context, Effect, Layer, Metric, Random } from "effect"
import { Events } from "../../events/Events.ts"
import { makeIsolation } from "../../platform/jobs/isolation.ts"
import { type JobRunner, type Leased, makeJobRunner } from "../../platform/jobs/JobRunner.ts"
import { type SendingTarget, DestinationSecrets } from "../DestinationSecrets.ts"
import { Senders } from "../senders/Senders.ts"
import { type Attempt, attemptOutcome, expiredAttempt, toAttempt, DeliveryRecorder } from "./DeliveryRecorder.ts"
import { type DeliveryClaim, DeliveryClaimer } from "./DeliveryClaimer.ts"
import { deliveryLimits } from "./deliveryLimits.ts"
import { EventWeather } from "./EventWeather.ts"
import { HourlyCaps } from "./HourlyCaps.ts"
import { type DueDelivery, keyName, OrderingKeysRepository } from "./OrderingKeysRepository.ts"

const { deliveriesPerClaim, deliveriesPerKey } = deliveryLimits

const attemptsTotal = Metric.counter("edp_delivery_attempts_total", {
  description: "Tries to deliver an event to a destination, by type and result",
  incremental: true
})

const byLabels = new Map<string, typeof attemptsTotal>()

/** Counts an attempt in the metrics. */
export const countAttempt = (type: DestinationType, succeeded: boolean) => {
  const result = succeeded ? "succeeded" : "failed"
  const metric = byLabels.get(`${type} ${result}`) ?? Metric.withAttributes(attemptsTotal, { type, result })
  byLabels.set(`${type} ${result}`, metric)
  metric.updateUnsafe(1, Context.empty())
}

/** Sends deliveries that are due: in order within an ordering key, concurrently across keys. */
export class DeliveryRunner extends Context.Service<DeliveryRunner, JobRunner>()(
  "@edp/server/destinations/DeliveryRunner"
) {
  static readonly layer = Layer.effect(
    DeliveryRunner,
    Effect.gen(function* () {
      const claimer = yield* DeliveryClaimer
      const recorder = yield* DeliveryRecorder
      const keys = yield* OrderingKeysRepository
      const events = yield* Events
      const secrets = yield* DestinationSecrets
      const senders = yield* Senders
      const weather = yield* EventWeather
      const caps = yield* HourlyCaps
      const isolation = yield* makeIsolation("deliveries of an ordering key")

      const attempt = Effect.fnUntraced(function* (target: SendingTarget, due: DueDelivery, event: Event) {
        const whole = target.includeWeather ? yield* weather.withWeather(event) : event
        const begun = yield* Clock.currentTimeMillis
        const result = yield* senders.send(target, whole)
        const ended = yield* Clock.currentTimeMillis
        countAttempt(target.destinationType, result.succeeded)
        const outcome = attemptOutcome(result, due.failures, ended, result.succeeded ? 0 : yield* Random.next)
        return { result, outcome, row: toAttempt(due, result, outcome, begun, ended) }
      })

      /** When the recipient may get the next message if its messages of this hour are used up; else null. */
      const pausedUntil = (target: SendingTarget) =>
        Effect.tap(caps.take(target), (until) => (until === null ? Effect.void : keys.pause(target.id, until)))

      /** Sends the deliveries of a key in their order until one has to wait, and records what became of them. */
      const run = Effect.fnUntraced(function* (
        leased: Leased<DeliveryClaim>,
        dues: ReadonlyArray<DueDelivery>,
        isWhole: boolean,
        target: SendingTarget,
        byId: ReadonlyMap<string, Event>
      ) {
        const { job } = leased
        const attempts: Array<Attempt> = []
        let succeeded: boolean | undefined
        let waitsUntil: number | undefined
        let gone = false
        for (const due of dues) {
          const now = yield* Clock.currentTimeMillis
          if (runner.isStopping() || !(yield* leased.isHeld)) break
          const event = byId.get(due.eventId)
          if (event === undefined || event.workspaceId !== job.workspaceId) {
            attempts.push(expiredAttempt(due, now))
            continue
          }
          const until = yield* pausedUntil(target)
          if (until !== null) {
            waitsUntil = until.getTime()
            break
          }
          if (!(yield* claimer.enter(job))) break
          const { outcome, result, row } = yield* attempt(target, due, event).pipe(
            Effect.onError(() => claimer.leave(job, false))
          )
          yield* claimer.leave(job, result.succeeded)
          attempts.push(row)
          succeeded = result.succeeded
          gone = result.gone
          // A delivery that was overtaken has its own ordering key.
          if (!outcome.overtaken || due.orderingKey === due.id) waitsUntil = outcome.nextAt
          if (!result.succeeded) break
        }
        const { claim, destinationId, newest, orderingKey } = job
        const isEmpty = isWhole && attempts.length === dues.length && waitsUntil === undefined
        const dueAt = waitsUntil === undefined ? null : new Date(waitsUntil)
        const released = { destinationId, orderingKey, claim, isEmpty, dueAt, done: newest }
        if (yield* recorder.record({ attempts, released, succeeded, gone })) yield* runner.wake
      })

      /** Loads targets, deliveries and events of claimed keys. Remaining deliveries of a deleted destination are not sent. */
      const prepare = Effect.fnUntraced(function* (leased: ReadonlyArray<Leased<DeliveryClaim>>) {
        const claims = leased.map(({ job }) => job)
        const found = yield* secrets.targets([...new Set(claims.map(({ destinationId }) => destinationId))])
        const capped = [...found.values()].filter(({ destinationType }) => caps.limitFor(destinationType) !== undefined)
        if (capped.length > 0) {
          const now = new Date(yield* Clock.currentTimeMillis)
          yield* keys.supersede(
            capped.map(({ id }) => id),
            now
          )
        }
        const most = Math.max(1, Math.min(deliveriesPerKey, Math.floor(deliveriesPerClaim / claims.length)))
        const dues = yield* keys.heads(
          claims.map(({ destinationId, orderingKey }) => ({ destinationId, orderingKey })),
          most
        )
        const byId = yield* events.byIds([...new Set(dues.map(({ eventId }) => eventId))])
        const byKey = Map.groupBy(dues, ({ destinationId, orderingKey }) => `${destinationId} ${orderingKey}`)
        return (one: Leased<DeliveryClaim>) => {
          const { destinationId, orderingKey } = one.job
          const target = found.get(destinationId)
          const mine = byKey.get(`${destinationId} ${orderingKey}`) ?? []
          return target === undefined ? Effect.void : run(one, mine, mine.length < most, target, byId)
        }
      })

      const runner: JobRunner = yield* makeJobRunner<DeliveryClaim>({
        name: "DeliveryRunner",
        lease: `${deliveryLimits.leaseSeconds} seconds`,
        poll: deliveryLimits.pauseMs,
        topic: "deliveries",
        nextDue: keys.nextDue,
        patience: `${deliveryLimits.patienceSeconds} seconds`,
        item: keyName,
        claim: claimer.claim,
        prepare,
        renew: claimer.renew,
        putOff: keys.putOff,
        endLeases: keys.endLeases,
        isolation,
        free: claimer.free
      })
      return runner
    })
  )
}
