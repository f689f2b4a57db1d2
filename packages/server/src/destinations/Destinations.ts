import { randomBytes } from "node:crypto"
import type { WriteAction } from "@edp/domain/audit/AuditAction"
import type { CurrentKey } from "@edp/domain/auth/Authentication"
import {
  type CreateDestination,
  type Destination,
  type DestinationFilters,
  MASK,
  type UpdateDestination
} from "@edp/domain/destinations/Destination"
import type { KafkaConfig, KafkaConfigInput } from "@edp/domain/destinations/KafkaConfig"
import { InvalidState, NotFound, type ValidationError, type WorkspaceNotFound } from "@edp/domain/errors/ApiErrors"
import { invalid } from "@edp/domain/errors/invalid"
import { toSecret } from "@edp/domain/events/webhookSignature"
import type { PageOf } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer, Redacted, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { OutboundRules } from "../outbound/OutboundRules.ts"
import { SecretBox } from "../secrets/SecretBox.ts"
import { Ids } from "../sql/Ids.ts"
import { paginate } from "../sql/paginate.ts"
import { inTransaction } from "../sql/transaction.ts"
import { Workspaces } from "../workspaces/Workspaces.ts"
import { AttemptsRepository } from "./AttemptsRepository.ts"
import { DestinationsRepository } from "./DestinationsRepository.ts"
import { type DestinationRow, purposeOf, toDestination } from "./destinationRow.ts"
import { refusedChange, refusedCreation } from "./destinationRules.ts"
import { LanesRepository } from "./LanesRepository.ts"

type Caller = CurrentKey["Service"]
type OfWorkspace = { readonly workspaceId?: string }
type Query = Schema.Struct.Type<typeof DestinationFilters>
type Absent = NotFound | WorkspaceNotFound

/** As Standard Webhooks recommends: between 24 and 64. */
const SECRET_LENGTH = 32
/** How long the secret before a rotation signs, too. */
const OVERLAP = 24 * 60 * 60 * 1000

const refuse = (details: Record<string, string>) =>
  Object.keys(details).length === 0 ? Effect.void : Effect.fail(invalid(details))

/** The cluster as it is stored: without its password. */
const masked = ({ clientId = "edp", sasl, ssl = true, ...rest }: KafkaConfigInput): KafkaConfig => ({
  ...rest,
  clientId,
  ssl,
  sasl: sasl === undefined || sasl === null ? null : { ...sasl, password: MASK }
})

/** Where events of a workspace are delivered. */
export class Destinations extends Context.Service<
  Destinations,
  {
    readonly list: (caller: Caller, query: Query) => Effect.Effect<PageOf<Destination>, WorkspaceNotFound>
    readonly get: (caller: Caller, id: string, of: OfWorkspace) => Effect.Effect<Destination, Absent>
    readonly create: (
      caller: Caller,
      input: CreateDestination
    ) => Effect.Effect<Destination, ValidationError | WorkspaceNotFound>
    readonly update: (
      caller: Caller,
      id: string,
      of: OfWorkspace,
      input: UpdateDestination
    ) => Effect.Effect<Destination, ValidationError | Absent>
    readonly remove: (caller: Caller, id: string, of: OfWorkspace) => Effect.Effect<void, Absent>
    readonly activate: (caller: Caller, id: string, of: OfWorkspace) => Effect.Effect<Destination, ValidationError | Absent>
    readonly rotateSecret: (
      caller: Caller,
      id: string,
      of: OfWorkspace
    ) => Effect.Effect<Destination, ValidationError | InvalidState | Absent>
  }
>()("@edp/server/Destinations") {
  static readonly layer = Layer.effect(
    Destinations,
    Effect.gen(function* () {
      const repository = yield* DestinationsRepository
      const attempts = yield* AttemptsRepository
      const lanes = yield* LanesRepository
      const outbound = yield* OutboundRules
      const workspaces = yield* Workspaces
      const trail = yield* AuditTrail
      const box = yield* SecretBox
      const ids = yield* Ids
      const sql = yield* SqlClient.SqlClient
      const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => new Date(milliseconds))
      const transaction = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
        Effect.provideService(inTransaction(effect), SqlClient.SqlClient, sql)

      const opened = Effect.fnUntraced(function* (row: DestinationRow) {
        const { id, sealedHeaders, sealedSecret } = row
        const secret = sealedSecret === null ? null : Redacted.value(yield* box.open(purposeOf("secret", id), sealedSecret))
        const headers =
          sealedHeaders === null
            ? null
            : (JSON.parse(Redacted.value(yield* box.open(purposeOf("headers", id), sealedHeaders))) as Record<
                string,
                string
              >)
        return toDestination(row, { secret, headers })
      })

      const sealSecret = (id: string, secret: string) => box.seal(purposeOf("secret", id), Redacted.make(secret))
      const sealHeaders = (id: string, headers: Readonly<Record<string, string>> | null) =>
        headers === null || Object.keys(headers).length === 0
          ? Effect.succeed(null)
          : box.seal(purposeOf("headers", id), Redacted.make(JSON.stringify(headers)))

      /** A password that is the mask stays as it is; without one of earlier there is nothing that could stay. */
      const sealPassword = Effect.fnUntraced(function* (
        id: string,
        config: KafkaConfigInput | undefined,
        before: Uint8Array | null
      ) {
        if (config === undefined) return before
        const password = config.sasl?.password
        if (password === undefined) return null
        if (password !== MASK) return yield* box.seal(purposeOf("password", id), Redacted.make(password))
        return before ?? (yield* invalid({ "kafkaConfig.sasl.password": "Must be the password: none is known yet" }))
      })

      const found = Effect.fnUntraced(function* (
        find: (workspaceId: string, id: string) => Effect.Effect<ReadonlyArray<DestinationRow>>,
        caller: Caller,
        id: string,
        of: OfWorkspace
      ) {
        const workspaceId = yield* workspaces.chosenBy(caller, of.workspaceId)
        const [row] = yield* find(workspaceId, id)
        return row ?? (yield* new NotFound({}))
      })

      /** As the API shows it, but for what is secret: of that only a fingerprint that changes with it. */
      const shown = (row: DestinationRow) => ({
        ...toDestination(row, { secret: null, headers: null }),
        sealed: [row.sealedSecret, row.sealedHeaders, row.sealedPassword].map((part) =>
          part === null ? null : Buffer.from(part.slice(-8)).toString("hex")
        )
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
          before: before && shown(before),
          after: after && shown(after)
        })

      /** Events from now on are looked through for this workspace. */
      const listen = (workspaceId: string) => lanes.openCursor(workspaceId)

      return {
        list: Effect.fn("Destinations.list")(function* (caller, { destinationType, page, perPage, workspaceId: of }) {
          const workspaceId = yield* workspaces.chosenBy(caller, of)
          const list = (limit: number, offset: number) => repository.list(workspaceId, destinationType, limit, offset)
          const paging = { ...(page !== undefined && { page }), ...(perPage !== undefined && { perPage }) }
          const { data, ...rest } = yield* paginate(paging, 10, list, repository.count(workspaceId, destinationType))
          return { ...rest, data: yield* Effect.forEach(data, opened) }
        }),
        get: Effect.fn("Destinations.get")(function* (caller, id, of) {
          return yield* opened(yield* found(repository.get, caller, id, of))
        }),
        create: Effect.fn("Destinations.create")(function* (caller, input) {
          const workspaceId = yield* workspaces.chosenBy(caller, input.workspaceId)
          yield* refuse({ ...refusedCreation(input), ...(yield* outbound.refused(input)) })
          const id = yield* ids.next
          const at = yield* now
          const signs = input.url !== undefined
          const secret = input.secret ?? toSecret(randomBytes(SECRET_LENGTH))
          const row: DestinationRow = {
            id,
            workspaceId,
            label: input.label ?? null,
            destinationType: input.destinationType,
            deviceType: input.deviceType ?? null,
            eventTypes: [...new Set(input.eventTypes ?? [])],
            url: input.url ?? null,
            email: input.email ?? null,
            phoneNumber: input.phoneNumber ?? null,
            manufacturer: input.manufacturer ?? null,
            kafkaConfig: input.kafkaConfig === undefined ? null : masked(input.kafkaConfig),
            includeWeather: input.includeWeather ?? null,
            sealedSecret: signs ? yield* sealSecret(id, secret) : null,
            sealedPreviousSecret: null,
            previousSecretUntil: null,
            sealedHeaders: yield* sealHeaders(id, input.headers ?? null),
            sealedPassword: yield* sealPassword(id, input.kafkaConfig, null),
            deactivatedAt: null,
            deactivatedReason: null,
            createdAt: at,
            updatedAt: at
          }
          const destination = yield* opened(row)
          yield* transaction(
            Effect.gen(function* () {
              yield* repository.insert(row, yield* repository.lastSequence)
              yield* listen(workspaceId)
              yield* record("destination.create", row, { after: row })
            })
          )
          return destination
        }),
        update: Effect.fn("Destinations.update")((caller, id, of, input) =>
          Effect.gen(function* () {
            const before = yield* found(repository.lock, caller, id, of)
            yield* refuse({ ...refusedChange(before.destinationType, input), ...(yield* outbound.refused(input)) })
            const after: DestinationRow = {
              ...before,
              label: input.label === undefined ? before.label : input.label,
              deviceType: input.deviceType === undefined ? before.deviceType : input.deviceType,
              eventTypes: input.eventTypes === undefined ? before.eventTypes : [...new Set(input.eventTypes)],
              url: input.url ?? before.url,
              email: input.email ?? before.email,
              phoneNumber: input.phoneNumber ?? before.phoneNumber,
              kafkaConfig: input.kafkaConfig === undefined ? before.kafkaConfig : masked(input.kafkaConfig),
              includeWeather: input.includeWeather === undefined ? before.includeWeather : input.includeWeather,
              sealedHeaders:
                input.headers === undefined ? before.sealedHeaders : yield* sealHeaders(id, input.headers),
              sealedPassword: yield* sealPassword(id, input.kafkaConfig, before.sealedPassword),
              updatedAt: yield* now
            }
            yield* repository.update(after)
            yield* record("destination.update", before, { before, after })
            return yield* opened(after)
          }).pipe(transaction)
        ),
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
            if (before.deactivatedAt === null) return yield* opened(before)
            const after = { ...before, deactivatedAt: null, deactivatedReason: null, updatedAt: yield* now }
            yield* repository.update(after)
            yield* attempts.resume(id)
            yield* listen(before.workspaceId)
            yield* record("destination.activate", before, { before, after })
            return yield* opened(after)
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
              sealedSecret: yield* sealSecret(id, toSecret(randomBytes(SECRET_LENGTH))),
              sealedPreviousSecret: before.sealedSecret,
              previousSecretUntil: new Date(at.getTime() + OVERLAP),
              updatedAt: at
            }
            yield* repository.update(after)
            yield* record("destination.rotate-secret", before, { before, after })
            return yield* opened(after)
          }).pipe(transaction)
        )
      }
    })
  )
}
