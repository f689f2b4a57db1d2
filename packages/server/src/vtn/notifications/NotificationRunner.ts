import { Context, Duration, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { logFailure } from "../../platform/logs/repeatedFailures.ts"
import { OutboundHttp } from "../../platform/outbound/OutboundHttp.ts"
import { SecretBox } from "../../platform/secrets/SecretBox.ts"
import { catchAllButUnavailable, type DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { bearerHeader, tokenPurpose } from "./callbackToken.ts"
import { CallbacksRepository, type DueCallback, type PendingNotification } from "./CallbacksRepository.ts"
import { notificationBody } from "./notificationBody.ts"
import { notificationLimits as limits } from "./notificationLimits.ts"

const RESPONSE_LIMIT = 4096
/** Characters of an error that are stored. */
const ERROR_LENGTH = 500

/** Posts the notifications that wait in the outbox, each callback's in their order. */
export class NotificationRunner extends Context.Service<
  NotificationRunner,
  {
    /** Sends what is due. Returns the number of notifications that were delivered. */
    readonly sendDue: Effect.Effect<number, DatabaseUnavailable>
    /** Milliseconds until a notification is due. */
    readonly nextDue: Effect.Effect<number, DatabaseUnavailable>
    /** Ends waits that are longer than any, which a clock that was set back leaves. */
    readonly limitWaits: Effect.Effect<unknown, DatabaseUnavailable>
  }
>()("@edp/server/NotificationRunner") {
  static readonly layer = Layer.effect(
    NotificationRunner,
    Effect.gen(function* () {
      const repository = yield* CallbacksRepository
      const http = yield* OutboundHttp
      const box = yield* SecretBox
      const transaction = transactionsOn(yield* SqlClient.SqlClient)

      /** The error of a call; undefined if the callback has accepted it. */
      const post = (callback: DueCallback, token: Redacted.Redacted | undefined, notification: PendingNotification) =>
        http
          .post({
            url: new URL(callback.url),
            headers: {
              "content-type": "application/json",
              "user-agent": "edp-openadr/1",
              ...bearerHeader(token)
            },
            body: Buffer.from(JSON.stringify(notificationBody(notification))),
            timeLimit: Duration.seconds(limits.callSeconds),
            responseLimit: RESPONSE_LIMIT
          })
          .pipe(
            Effect.map(({ status }) =>
              status >= 200 && status < 300 ? undefined : `The response had the status ${status}`
            ),
            Effect.catch(({ message }) => Effect.succeed(message))
          )

      /** Puts off a callback. One that has taken a notification before works: it begins to fail now. */
      const fail = Effect.fnUntraced(function* (
        { id, subscriptionId, url }: DueCallback,
        error: string,
        hasTaken: boolean
      ) {
        const former = hasTaken ? repository.succeeded(id) : Effect.void
        const isBroken = yield* transaction(Effect.andThen(former, repository.failed(id, error.slice(0, ERROR_LENGTH))))
        const { host } = new URL(url)
        yield* logFailure(
          `openadr callback ${id}`,
          isBroken
            ? `The callback at ${host} of the OpenADR subscription ${subscriptionId} is broken: it gets no notifications until the subscription is updated: ${error}`
            : `A notification of the OpenADR subscription ${subscriptionId} was not taken by ${host}: ${error}`
        )
      })

      const deliver = Effect.fn("NotificationRunner.deliver")(
        function* (callback: DueCallback) {
          const token =
            callback.sealedToken === null ? undefined : yield* box.open(tokenPurpose(callback.id), callback.sealedToken)
          let sent = 0
          for (const notification of yield* repository.pending(callback.id)) {
            const error = yield* post(callback, token, notification)
            if (error !== undefined) {
              yield* fail(callback, error, sent > 0)
              return sent
            }
            yield* repository.delivered(notification.id)
            sent++
          }
          yield* repository.succeeded(callback.id)
          return sent
        },
        // A callback whose token can't be opened fails like one that does not respond; the others go on.
        (effect, callback) =>
          effect.pipe(
            catchAllButUnavailable((cause) =>
              Effect.gen(function* () {
                yield* logFailure("openadr notifications", "A notification of OpenADR failed", cause)
                yield* fail(callback, "The notification could not be made", false)
                return 0
              })
            )
          )
      )

      return {
        sendDue: Effect.gen(function* () {
          const due = yield* repository.claim
          const sent = yield* Effect.forEach(due, deliver, { concurrency: limits.calledTogether })
          return sent.reduce((sum, one) => sum + one, 0)
        }).pipe(Effect.withSpan("NotificationRunner.sendDue")),
        nextDue: repository.nextDue,
        limitWaits: repository.limitWaits
      }
    })
  )
}
