import type { Notifiers } from "@edp/domain/openadr/OpenAdrObjects"
import { Cause, Clock, Context, Effect, Layer, Redacted } from "effect"
import { allowsPrivate } from "../../platform/config/requireSettings.ts"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import { logFailure } from "../../platform/logs/repeatedFailures.ts"
import { SecretBox } from "../../platform/secrets/SecretBox.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { GridConnectionsRepository } from "../GridConnectionsRepository.ts"
import { GridObjectsRepository } from "../GridObjectsRepository.ts"
import { type ConnectionRow, gridSecretPurpose } from "../gridRow.ts"
import { type VtnAccess, VtnFailure } from "../vtn-client/VtnClient.ts"
import { callbackUrl, isSecret, newSecrets, secretHash, settingsMark } from "./callbackSecrets.ts"
import {
  type CheckResult,
  GridNotificationsRepository,
  type NotificationRow,
  type SubscribedBroker
} from "./GridNotificationsRepository.ts"
import { gridNotificationLimits as limits } from "./notificationLimits.ts"
import { NotifierClient } from "./NotifierClient.ts"
import { usableBroker } from "./vtnBroker.ts"

const ERROR_LENGTH = 1000

/** The name of a connection's subscription at the VTN. */
const clientName = ({ id }: { readonly id: string }) => `edp-${id}`

/** The connection that a VTN calls, or why it is not listened to. */
export type Caller = { readonly connectionId: string } | "unknown" | "refused"

const missingForWebhook = ({ WEBHOOK }: Notifiers, publicUrl: string) => {
  if (WEBHOOK !== true) return "The VTN does not notify by webhook"
  return callbackUrl(publicUrl, "") === undefined
    ? "The service has no public https address: see EDP_PUBLIC_URL"
    : undefined
}

type Found = Pick<CheckResult, "mechanism" | "error" | "broker">

/** How VTNs notify of changes. Each notification makes a connection due, and its poll finds out what has changed. */
export class GridNotifications extends Context.Service<
  GridNotifications,
  {
    /** Sets up the notifications of a VTN, or checks that they still are. A failure is noted, and harms no poll. */
    readonly ensure: (
      connection: ConnectionRow,
      access: VtnAccess,
      venId: string | null
    ) => Effect.Effect<void, DatabaseUnavailable>
    /** Ends the subscription at the VTN that a connection had; what fails is logged. */
    readonly end: (connection: ConnectionRow, subscriptionId: string | null) => Effect.Effect<void>
    /** The subscription of a connection, which is forgotten with all else about its notifications. Joins the caller's transaction. */
    readonly forget: (id: string) => Effect.Effect<string | null, DatabaseUnavailable>
    /** Whether there is a callback of this token. */
    readonly hasCallback: (pathToken: string) => Effect.Effect<boolean, DatabaseUnavailable>
    /** The connection whose callback a VTN calls. */
    readonly identify: (pathToken: string, bearerToken: Redacted.Redacted) => Effect.Effect<Caller, DatabaseUnavailable>
    /** Makes a connection due because its VTN has notified. */
    readonly hint: (connectionId: string) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/grid/GridNotifications") {
  static readonly layer = Layer.effect(
    GridNotifications,
    Effect.gen(function* () {
      const config = yield* ServerConfig
      const repository = yield* GridNotificationsRepository
      const connections = yield* GridConnectionsRepository
      const objects = yield* GridObjectsRepository
      const client = yield* NotifierClient
      const box = yield* SecretBox
      const now = Effect.map(Clock.currentTimeMillis, (time) => new Date(time))

      const unsubscribe = Effect.fnUntraced(function* (access: VtnAccess, row: NotificationRow | undefined) {
        if (row === undefined || row.subscriptionId === null) return
        yield* client.unsubscribe(access, row.subscriptionId)
        yield* repository.unsubscribed(row.id)
      })

      /** Replaces the subscription that is known, or creates one, with new secrets. */
      const subscribe = Effect.fnUntraced(function* (
        connection: ConnectionRow,
        access: VtnAccess,
        known: string | null,
        mark: string
      ) {
        const { bearerToken, pathToken } = newSecrets()
        const [path, bearer] = [Redacted.value(pathToken), Redacted.value(bearerToken)]
        const at = yield* now
        yield* repository.prepareCallback(connection, mark, secretHash(path), secretHash(bearer), at)
        const request = {
          clientName: clientName(connection),
          objectOperations: [
            {
              objects: ["PROGRAM", "EVENT"] as const,
              operations: ["CREATE", "UPDATE", "DELETE"] as const,
              callbackUrl: callbackUrl(config.publicUrl, path)!,
              bearerToken: bearer
            }
          ],
          ...(connection.targets.length > 0 && { targets: connection.targets })
        }
        if (known !== null && (yield* client.replace(access, known, request))) {
          return yield* repository.subscribed(connection.id, known, at)
        }
        // One whose response was lost is at the VTN without the platform knowing of it.
        const strays = yield* client.named(access, request.clientName)
        yield* Effect.forEach(strays, (id) => client.unsubscribe(access, id), { discard: true })
        const made = yield* client.subscribe(access, request)
        yield* repository.subscribed(connection.id, made, at)
      })

      /** Makes sure of the subscription. */
      const webhook = Effect.fnUntraced(function* (
        connection: ConnectionRow,
        access: VtnAccess,
        row: NotificationRow | undefined,
        mark: string
      ) {
        const at = (yield* now).getTime()
        const isCurrent =
          row?.mechanism === "webhook" &&
          row.settingsMark === mark &&
          row.subscribedAt !== null &&
          Math.abs(at - row.subscribedAt.getTime()) < limits.renewMs
        if (!isCurrent) return yield* subscribe(connection, access, row?.subscriptionId ?? null, mark)
        if (yield* client.hasSubscription(access, row.subscriptionId!)) return
        yield* subscribe(connection, access, null, mark)
      })

      /** The filters of the topics of programs and events. */
      const findFilters = Effect.fnUntraced(function* (
        connection: ConnectionRow,
        access: VtnAccess,
        venId: string | null
      ) {
        const ven = venId === null ? [] : [`vens/${encodeURIComponent(venId)}`]
        const ask = (paths: ReadonlyArray<string>) =>
          Effect.map(
            Effect.forEach(paths, (path) => client.topics(access, path)),
            (found) => found.flat()
          )
        const programs = yield* ask([...ven.map((path) => `${path}/programs`), "programs"])
        const events = yield* ask([...ven.map((path) => `${path}/events`), "events"])
        if (events.length > 0) return [...new Set([...programs, ...events])]
        const known = yield* objects.programs(connection.id)
        const some = known.slice(0, limits.programs)
        const single = yield* ask(some.map(({ vtnProgramId }) => `programs/${encodeURIComponent(vtnProgramId)}/events`))
        return [...new Set([...programs, ...single])]
      })

      const broker = Effect.fnUntraced(function* (
        connection: ConnectionRow,
        access: VtnAccess,
        venId: string | null,
        found: Exclude<ReturnType<typeof usableBroker>, string>
      ) {
        const filters = yield* findFilters(connection, access, venId)
        if (filters.length > 0) return { ...found, filters } satisfies SubscribedBroker
        return yield* new VtnFailure({ message: "The VTN names no topics for this VEN", status: null })
      })

      const none = (error: string | null): Found => ({ mechanism: "none", error, broker: null })

      /** The mechanism that the setting, the VTN and the service allow, in force. */
      const setUp = Effect.fnUntraced(function* (
        connection: ConnectionRow,
        access: VtnAccess,
        venId: string | null,
        row: NotificationRow | undefined,
        mark: string
      ) {
        const { clientId, notifications } = connection
        if (notifications === "none") {
          yield* unsubscribe(access, row)
          return none(null)
        }
        const isAutomatic = notifications === "automatic"
        const notifiers = yield* client.notifiers(access)
        let failure: string | null = null
        if (notifications !== "mqtt") {
          const missing = missingForWebhook(notifiers, config.publicUrl)
          if (missing === undefined) {
            failure = yield* webhook(connection, access, row, mark).pipe(
              Effect.as(null),
              Effect.catchTag("VtnFailure", ({ message }) => Effect.succeed(message))
            )
            if (failure === null || !isAutomatic) {
              return { mechanism: "webhook", error: failure, broker: null } satisfies Found
            }
          } else if (!isAutomatic) return none(missing)
        }
        const usable = usableBroker(notifiers, clientId, allowsPrivate(config))
        // A way that the VTN or the service does not have is an error where it was asked for.
        if (typeof usable === "string") return none(isAutomatic ? failure : usable)
        yield* Effect.ignore(unsubscribe(access, yield* repository.get(connection.id)))
        return {
          mechanism: "mqtt",
          error: null,
          broker: yield* broker(connection, access, venId, usable)
        } satisfies Found
      })

      const hint = Effect.fnUntraced(function* (connectionId: string) {
        yield* repository.notified(connectionId, yield* now)
        yield* connections.hint(connectionId)
      })

      return {
        hint,
        ensure: Effect.fn("GridNotifications.ensure")(function* (connection, access, venId) {
          const { clientId, id, notifications, targets, venName, vtnUrl } = connection
          const mark = settingsMark([notifications, vtnUrl, clientId, venName, venId, targets, config.publicUrl])
          const row = yield* repository.get(id)
          const at = yield* now
          const age = row === undefined ? Infinity : Math.abs(at.getTime() - row.checkedAt.getTime())
          if (row?.settingsMark === mark && age < limits.checkMs) return
          const found = yield* setUp(connection, access, venId, row, mark).pipe(
            Effect.catchTag("VtnFailure", ({ message }) => Effect.succeed(none(message))),
            Effect.catchCause((cause) =>
              Cause.hasInterrupts(cause)
                ? Effect.failCause(cause)
                : Effect.as(
                    logFailure("grid notifications", "The notifications of a VTN could not be set up", cause),
                    none("The notifications could not be set up: see the log of the service")
                  )
            )
          )
          const error = found.error?.slice(0, ERROR_LENGTH) ?? null
          yield* repository.checked(connection, { ...found, error, mark, at })
        }),
        end: Effect.fn("GridNotifications.end")(function* (connection, subscriptionId) {
          if (subscriptionId === null) return
          const { id, sealedSecret } = connection
          yield* Effect.gen(function* () {
            const clientSecret = sealedSecret === null ? null : yield* box.open(gridSecretPurpose(id), sealedSecret)
            yield* client.unsubscribe({ ...connection, clientSecret }, subscriptionId)
          }).pipe(
            Effect.timeoutOrElse({
              duration: limits.endMs,
              orElse: () => Effect.fail(new VtnFailure({ message: "The VTN did not respond in time", status: null }))
            }),
            Effect.catchTag("VtnFailure", ({ message }) =>
              logFailure("grid notifications", `The subscription ${subscriptionId} stays at a VTN: ${message}`)
            )
          )
        }),
        forget: Effect.fnUntraced(function* (id) {
          const row = yield* repository.get(id)
          yield* repository.forget(id)
          return row?.subscriptionId ?? null
        }),
        hasCallback: (pathToken) => Effect.map(repository.byPath(secretHash(pathToken)), (row) => row !== undefined),
        identify: Effect.fn("GridNotifications.identify")(function* (pathToken, bearerToken) {
          const row = yield* repository.byPath(secretHash(pathToken))
          if (row === undefined || row.bearerHash === null) return "unknown"
          return isSecret(Redacted.value(bearerToken), row.bearerHash) ? { connectionId: row.id } : "refused"
        })
      }
    })
  )
}
