import { randomBytes } from "node:crypto"
import type { WriteAction } from "@edp/domain/audit/AuditLog"
import type { CurrentKey } from "@edp/domain/auth/Authentication"
import {
  GivenHeaders,
  type CreateDestination,
  type Destination,
  type DestinationFilters,
  MASK,
  type UpdateDestination
} from "@edp/domain/destinations/Destination"
import { type KafkaConfig, KafkaConfigInput } from "@edp/domain/destinations/KafkaConfig"
import {
  InvalidState,
  NotFound,
  type ValidationError,
  type WorkspaceNotFound,
  invalid
} from "@edp/domain/errors/ApiErrors"
import { merging } from "@edp/domain/errors/mergePatch"
import { toSecret } from "@edp/domain/events/webhookSignature"
import type { PageOf } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { Manufacturers } from "../manufacturers/Manufacturers.ts"
import { OutboundRules } from "../platform/outbound/OutboundRules.ts"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { changedNames } from "../platform/sql/records.ts"
import { Ids } from "../platform/Ids.ts"
import { paginate } from "../platform/sql/lists.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { Workspaces } from "../workspaces/Workspaces.ts"
import { OutcomesRepository } from "./delivery/DeliveryRecorder.ts"
import { DestinationSecrets } from "./DestinationSecrets.ts"
import { DestinationsRepository } from "./DestinationsRepository.ts"
import { type DestinationRow, auditedDestination, publicUrl } from "./destinationRow.ts"
import { refusedChange, refusedCreation } from "./destinationRules.ts"
import { FanOutRepository } from "./delivery/FanOut.ts"
import { Senders } from "./senders/Senders.ts"

type Caller = CurrentKey["Service"]
type OfWorkspace = { readonly workspaceId?: string }
type Query = Schema.Struct.Type<typeof DestinationFilters>
type Absent = NotFound | WorkspaceNotFound

/** Bytes. Standard Webhooks recommends 24 to 64. */
const SECRET_LENGTH = 32
/** After a rotation the previous secret also signs for this long. */
const OVERLAP = 24 * 60 * 60 * 1000

const refuse = (details: Record<string, string>) =>
  Object.keys(details).length === 0 ? Effect.void : Effect.fail(invalid(details))

const mergedHeaders = merging(GivenHeaders, "headers")
const mergedKafkaConfig = merging(KafkaConfigInput, "kafkaConfig")

/** The cluster as it is stored, without its password. */
const masked = ({ clientId = "edp", sasl, ssl = true, ...rest }: KafkaConfigInput): KafkaConfig => ({
  ...rest,
  clientId,
  ssl,
  sasl: sasl === undefined || sasl === null ? null : { ...sasl, password: MASK }
})

/** The destinations of workspaces, where their events are delivered. */
export class Destinations extends Context.Service<
  Destinations,
  {
    readonly list: (
      caller: Caller,
      query: Query
    ) => Effect.Effect<PageOf<Destination>, WorkspaceNotFound | DatabaseUnavailable>
    readonly get: (
      caller: Caller,
      id: string,
      of: OfWorkspace
    ) => Effect.Effect<Destination, Absent | DatabaseUnavailable>
    readonly create: (
      caller: Caller,
      of: OfWorkspace,
      input: CreateDestination
    ) => Effect.Effect<Destination, ValidationError | InvalidState | WorkspaceNotFound | DatabaseUnavailable>
    readonly update: (
      caller: Caller,
      id: string,
      of: OfWorkspace,
      input: UpdateDestination
    ) => Effect.Effect<Destination, ValidationError | Absent | DatabaseUnavailable>
    readonly remove: (caller: Caller, id: string, of: OfWorkspace) => Effect.Effect<void, Absent | DatabaseUnavailable>
    readonly activate: (
      caller: Caller,
      id: string,
      of: OfWorkspace
    ) => Effect.Effect<Destination, ValidationError | Absent | DatabaseUnavailable>
    readonly rotateSecret: (
      caller: Caller,
      id: string,
      of: OfWorkspace
    ) => Effect.Effect<Destination, ValidationError | InvalidState | Absent | DatabaseUnavailable>
  }
>()("@edp/server/Destinations") {
  static readonly layer = Layer.effect(
    Destinations,
    Effect.gen(function* () {
      const repository = yield* DestinationsRepository
      const outcomes = yield* OutcomesRepository
      const fanOut = yield* FanOutRepository
      const manufacturers = yield* Manufacturers
      const outbound = yield* OutboundRules
      const senders = yield* Senders
      const workspaces = yield* Workspaces
      const trail = yield* AuditTrail
      const secrets = yield* DestinationSecrets
      const ids = yield* Ids
      const sql = yield* SqlClient.SqlClient
      const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => new Date(milliseconds))
      const transaction = transactionsOn(sql)
      const { destinationsPerWorkspace } = yield* ServerConfig
      const requireRoom = Effect.fnUntraced(function* (workspaceId: string) {
        if (!(yield* repository.hasAtLeast(workspaceId, destinationsPerWorkspace))) return
        const message = `A workspace has at most ${destinationsPerWorkspace} destinations: delete one first`
        return yield* new InvalidState({ message })
      })

      const found = Effect.fnUntraced(function* (
        find: (workspaceId: string, id: string) => Effect.Effect<ReadonlyArray<DestinationRow>, DatabaseUnavailable>,
        caller: Caller,
        id: string,
        of: OfWorkspace
      ) {
        const workspaceId = yield* workspaces.chosenBy(caller, of.workspaceId)
        const [row] = yield* find(workspaceId, id)
        return row ?? (yield* new NotFound({}))
      })

      const record = (
        action: WriteAction,
        { id, workspaceId }: DestinationRow,
        { after, before }: { readonly before?: DestinationRow; readonly after?: DestinationRow }
      ) =>
        trail.record({
          action,
          resourceId: id,
          workspaceId,
          before: before && auditedDestination(before),
          after: after && auditedDestination(after)
        })

      const refusedManufacturer = (slug: string | undefined) =>
        slug === undefined
          ? Effect.succeed({})
          : manufacturers.get(slug).pipe(
              Effect.as({}),
              Effect.catchTag("NOT_FOUND", () =>
                Effect.succeed({ manufacturer: "Is no manufacturer that the service knows" })
              )
            )

      return {
        list: Effect.fn("Destinations.list")(function* (caller, { destinationType, page, perPage, workspaceId: of }) {
          const workspaceId = yield* workspaces.chosenBy(caller, of)
          const list = (limit: number, offset: number) => repository.list(workspaceId, destinationType, limit, offset)
          const paging = { ...(page !== undefined && { page }), ...(perPage !== undefined && { perPage }) }
          const { data, ...rest } = yield* paginate(paging, 10, list, repository.count(workspaceId, destinationType))
          return { ...rest, data: yield* Effect.forEach(data, (row) => secrets.shown(row, false)) }
        }),
        get: Effect.fn("Destinations.get")(function* (caller, id, of) {
          return yield* secrets.shown(yield* found(repository.get, caller, id, of), true)
        }),
        create: Effect.fn("Destinations.create")(function* (caller, of, input) {
          const workspaceId = yield* workspaces.chosenFor(caller, of.workspaceId, input.workspaceId)
          const unavailable = senders.refused(input.destinationType)
          yield* refuse({
            ...(yield* refusedManufacturer(input.manufacturer)),
            ...refusedCreation(input),
            ...(yield* outbound.refused(input)),
            ...(unavailable !== undefined && { destinationType: unavailable })
          })
          const id = yield* ids.next
          const at = yield* now
          const isSigned = input.url !== undefined
          const secret = input.secret ?? toSecret(randomBytes(SECRET_LENGTH))
          const row: DestinationRow = {
            id,
            workspaceId,
            label: input.label ?? null,
            destinationType: input.destinationType,
            deviceType: input.deviceType ?? null,
            eventTypes: [...new Set(input.eventTypes ?? [])],
            url: null,
            sealedUrl: null,
            ...(yield* secrets.sealUrl(id, input.url)),
            email: input.email ?? null,
            phoneNumber: input.phoneNumber ?? null,
            manufacturer: input.manufacturer ?? null,
            kafkaConfig: input.kafkaConfig === undefined ? null : masked(input.kafkaConfig),
            includeWeather: input.includeWeather ?? null,
            sealedSecret: isSigned ? yield* secrets.sealSecret(id, secret) : null,
            sealedPreviousSecret: null,
            previousSecretUntil: null,
            sealedHeaders: yield* secrets.sealHeaders(id, input.headers ?? null),
            sealedPassword: yield* secrets.sealPassword(id, input.kafkaConfig, null),
            failingSince: null,
            deactivatedAt: null,
            deactivatedReason: null,
            createdAt: at,
            updatedAt: at
          }
          const destination = yield* secrets.shown(row, true)
          yield* transaction(
            Effect.gen(function* () {
              yield* requireRoom(workspaceId)
              yield* repository.insert(row, yield* repository.lastSequence)
              yield* fanOut.openCursor(workspaceId)
              yield* record("destination.create", row, { after: row })
            })
          )
          return destination
        }),
        update: Effect.fn("Destinations.update")(function* (caller, id, of, input) {
          // Names are resolved before the transaction: a slow name server must not hold a connection and the lock on the destination.
          const brokers = input.kafkaConfig?.brokers ?? []
          const unreachable = yield* outbound.refused({ url: input.url, kafkaConfig: { brokers } })
          return yield* Effect.gen(function* () {
            const before = yield* found(repository.lock, caller, id, of)
            // The URL as lists show it stands for the current one.
            const { url, ...others } = input
            const isKept = url !== undefined && url === publicUrl(before)
            const changes: UpdateDestination = isKept ? others : input
            const headers = input.headers && (yield* mergedHeaders(yield* secrets.openHeaders(before), input.headers))
            yield* refuse({
              ...refusedChange(before.destinationType, { ...changes, headers }),
              ...(isKept ? {} : unreachable)
            })
            const kafkaConfig = input.kafkaConfig && (yield* mergedKafkaConfig(before.kafkaConfig, input.kafkaConfig))
            const after: DestinationRow = {
              ...before,
              label: input.label === undefined ? before.label : input.label,
              deviceType: input.deviceType === undefined ? before.deviceType : input.deviceType,
              eventTypes: input.eventTypes === undefined ? before.eventTypes : [...new Set(input.eventTypes)],
              ...(yield* secrets.sealUrl(id, changes.url, before)),
              email: input.email ?? before.email,
              phoneNumber: input.phoneNumber ?? before.phoneNumber,
              kafkaConfig: kafkaConfig === undefined ? before.kafkaConfig : masked(kafkaConfig),
              includeWeather: input.includeWeather === undefined ? before.includeWeather : input.includeWeather,
              sealedHeaders:
                headers === undefined ? before.sealedHeaders : yield* secrets.sealHeaders(id, headers, before),
              sealedPassword: yield* secrets.sealPassword(id, kafkaConfig, before.sealedPassword),
              updatedAt: yield* now
            }
            if (changedNames(before, after).length === 0) return yield* secrets.shown(before, true)
            yield* repository.update(after)
            // Deliveries that failed at the old address are tried at the new one at once.
            if (changes.url !== undefined || input.kafkaConfig !== undefined) yield* outcomes.resume(id)
            yield* record("destination.update", before, { before, after })
            return yield* secrets.shown(after, true)
          }).pipe(transaction)
        }),
        remove: Effect.fn("Destinations.remove")((caller, id, of) =>
          Effect.gen(function* () {
            const before = yield* found(repository.lock, caller, id, of)
            yield* repository.remove(before.workspaceId, id)
            yield* record("destination.delete", before, { before })
          }).pipe(transaction)
        ),
        activate: Effect.fn("Destinations.activate")((caller, id, of) =>
          Effect.gen(function* () {
            const before = yield* found(repository.lock, caller, id, of)
            if (before.deactivatedAt === null) return yield* secrets.shown(before, true)
            const after = {
              ...before,
              failingSince: null,
              deactivatedAt: null,
              deactivatedReason: null,
              updatedAt: yield* now
            }
            yield* repository.update(after)
            yield* repository.beginAfter(id, yield* repository.lastSequence)
            yield* outcomes.resume(id)
            yield* fanOut.openCursor(before.workspaceId)
            yield* record("destination.activate", before, { before, after })
            return yield* secrets.shown(after, true)
          }).pipe(transaction)
        ),
        rotateSecret: Effect.fn("Destinations.rotateSecret")((caller, id, of) =>
          Effect.gen(function* () {
            const before = yield* found(repository.lock, caller, id, of)
            if (before.sealedSecret === null) {
              return yield* new InvalidState({ message: "This destination has no secret" })
            }
            const at = yield* now
            const after = {
              ...before,
              sealedSecret: yield* secrets.sealSecret(id, toSecret(randomBytes(SECRET_LENGTH))),
              sealedPreviousSecret: before.sealedSecret,
              previousSecretUntil: new Date(at.getTime() + OVERLAP),
              updatedAt: at
            }
            yield* repository.update(after)
            yield* record("destination.rotate-secret", before, { before, after })
            return yield* secrets.shown(after, true)
          }).pipe(transaction)
        )
      }
    })
  )
}
