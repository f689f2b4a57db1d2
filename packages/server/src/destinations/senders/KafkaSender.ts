import type { Event } from "@edp/domain/events/Event"
import { Context, Duration, Effect, Layer, RcMap } from "effect"
import { eventSubject } from "../../platform/outbox/EventOutbox.ts"
import { contained } from "../../platform/outbound/contained.ts"
import { OutboundDial } from "../../platform/outbound/OutboundDial.ts"
import { type DestinationSender, NOT_SENT, type SendResult, unanswered, type Target } from "./DestinationSender.ts"
import type { KafkaMessage } from "./kafkaClient.ts"

const TIME_LIMIT = Duration.seconds(10)
/** Clients that are kept for the next event; an idle one for this long. */
const KEPT_CLIENTS = 32
const IDLE_LIMIT = "5 minutes"

/** One client per destination and settings. Keys are compared by value, so changed settings or a new password get a new one. */
type ClientKey = Pick<Target, "id" | "kafkaConfig" | "kafkaPassword">

const makeMessage = (topic: string, event: Event): KafkaMessage => ({
  topic,
  key: eventSubject(event).subject,
  value: JSON.stringify(event),
  headers: { "event-id": event.id, "event-type": event.type, "content-type": "application/json" }
})

const taken: SendResult = { ...unanswered(""), succeeded: true, error: null }
const tooSlow = unanswered("The cluster did not respond in time")

/** It takes about 60 MB of memory, so it is loaded with the first message. */
const library = Effect.promise(() => import("./kafkaClient.ts"))

/**
 * Writes events to a topic, keyed by subject, so that the events of one subject are in one partition and in order, and
 * acknowledged by all replicas. A repeated event has the same `event-id`.
 */
export class KafkaSender extends Context.Service<KafkaSender, DestinationSender>()(
  "@edp/server/destinations/KafkaSender"
) {
  static readonly layer = Layer.effect(
    KafkaSender,
    Effect.gen(function* () {
      const rules = yield* OutboundDial
      const loaded = yield* Effect.cached(library)
      const clients = yield* RcMap.make({
        lookup: ({ kafkaConfig, kafkaPassword }: ClientKey) =>
          Effect.acquireRelease(
            Effect.map(loaded, ({ kafkaClient }) => kafkaClient(kafkaConfig!, kafkaPassword, rules)),
            (client) => Effect.sync(client.close)
          ),
        idleTimeToLive: IDLE_LIMIT
      })

      /** A new client replaces the one for former settings of its destination, and the oldest ones. */
      const makeRoom = Effect.fnUntraced(function* (key: ClientKey) {
        if (yield* RcMap.has(clients, key)) return
        const kept = Array.from(yield* RcMap.keys(clients))
        const others = kept.filter(({ id }) => id !== key.id)
        const surplus = others.slice(0, Math.max(0, others.length - KEPT_CLIENTS + 1))
        const former = kept.filter(({ id }) => id === key.id)
        yield* Effect.forEach([...former, ...surplus], (old) => RcMap.invalidate(clients, old), { discard: true })
      })

      return {
        send: Effect.fn("KafkaSender.send")(function* ({ id, kafkaConfig, kafkaPassword }, event) {
          const { kafkaFailure } = yield* loaded
          const key = { id, kafkaConfig, kafkaPassword }
          yield* makeRoom(key)
          const client = yield* RcMap.get(clients, key)
          // A message under way could arrive after the next one, so these connections are closed.
          const ended = (result: SendResult) =>
            Effect.as(Effect.andThen(RcMap.invalidate(clients, key), Effect.sync(client.close)), result)
          const result = yield* contained<SendResult, never>(
            client,
            (resume) => {
              client.send(makeMessage(kafkaConfig!.topic, event)).then(
                () => resume(Effect.succeed(taken)),
                (error: unknown) => resume(Effect.succeed(kafkaFailure(error)))
              )
            },
            () => ended(unanswered(NOT_SENT))
          ).pipe(Effect.timeoutOrElse({ duration: TIME_LIMIT, orElse: () => ended(tooSlow) }))
          if (client.isWorn()) yield* RcMap.invalidate(clients, key)
          return result
        }, Effect.scoped)
      }
    })
  )
}
