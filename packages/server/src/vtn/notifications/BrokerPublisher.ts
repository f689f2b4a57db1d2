import type { AdapterError } from "@edp/adapter-kit/AdapterError"
import { Context, Effect, Layer, Option, RcRef, Ref } from "effect"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import { type Broker, type BrokerAddress, MqttBrokers } from "../../platform/device-networks/MqttBrokers.ts"
import { logFailure } from "../../platform/logs/repeatedFailures.ts"
import { catchAllButUnavailable, type DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { type BrokerMessage, BrokerMessagesRepository } from "./BrokerMessagesRepository.ts"
import { brokerLimits as limits } from "./brokerLimits.ts"
import { viewTopic } from "./brokerTopics.ts"
import { notificationBody } from "./notificationBody.ts"

/** Messages by receiver, each receiver's in their order. */
const byReceiver = (messages: ReadonlyArray<BrokerMessage>) =>
  [...Map.groupBy(messages, (message) => viewTopic(message)).entries()].map(([view, own]) => ({ view, own }))

/** Publishes the changes of objects at the broker of the OpenADR server: one instance at a time, for each receiver in their order. */
export class BrokerPublisher extends Context.Service<
  BrokerPublisher,
  {
    /** Publishes what is due. Returns the number of messages that the broker has taken. */
    readonly publishDue: Effect.Effect<number, DatabaseUnavailable>
    /** Milliseconds until a message is due. */
    readonly nextDue: Effect.Effect<number, DatabaseUnavailable>
    /** Ends waits that are longer than any, which a clock that was set back leaves. */
    readonly limitWaits: Effect.Effect<unknown, DatabaseUnavailable>
  }
>()("@edp/server/vtn/BrokerPublisher") {
  static readonly layer = Layer.effect(
    BrokerPublisher,
    Effect.gen(function* () {
      const { openAdrBroker } = yield* ServerConfig
      if (Option.isNone(openAdrBroker)) {
        return { publishDue: Effect.succeed(0), nextDue: Effect.succeed(Infinity), limitWaits: Effect.void }
      }
      const { host, login, port, tls } = openAdrBroker.value
      const address: BrokerAddress = {
        host,
        port,
        tls,
        fingerprint: null,
        username: login?.user ?? null,
        password: login?.password ?? null,
        version: 5
      }
      const brokers = yield* MqttBrokers
      const repository = yield* BrokerMessagesRepository
      let hasEnded = false
      const connection = yield* RcRef.make({
        acquire: Effect.gen(function* () {
          const broker = yield* brokers.openConfigured(address, () => undefined)
          hasEnded = false
          const noteEnd = Effect.catch(broker.ended, () =>
            Effect.sync(() => {
              hasEnded = true
            })
          )
          yield* Effect.forkScoped(noteEnd)
          return broker
        }),
        idleTimeToLive: `${limits.idleSeconds} seconds`
      })
      /** A connection that the broker has ended since is not used again. */
      const current = Effect.andThen(
        Effect.suspend(() => (hasEnded ? RcRef.invalidate(connection) : Effect.void)),
        RcRef.get(connection)
      )

      const report = (error: AdapterError) =>
        logFailure("openadr broker", `The MQTT broker of OpenADR at ${host}:${port} fails: ${error.message}`)

      /** Publishes the messages of one receiver up to the first that fails, which is returned. */
      const publishAll = Effect.fnUntraced(function* (
        broker: Broker,
        { own, view }: ReturnType<typeof byReceiver>[number],
        taken: Ref.Ref<ReadonlyArray<string>>
      ) {
        for (const message of own) {
          const payload = JSON.stringify(notificationBody(message))
          const error = yield* broker
            .publish({ topic: `${view}/${message.topic}`, payload })
            .pipe(Effect.as(undefined), Effect.catch(Effect.succeed))
          if (error !== undefined) return [{ id: message.id, error }]
          yield* Ref.update(taken, (ids) => [...ids, message.id])
        }
        return []
      })

      /** After several failures, one message is under way at a time: then it is known which one the broker does not stand. */
      const publish = Effect.fn("BrokerPublisher.publish")(function* (
        taken: Ref.Ref<ReadonlyArray<string>>,
        failures: number
      ) {
        const messages = yield* repository.oldest
        const broker = yield* current
        const isCareful = failures >= limits.carefulAfter
        const failed = yield* Effect.forEach(byReceiver(messages), (receiver) => publishAll(broker, receiver, taken), {
          concurrency: isCareful ? 1 : limits.receiversTogether
        })
        const [first] = failed.flat()
        if (first === undefined) return
        const givenUp = isCareful && first.error.failure !== "refused" ? yield* repository.broke(first.id) : []
        if (givenUp.length > 0) {
          yield* logFailure(
            "openadr broker messages",
            "A notification of OpenADR is dropped: the broker ended the connection at each attempt"
          )
        }
        yield* Effect.fail(first.error)
      }, Effect.scoped)

      const failAfter = Effect.fnUntraced(function* (failures: number) {
        yield* RcRef.invalidate(connection)
        const dropped = yield* repository.drop
        if (dropped.length > 0) {
          yield* logFailure(
            "openadr broker messages",
            `${dropped.length} notifications of OpenADR are dropped: they have waited for the broker for too long`
          )
        }
        const pause = limits.firstPauseSeconds * 2 ** Math.min(failures, 10)
        yield* repository.failed(Math.min(limits.longestPauseSeconds, pause))
      })

      return {
        publishDue: Effect.gen(function* () {
          const claim = yield* repository.claim
          if (claim === undefined) return 0
          const taken = yield* Ref.make<ReadonlyArray<string>>([])
          const isDone = yield* publish(taken, claim.failures).pipe(
            Effect.as(true),
            Effect.timeoutOrElse({ duration: `${limits.runSeconds} seconds`, orElse: () => Effect.succeed(false) }),
            Effect.catchTag("AdapterError", (error) => Effect.as(report(error), false)),
            // A message that can't be published is tried again, until it is given up.
            catchAllButUnavailable((cause) =>
              Effect.as(
                logFailure("openadr broker", "The notifications of OpenADR could not be published", cause),
                false
              )
            ),
            Effect.ensuring(Effect.ignore(Effect.flatMap(Ref.get(taken), repository.published)))
          )
          yield* isDone ? repository.succeeded : failAfter(claim.failures)
          return (yield* Ref.get(taken)).length
        }).pipe(Effect.withSpan("BrokerPublisher.publishDue")),
        nextDue: repository.nextDue,
        limitWaits: repository.limitWaits
      }
    })
  )
}
