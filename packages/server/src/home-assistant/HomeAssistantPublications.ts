import { isIP } from "node:net"
import type { WriteAction } from "@edp/domain/audit/AuditLog"
import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { MASK } from "@edp/domain/destinations/Destination"
import {
  InvalidState,
  NotFound,
  type ValidationError,
  type WorkspaceNotFound,
  invalid
} from "@edp/domain/errors/ApiErrors"
import {
  type CreateHomeAssistantPublication,
  DEFAULT_DISCOVERY_PREFIX,
  type HomeAssistantPublication,
  type HomeAssistantPublicationFilters,
  type UpdateHomeAssistantPublication
} from "@edp/domain/home-assistant/HomeAssistantPublication"
import type { PageOf } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer, Redacted, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { Ids } from "../platform/Ids.ts"
import { isHost } from "../platform/network/publicAddress.ts"
import { SecretBox } from "../platform/secrets/SecretBox.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { paginate } from "../platform/sql/lists.ts"
import { changedNames } from "../platform/sql/records.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { Workspaces } from "../workspaces/Workspaces.ts"
import { publicationLimits } from "./publicationLimits.ts"
import { auditedPublication, passwordPurpose, type PublicationRow, toPublication } from "./publicationRow.ts"
import { PublicationsRepository } from "./PublicationsRepository.ts"

type Caller = CurrentKey["Service"]
type OfWorkspace = { readonly workspaceId?: string }
type Query = Schema.Struct.Type<typeof HomeAssistantPublicationFilters>
type Absent = NotFound | WorkspaceNotFound

const PORT = 1883
const TLS_PORT = 8883

/** Reasons to refuse settings that fit together only as a whole, by field. */
const problems = ({ fingerprint, host, tls, username }: PublicationRow, hasPassword: boolean) => ({
  ...(isIP(host) === 0 && !isHost(host) && { host: "Must be a name or an IP address, such as 192.168.1.20" }),
  ...(fingerprint !== null && !tls && { fingerprint: "Must be absent without tls" }),
  ...(hasPassword && username === null && { username: "Is required with a password" })
})

const refuse = (details: Record<string, string>) =>
  Object.keys(details).length === 0 ? Effect.void : Effect.fail(invalid(details))

/** The Home Assistants to which workspaces publish their devices. */
export class HomeAssistantPublications extends Context.Service<
  HomeAssistantPublications,
  {
    readonly list: (
      caller: Caller,
      query: Query
    ) => Effect.Effect<PageOf<HomeAssistantPublication>, WorkspaceNotFound | DatabaseUnavailable>
    readonly get: (
      caller: Caller,
      id: string,
      of: OfWorkspace
    ) => Effect.Effect<HomeAssistantPublication, Absent | DatabaseUnavailable>
    readonly create: (
      caller: Caller,
      of: OfWorkspace,
      input: CreateHomeAssistantPublication
    ) => Effect.Effect<
      HomeAssistantPublication,
      ValidationError | InvalidState | WorkspaceNotFound | DatabaseUnavailable
    >
    readonly update: (
      caller: Caller,
      id: string,
      of: OfWorkspace,
      input: UpdateHomeAssistantPublication
    ) => Effect.Effect<HomeAssistantPublication, ValidationError | InvalidState | Absent | DatabaseUnavailable>
    readonly remove: (caller: Caller, id: string, of: OfWorkspace) => Effect.Effect<void, Absent | DatabaseUnavailable>
  }
>()("@edp/server/HomeAssistantPublications") {
  static readonly layer = Layer.effect(
    HomeAssistantPublications,
    Effect.gen(function* () {
      const repository = yield* PublicationsRepository
      const workspaces = yield* Workspaces
      const trail = yield* AuditTrail
      const box = yield* SecretBox
      const ids = yield* Ids
      const transaction = transactionsOn(yield* SqlClient.SqlClient)
      const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => new Date(milliseconds))

      const found = Effect.fnUntraced(function* (
        find: (workspaceId: string, id: string) => Effect.Effect<ReadonlyArray<PublicationRow>, DatabaseUnavailable>,
        caller: Caller,
        id: string,
        of: OfWorkspace
      ) {
        const [row] = yield* find(yield* workspaces.chosenBy(caller, of.workspaceId), id)
        return row ?? (yield* new NotFound({}))
      })

      const record = (
        action: WriteAction,
        { id, workspaceId }: PublicationRow,
        { after, before }: { readonly before?: PublicationRow; readonly after?: PublicationRow }
      ) =>
        trail.record({
          action,
          resourceId: id,
          workspaceId,
          before: before && auditedPublication(before),
          after: after && auditedPublication(after)
        })

      /** The sealed password of a change; the one from before if it is kept. */
      const seal = Effect.fnUntraced(function* (
        id: string,
        given: string | null | undefined,
        before: Uint8Array | null
      ) {
        if (given === undefined) return before
        if (given === null) return null
        if (given !== MASK) {
          // The same password sealed again would count as a change.
          const known = before === null ? undefined : yield* box.open(passwordPurpose(id), before)
          if (known !== undefined && Redacted.value(known) === given) return before
          return yield* box.seal(passwordPurpose(id), Redacted.make(given))
        }
        return before ?? (yield* invalid({ password: "Must be the password: no password is stored" }))
      })

      return {
        list: Effect.fn("HomeAssistantPublications.list")(function* (caller, { workspaceId: of, ...paging }) {
          const workspaceId = yield* workspaces.chosenBy(caller, of)
          const list = (limit: number, offset: number) =>
            Effect.map(repository.list(workspaceId, limit, offset), (rows) => rows.map(toPublication))
          return yield* paginate(paging, 10, list, repository.count(workspaceId))
        }),
        get: Effect.fn("HomeAssistantPublications.get")((caller, id, of) =>
          Effect.map(found(repository.get, caller, id, of), toPublication)
        ),
        create: Effect.fn("HomeAssistantPublications.create")(function* (caller, of, input) {
          const workspaceId = yield* workspaces.chosenFor(caller, of.workspaceId, input.workspaceId)
          const id = yield* ids.next
          const at = yield* now
          const { tls = false } = input
          const row: PublicationRow = {
            id,
            workspaceId,
            host: input.host,
            port: input.port ?? (tls ? TLS_PORT : PORT),
            tls,
            fingerprint: input.fingerprint ?? null,
            username: input.username ?? null,
            sealedPassword: yield* seal(id, input.password, null),
            discoveryPrefix: input.discoveryPrefix ?? DEFAULT_DISCOVERY_PREFIX,
            tag: input.tag ?? null,
            takesCommands: input.takesCommands ?? false,
            version: 1,
            connectedAt: null,
            failure: null,
            failingSince: null,
            devices: null,
            devicesLeftOut: 0,
            devicesFromHomeAssistant: 0,
            isHeld: false,
            createdAt: at,
            updatedAt: at
          }
          yield* refuse(problems(row, row.sealedPassword !== null))
          yield* transaction(
            Effect.gen(function* () {
              if (yield* repository.hasAtLeast(workspaceId, publicationLimits.perWorkspace)) {
                const message = `A workspace has at most ${publicationLimits.perWorkspace} publications: delete one first`
                return yield* new InvalidState({ message })
              }
              yield* repository.insert(row)
              yield* record("home-assistant-publication.create", row, { after: row })
            })
          )
          return toPublication(row)
        }),
        update: Effect.fn("HomeAssistantPublications.update")((caller, id, of, input) =>
          Effect.gen(function* () {
            const before = yield* found(repository.lock, caller, id, of)
            const { fingerprint, password, tag, username, ...others } = input
            const settled: PublicationRow = {
              ...before,
              ...others,
              fingerprint: fingerprint === undefined ? before.fingerprint : fingerprint,
              username: username === undefined ? before.username : username,
              tag: tag === undefined ? before.tag : tag,
              sealedPassword: yield* seal(id, password, before.sealedPassword)
            }
            yield* refuse(problems(settled, settled.sealedPassword !== null))
            if (changedNames(before, settled).length === 0) return toPublication(before)
            const after: PublicationRow = {
              ...settled,
              version: before.version + 1,
              failure: null,
              failingSince: null,
              updatedAt: yield* now
            }
            yield* repository.update(after)
            yield* record("home-assistant-publication.update", before, { before, after })
            return toPublication(after)
          }).pipe(transaction)
        ),
        remove: Effect.fn("HomeAssistantPublications.remove")((caller, id, of) =>
          Effect.gen(function* () {
            const before = yield* found(repository.lock, caller, id, of)
            yield* repository.remove(before.workspaceId, id)
            yield* record("home-assistant-publication.delete", before, { before })
          }).pipe(transaction)
        )
      }
    })
  )
}
