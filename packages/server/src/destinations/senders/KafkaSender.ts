import type { KafkaConfig } from "@edp/domain/destinations/KafkaConfig"
import type { Event } from "@edp/domain/events/Event"
import { Clock, Context, Duration, Effect, Layer, type Redacted } from "effect"
import { placeOf } from "../../events/newEvent.ts"
import { OutboundDial } from "../../outbound/OutboundDial.ts"
import type { DestinationSender, SendResult, Target } from "./DestinationSender.ts"
import { ANSWERS_LIMIT } from "./guardedConnections.ts"
import { fingerprintOf, type KafkaClient, kafkaClient, usageOf } from "./kafkaClient.ts"
import { kafkaFailure } from "./kafkaResult.ts"
import { unanswered } from "./sendResults.ts"

const TIME_LIMIT = Duration.seconds(10)
/** Clients that are kept, and how long one is kept without being used, in milliseconds. */
const CLIENTS = 32
const IDLE_LIMIT = 5 * 60_000
/** A client that holds more connections, or one that has read so much, is replaced once it is idle. */
const CONNECTIONS = 64
const READ_LIMIT = ANSWERS_LIMIT / 2

interface Kept {
  readonly client: KafkaClient
  /** Ends what waits for an answer. */
  readonly waiting: Set<(error: unknown) => void>
  readonly fingerprint: string
  inUse: number
  usedAt: number
  /** Whether it is to be closed once nobody uses it. */
  spent: boolean
}

const messageOf = (topic: string, event: Event) => ({
  topic,
  key: placeOf(event).subject,
  value: JSON.stringify(event),
  headers: { "event-id": event.id, "event-type": event.type, "content-type": "application/json" }
})

/** Ends when the client has an answer, or is found to be broken. */
const write = async ({ client, waiting }: Kept, topic: string, event: Event) => {
  const { promise, reject, resolve } = Promise.withResolvers<unknown>()
  waiting.add(reject)
  try {
    client.send({ messages: [messageOf(topic, event)] }).then(resolve, reject)
    return await promise
  } finally {
    waiting.delete(reject)
  }
}

const taken: SendResult = { ...unanswered(""), succeeded: true, error: null }
const tooSlow = unanswered("The cluster did not answer in time")

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
      const kept = new Map<string, Kept>()

      const close = ({ client }: Kept) => void client.close(true).catch(() => {})
      const drop = (id: string, entry: Kept) => {
        if (kept.get(id) === entry) kept.delete(id)
        entry.spent = true
        if (entry.inUse === 0) close(entry)
      }
      yield* Effect.addFinalizer(() => Effect.sync(() => kept.forEach(close)))

      /** Those that were not used for long, and the longest unused ones where there are too many. */
      const makeRoom = (now: number) => {
        const unused = [...kept]
          .filter(([, { inUse }]) => inUse === 0)
          .toSorted(([, one], [, other]) => one.usedAt - other.usedAt)
        const surplus = kept.size - CLIENTS + 1
        unused.forEach(([id, entry], at) => {
          if (at < surplus || now - entry.usedAt > IDLE_LIMIT) drop(id, entry)
        })
      }

      const made = (id: string, config: KafkaConfig, password: Redacted.Redacted | null, now: number): Kept => {
        const waiting: Kept["waiting"] = new Set()
        const broken = (cause: unknown) => {
          drop(id, entry)
          const error = new Error("A broker answers what no broker should.", { cause })
          for (const end of waiting) end(error)
        }
        const client = kafkaClient(config, password, rules, broken)
        const fingerprint = fingerprintOf(config, password)
        const entry = { client, waiting, fingerprint, inUse: 0, usedAt: now, spent: false }
        return entry
      }

      const acquire = ({ id, kafkaConfig, kafkaPassword }: Target, now: number) => {
        const fingerprint = fingerprintOf(kafkaConfig!, kafkaPassword)
        const before = kept.get(id)
        if (before !== undefined && before.fingerprint !== fingerprint) drop(id, before)
        const found = kept.get(id)
        if (found === undefined) makeRoom(now)
        const entry = found ?? made(id, kafkaConfig!, kafkaPassword, now)
        kept.set(id, entry)
        entry.inUse += 1
        entry.usedAt = now
        return entry
      }

      const release = (id: string, entry: Kept) => {
        entry.inUse -= 1
        const { connections, read } = usageOf(entry.client)
        if (entry.spent || connections > CONNECTIONS || read > READ_LIMIT) drop(id, entry)
      }

      return {
        send: Effect.fn("KafkaSender.send")((target, event) =>
          Effect.acquireUseRelease(
            Effect.map(Clock.currentTimeMillis, (now) => acquire(target, now)),
            (entry) =>
              Effect.tryPromise({
                try: () => write(entry, target.kafkaConfig!.topic, event),
                catch: kafkaFailure
              }).pipe(
                Effect.as(taken),
                Effect.catch(Effect.succeed),
                // What is still on its way could arrive after what comes next: nothing more is sent by these connections.
                Effect.timeoutOrElse({
                  duration: TIME_LIMIT,
                  orElse: () =>
                    Effect.sync(() => {
                      drop(target.id, entry)
                      close(entry)
                      return tooSlow
                    })
                })
              ),
            (entry) => Effect.sync(() => release(target.id, entry))
          )
        )
      }
    })
  )
}
