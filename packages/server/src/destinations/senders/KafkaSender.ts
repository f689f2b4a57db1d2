import type { Event } from "@edp/domain/events/Event"
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { placeOf } from "../../platform/outbox/newEvent.ts"
import { contained } from "../../platform/outbound/contained.ts"
import { OutboundDial } from "../../platform/outbound/OutboundDial.ts"
import { type DestinationSender, NOT_SENT, type SendResult, unanswered } from "./DestinationSender.ts"
import type { KafkaClient, KafkaMessage } from "./kafkaClient.ts"
import { kafkaFingerprint } from "./kafkaFingerprint.ts"
import { keptClients } from "./keptClients.ts"

const TIME_LIMIT = Duration.seconds(10)
const CLIENTS = 32
const IDLE_LIMIT = Duration.toMillis("5 minutes")

const messageOf = (topic: string, event: Event): KafkaMessage => ({
  topic,
  key: placeOf(event).subject,
  value: JSON.stringify(event),
  headers: { "event-id": event.id, "event-type": event.type, "content-type": "application/json" }
})

const taken: SendResult = { ...unanswered(""), succeeded: true, error: null }
const tooSlow = unanswered("The cluster did not answer in time")

/** Some 60 MB of memory: only where there are such destinations. */
const library = Effect.promise(async () => ({
  ...(await import("./kafkaClient.ts")),
  ...(await import("./kafkaClient.ts"))
}))

/**
 * Writes events to a topic: keyed by the event's subject, so that those of one subject are in one partition and in order, and acknowledged
 * by all replicas. A repeated event has the same `event-id`.
 */
export class KafkaSender extends Context.Service<KafkaSender, DestinationSender>()(
  "@edp/server/destinations/KafkaSender"
) {
  static readonly layer = Layer.effect(
    KafkaSender,
    Effect.gen(function* () {
      const rules = yield* OutboundDial
      const loaded = yield* Effect.cached(library)
      const clients = keptClients<KafkaClient>({
        close: (client) => client.close(),
        isWorn: (client) => client.isWorn(),
        limit: CLIENTS,
        idleLimit: IDLE_LIMIT
      })
      yield* Effect.addFinalizer(() => Effect.sync(clients.closeAll))
      yield* Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sync(() => clients.sweep(now))).pipe(
        Effect.delay("1 minute"),
        Effect.forever,
        Effect.forkScoped
      )

      return {
        send: Effect.fn("KafkaSender.send")(function* ({ id, kafkaConfig, kafkaPassword }, event) {
          const { kafkaClient, kafkaFailure } = yield* loaded
          const now = yield* Clock.currentTimeMillis
          const fingerprint = kafkaFingerprint(kafkaConfig!, kafkaPassword)
          const make = () => kafkaClient(kafkaConfig!, kafkaPassword, rules)
          return yield* Effect.acquireUseRelease(
            Effect.sync(() => clients.acquire(id, fingerprint, now, make)),
            (entry) => {
              // What is still on its way could arrive after what comes next: nothing more is sent by these connections.
              const ended = (result: SendResult) =>
                Effect.as(
                  Effect.sync(() => clients.end(id, entry)),
                  result
                )
              return contained<SendResult, never>(
                entry.client,
                (resume) => {
                  entry.client.send(messageOf(kafkaConfig!.topic, event)).then(
                    () => resume(Effect.succeed(taken)),
                    (error: unknown) => resume(Effect.succeed(kafkaFailure(error)))
                  )
                },
                () => ended(unanswered(NOT_SENT))
              ).pipe(Effect.timeoutOrElse({ duration: TIME_LIMIT, orElse: () => ended(tooSlow) }))
            },
            (entry) => Effect.sync(() => clients.release(id, entry))
          )
        })
      }
    })
  )
}
