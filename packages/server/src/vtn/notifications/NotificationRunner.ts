import { randomUUID } from "node:crypto"
import { Cause, Context, Duration, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { makeIsolation } from "../../platform/jobs/isolation.ts"
import { type JobRunner, type Leased, makeJobRunner } from "../../platform/jobs/JobRunner.ts"
import { LeaseHolder } from "../../platform/jobs/LeaseHolder.ts"
import { logFailure } from "../../platform/logs/repeatedFailures.ts"
import { OutboundHttp } from "../../platform/outbound/OutboundHttp.ts"
import { SecretBox } from "../../platform/secrets/SecretBox.ts"
import { catchAllButUnavailable, type DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { bearerHeader, tokenPurpose } from "./callbackToken.ts"
import { type CallbackClaim, CallbacksRepository, type PendingNotification } from "./CallbacksRepository.ts"
import { notificationBody } from "./notificationBody.ts"
import { notificationLimits as limits } from "./notificationLimits.ts"

const RESPONSE_LIMIT = 4096
/** Characters of an error that are stored. */
const ERROR_LENGTH = 500

/** Posts the notifications that wait in the outbox, each callback's in their order; one that takes long delays no other. */
export class NotificationRunner extends Context.Service<
  NotificationRunner,
  JobRunner & {
    /** Ends waits that are longer than any, which a clock that was set back leaves. */
    readonly limitWaits: Effect.Effect<unknown, DatabaseUnavailable>
  }
>()("@edp/server/NotificationRunner") {
  static readonly layer = Layer.effect(
    NotificationRunner,
    Effect.gen(function* () {
      const repository = yield* CallbacksRepository
      const { leases } = repository
      const http = yield* OutboundHttp
      const box = yield* SecretBox
      const holder = yield* LeaseHolder
      const isolation = yield* makeIsolation("notifications of OpenADR")
      const transaction = transactionsOn(yield* SqlClient.SqlClient)
      const active = new Set<CallbackClaim>()

      /** The error of a call; undefined if the callback has accepted it. */
      const post = (callback: CallbackClaim, token: Redacted.Redacted | undefined, notification: PendingNotification) =>
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

      const fail = Effect.fnUntraced(function* (callback: CallbackClaim, error: string, hasTaken: boolean) {
        const { id, subscriptionId, url } = callback
        const isBroken = yield* transaction(repository.failed(callback, error.slice(0, ERROR_LENGTH), hasTaken))
        const { host } = new URL(url)
        yield* logFailure(
          `openadr callback ${id}`,
          isBroken
            ? `The callback at ${host} of the OpenADR subscription ${subscriptionId} is broken: it gets no notifications until the subscription is updated: ${error}`
            : `A notification of the OpenADR subscription ${subscriptionId} was not taken by ${host}: ${error}`
        )
      })

      const deliver = Effect.fn("NotificationRunner.deliver")(
        function* ({ isHeld, job }: Leased<CallbackClaim>) {
          const token = job.sealedToken === null ? undefined : yield* box.open(tokenPurpose(job.id), job.sealedToken)
          let hasTaken = false
          for (const notification of yield* repository.pending(job.id)) {
            if (!(yield* isHeld)) return
            const error = yield* post(job, token, notification)
            if (error !== undefined) return yield* fail(job, error, hasTaken)
            if (!(yield* repository.delivered(notification.id))) break
            hasTaken = true
            if (runner.isStopping()) break
          }
          yield* repository.succeeded(job)
        },
        (effect, { job }) =>
          effect.pipe(
            // A callback whose token can't be opened fails like one that does not respond.
            catchAllButUnavailable((cause) =>
              Cause.hasInterrupts(cause)
                ? Effect.interrupt
                : Effect.andThen(
                    logFailure("openadr notifications", "A notification of OpenADR failed", cause),
                    fail(job, "The notification could not be made", false)
                  )
            ),
            // More may have come meanwhile, and a callback that fails is due at another time than was known.
            Effect.andThen(Effect.suspend(() => runner.wake))
          )
      )

      const room = () => {
        const callbacks = [...active]
        return {
          all: limits.calledTogether - callbacks.length,
          failing: limits.failingTogether - callbacks.filter(({ failures }) => failures > 0).length,
          byClient: new Map(
            [...Map.groupBy(callbacks, ({ clientId }) => clientId)].map(([clientId, own]) => [clientId, own.length])
          )
        }
      }

      const runner: JobRunner = yield* makeJobRunner<CallbackClaim>({
        name: "NotificationRunner",
        lease: `${limits.leaseSeconds} seconds`,
        poll: limits.pauseMs,
        topic: "openadr notifications",
        nextDue: leases.nextDue,
        patience: `${limits.patienceSeconds} seconds`,
        item: ({ id }) => id,
        claim: Effect.gen(function* () {
          const left = room()
          if (left.all <= 0) return []
          const claimed = yield* repository.claim(randomUUID(), holder.id, left)
          for (const callback of claimed) active.add(callback)
          return claimed
        }),
        prepare: () => Effect.succeed(deliver),
        renew: (jobs) => leases.renew(jobs.map(({ claim, failures, id }) => ({ claim, failures, id }))),
        putOff: leases.putOff,
        endLeases: leases.endLeases,
        isolation,
        free: (callback) => {
          active.delete(callback)
        }
      })
      return { ...runner, limitWaits: repository.limitWaits }
    })
  )
}
