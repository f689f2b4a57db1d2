import { NotifierTopics, Notifiers, type SubscriptionRequest } from "@edp/domain/openadr/OpenAdrObjects"
import { Context, Effect, Layer, Result, Schema } from "effect"
import { type VtnAccess, VtnClient, VtnFailure } from "../vtn-client/VtnClient.ts"

const readNotifiers = Schema.decodeUnknownResult(Notifiers)
const readTopics = Schema.decodeUnknownResult(NotifierTopics)
const Made = Schema.Struct({ id: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(128)) })
const readMade = Schema.decodeUnknownResult(Made)
const Listed = Schema.Struct({ id: Schema.String, clientName: Schema.String })
const readListed = Schema.decodeUnknownResult(Listed)

const withId = (path: string, id: string) => `${path}/${encodeURIComponent(id)}`

const failed = (what: string, { said, status }: { readonly said: string; readonly status: number }) =>
  new VtnFailure({ message: `${what} answered ${status}${said}`, status })

/** The requests of a VEN about notifications. */
export class NotifierClient extends Context.Service<
  NotifierClient,
  {
    /** How the VTN notifies. One that does not know the question is taken for one without notifications. */
    readonly notifiers: (access: VtnAccess) => Effect.Effect<Notifiers, VtnFailure>
    /** The filters of topics at a path; none where the VTN has no such topics for this client. */
    readonly topics: (access: VtnAccess, path: string) => Effect.Effect<ReadonlyArray<string>, VtnFailure>
    readonly subscribe: (access: VtnAccess, request: SubscriptionRequest) => Effect.Effect<string, VtnFailure>
    /** Replaces a subscription. Returns false if the VTN does not have it. */
    readonly replace: (
      access: VtnAccess,
      id: string,
      request: SubscriptionRequest
    ) => Effect.Effect<boolean, VtnFailure>
    readonly hasSubscription: (access: VtnAccess, id: string) => Effect.Effect<boolean, VtnFailure>
    /** Ends a subscription; one that is not there has ended. */
    readonly unsubscribe: (access: VtnAccess, id: string) => Effect.Effect<void, VtnFailure>
    /** The ids of the subscriptions of a name. */
    readonly named: (access: VtnAccess, clientName: string) => Effect.Effect<ReadonlyArray<string>, VtnFailure>
  }
>()("@edp/server/grid/NotifierClient") {
  static readonly layer = Layer.effect(
    NotifierClient,
    Effect.gen(function* () {
      const vtn = yield* VtnClient
      return {
        notifiers: Effect.fn("NotifierClient.notifiers")(function* (access) {
          const response = yield* vtn.request(access, "GET", "/notifiers")
          if ([403, 404, 405, 501].includes(response.status)) return {}
          if (response.status !== 200) return yield* failed("/notifiers", response)
          const read = readNotifiers(response.body)
          if (Result.isSuccess(read)) return read.success
          return yield* new VtnFailure({ message: "/notifiers can't be read", status: 200 })
        }),
        topics: Effect.fn("NotifierClient.topics")(function* (access, path) {
          const response = yield* vtn.request(access, "GET", `/notifiers/mqtt/topics/${path}`)
          if ([400, 403, 404].includes(response.status)) return []
          if (response.status !== 200) return yield* failed(`/notifiers/mqtt/topics/${path}`, response)
          const read = readTopics(response.body)
          if (Result.isFailure(read)) return []
          const { ALL, CREATE, DELETE, UPDATE } = read.success.topics
          return ALL === undefined || ALL === null ? [CREATE, UPDATE, DELETE].flatMap((topic) => topic ?? []) : [ALL]
        }),
        subscribe: Effect.fn("NotifierClient.subscribe")(function* (access, body) {
          const response = yield* vtn.request(access, "POST", "/subscriptions", { body })
          if (response.status !== 201) return yield* failed("/subscriptions", response)
          const made = readMade(response.body)
          if (Result.isSuccess(made)) return made.success.id
          return yield* new VtnFailure({ message: "/subscriptions returned no subscription", status: 201 })
        }),
        replace: Effect.fn("NotifierClient.replace")(function* (access, id, body) {
          const response = yield* vtn.request(access, "PUT", withId("/subscriptions", id), { body })
          if (response.status === 200) return true
          return response.status === 404 ? false : yield* failed("/subscriptions", response)
        }),
        hasSubscription: Effect.fn("NotifierClient.hasSubscription")(function* (access, id) {
          const response = yield* vtn.request(access, "GET", withId("/subscriptions", id))
          if (response.status === 200) return true
          return response.status === 404 ? false : yield* failed("/subscriptions", response)
        }),
        unsubscribe: Effect.fn("NotifierClient.unsubscribe")(function* (access, id) {
          const response = yield* vtn.request(access, "DELETE", withId("/subscriptions", id))
          if (response.status >= 300 && response.status !== 404) yield* failed("/subscriptions", response)
        }),
        named: Effect.fn("NotifierClient.named")(function* (access, clientName) {
          const response = yield* vtn.request(access, "GET", "/subscriptions", { query: { clientName } })
          if (response.status !== 200) return yield* failed("/subscriptions", response)
          return (Array.isArray(response.body) ? response.body : [])
            .map((item) => readListed(item))
            .flatMap((item) =>
              Result.isSuccess(item) && item.success.clientName === clientName ? [item.success.id] : []
            )
        })
      }
    })
  )
}
