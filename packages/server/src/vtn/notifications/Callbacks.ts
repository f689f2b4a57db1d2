import { randomBytes } from "node:crypto"
import type { ObjectOperation } from "@edp/domain/openadr/OpenAdrObjects"
import { Context, Duration, Effect, Layer, Redacted } from "effect"
import { Ids } from "../../platform/Ids.ts"
import { OutboundHttp } from "../../platform/outbound/OutboundHttp.ts"
import { OutboundRules } from "../../platform/outbound/OutboundRules.ts"
import { SecretBox } from "../../platform/secrets/SecretBox.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { invalidFields, type VtnRefusal } from "../problem.ts"
import { CallbacksRepository, type KnownToken } from "./CallbacksRepository.ts"
import { bearerHeader, tokenPurpose } from "./callbackToken.ts"
import { notificationLimits } from "./notificationLimits.ts"

/** Bytes of the response to a check: the echoed value, with whatever a VEN puts around it. */
const ECHO_LIMIT = 64 * 1024
const CHECKED_TOGETHER = 5

interface Checked {
  readonly operation: ObjectOperation
  readonly token: Redacted.Redacted | undefined
}

/** The callbacks of subscriptions, which are checked before they are stored. */
export class Callbacks extends Context.Service<
  Callbacks,
  {
    /**
     * Checks that each callback is an https address that is the caller's: it returns a random value that it is asked to echo. An entry
     * without a token keeps that of the stored entry with its URL.
     */
    readonly check: (
      operations: ReadonlyArray<ObjectOperation>,
      subscriptionId: string | undefined
    ) => Effect.Effect<ReadonlyArray<Checked>, VtnRefusal | DatabaseUnavailable>
    /** Joins the caller's transaction. */
    readonly store: (
      workspaceId: string,
      subscriptionId: string,
      checked: ReadonlyArray<Checked>
    ) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/vtn/Callbacks") {
  static readonly layer = Layer.effect(
    Callbacks,
    Effect.gen(function* () {
      const repository = yield* CallbacksRepository
      const http = yield* OutboundHttp
      const rules = yield* OutboundRules
      const box = yield* SecretBox
      const ids = yield* Ids

      const echoes = Effect.fn("Callbacks.echo")(function* (text: string, token: Redacted.Redacted | undefined) {
        const value = randomBytes(24).toString("base64url")
        const url = new URL(text)
        url.searchParams.set("echo", value)
        const { body, status } = yield* http.send({
          url,
          method: "GET",
          headers: { "user-agent": "edp-openadr/1", ...bearerHeader(token) },
          body: null,
          timeLimit: Duration.seconds(notificationLimits.callSeconds),
          responseLimit: ECHO_LIMIT
        })
        if (status !== 200) return `Must respond to the check with ?echo by 200, and did by ${status}`
        return Buffer.from(body).toString("utf8").includes(value)
          ? undefined
          : "Must return the value of ?echo in the body of its response"
      })

      const problem = Effect.fnUntraced(function* (text: string, token: Redacted.Redacted | undefined) {
        if (!/^https:/iu.test(text)) return "Must be an https address"
        const { url: refused } = yield* rules.refused({ url: text })
        if (refused !== undefined) return refused
        return yield* Effect.catch(echoes(text, token), ({ message }) =>
          Effect.succeed(`Must respond to the check with ?echo: ${message}`)
        )
      })

      const openKnown = (known: ReadonlyArray<KnownToken>) =>
        Effect.forEach(
          known.flatMap(({ id, sealedToken, url }) => (sealedToken === null ? [] : [{ id, sealedToken, url }])),
          ({ id, sealedToken, url }) =>
            Effect.map(box.open(tokenPurpose(id), sealedToken), (token) => [url, token] as const)
        ).pipe(Effect.map((entries) => new Map(entries)))

      return {
        check: Effect.fn("Callbacks.check")(function* (operations, subscriptionId) {
          const known = yield* openKnown(subscriptionId === undefined ? [] : yield* repository.known(subscriptionId))
          const checked = operations.map((operation) => {
            const { bearerToken, callbackUrl } = operation
            const given = bearerToken === null || bearerToken === undefined ? undefined : Redacted.make(bearerToken)
            return { operation, token: bearerToken === undefined ? known.get(callbackUrl) : given }
          })
          const problems = yield* Effect.forEach(
            checked,
            ({ operation, token }, place) =>
              Effect.map(problem(operation.callbackUrl, token), (sentence) =>
                sentence === undefined ? [] : [[`objectOperations.${place}.callbackUrl`, sentence] as const]
              ),
            { concurrency: CHECKED_TOGETHER }
          )
          const details = Object.fromEntries(problems.flat())
          if (Object.keys(details).length > 0) return yield* invalidFields(details)
          return checked
        }),
        store: Effect.fnUntraced(function* (workspaceId, subscriptionId, checked) {
          const callbacks = yield* Effect.forEach(checked, ({ operation, token }) =>
            Effect.gen(function* () {
              const id = yield* ids.next
              const sealedToken = token === undefined ? null : yield* box.seal(tokenPurpose(id), token)
              const { callbackUrl, objects, operations } = operation
              return { id, url: callbackUrl, sealedToken, objects, operations }
            })
          )
          yield* repository.replace(workspaceId, subscriptionId, callbacks)
        })
      }
    })
  )
}
