import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { InvalidState, NotFound, type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import type {
  CreateGridConnection,
  GridConnection,
  GridConnectionFilters,
  UpdateGridConnection
} from "@edp/domain/grid/GridConnection"
import type { PageOf } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer, Redacted, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Ids } from "../platform/Ids.ts"
import { OutboundRules } from "../platform/outbound/OutboundRules.ts"
import { SecretBox } from "../platform/secrets/SecretBox.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { paginate } from "../platform/sql/lists.ts"
import { changedNames } from "../platform/sql/records.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { GridConnectionsRepository } from "./GridConnectionsRepository.ts"
import { gridLimits } from "./gridLimits.ts"
import { GridPlanner } from "./GridPlanner.ts"
import { GridNotifications } from "./notifications/GridNotifications.ts"
import { type ConnectionRow, gridSecretPurpose, toGridConnection } from "./gridRow.ts"

type Caller = CurrentKey["Service"]
type Query = Schema.Struct.Type<typeof GridConnectionFilters>

const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => new Date(milliseconds))

/** A query or a fragment would be lost when paths are added. */
const queryProblem = (url: string) =>
  URL.canParse(url) && new URL(url).search !== "" ? "Must have no query: paths are added to it" : undefined

/** A client has both an ID and a secret, or neither. */
const credentialProblem = (clientId: string | null, hasSecret: boolean): Record<string, string> => {
  if (clientId === null && hasSecret) return { clientId: "Is required with clientSecret" }
  return clientId !== null && !hasSecret ? { clientSecret: "Is required with clientId" } : {}
}

/** A VTN that has not been asked how it notifies. */
const notNotified = { notifiedBy: null, notifiedAt: null, notificationError: null }

/** The VTNs that workspaces follow. */
export class GridConnections extends Context.Service<
  GridConnections,
  {
    readonly list: (caller: Caller, query: Query) => Effect.Effect<PageOf<GridConnection>, DatabaseUnavailable>
    readonly get: (caller: Caller, id: string) => Effect.Effect<GridConnection, NotFound | DatabaseUnavailable>
    readonly create: (
      caller: Caller,
      input: CreateGridConnection
    ) => Effect.Effect<GridConnection, ValidationError | InvalidState | DatabaseUnavailable>
    readonly update: (
      caller: Caller,
      id: string,
      input: UpdateGridConnection
    ) => Effect.Effect<GridConnection, ValidationError | NotFound | DatabaseUnavailable>
    readonly remove: (caller: Caller, id: string) => Effect.Effect<void, NotFound | DatabaseUnavailable>
    readonly require: (workspaceId: string, id: string) => Effect.Effect<ConnectionRow, NotFound | DatabaseUnavailable>
  }
>()("@edp/server/grid/GridConnections") {
  static readonly layer = Layer.effect(
    GridConnections,
    Effect.gen(function* () {
      const repository = yield* GridConnectionsRepository
      const planner = yield* GridPlanner
      const notifications = yield* GridNotifications
      const outbound = yield* OutboundRules
      const box = yield* SecretBox
      const ids = yield* Ids
      const transaction = transactionsOn(yield* SqlClient.SqlClient)

      const seal = (id: string, secret: string | null) =>
        secret === null ? Effect.succeed(null) : box.seal(gridSecretPurpose(id), Redacted.make(secret))

      const one = <E>(rows: Effect.Effect<ReadonlyArray<ConnectionRow>, E>) =>
        Effect.flatMap(rows, ([row]) => (row === undefined ? Effect.fail(new NotFound({})) : Effect.succeed(row)))

      /** A message for each wrong address of a request. */
      const addressProblems = Effect.fnUntraced(function* (input: {
        readonly vtnUrl?: string
        readonly tokenUrl?: string | null
      }) {
        const details: Record<string, string> = {}
        for (const field of ["vtnUrl", "tokenUrl"] as const) {
          const url = input[field]
          if (url === undefined || url === null) continue
          const { url: refused } = yield* outbound.refused({ url })
          const problem = refused ?? (field === "vtnUrl" ? queryProblem(url) : undefined)
          if (problem !== undefined) details[field] = problem
        }
        return details
      })

      const refuse = (details: Record<string, string>) =>
        Object.keys(details).length === 0 ? Effect.void : Effect.fail(invalid(details))

      return {
        list: Effect.fn("GridConnections.list")((caller, query) =>
          paginate(
            query,
            10,
            (limit, offset) =>
              Effect.map(repository.list(caller.workspaceId, query.status, limit, offset), (rows) =>
                rows.map(toGridConnection)
              ),
            repository.count(caller.workspaceId, query.status)
          )
        ),
        get: Effect.fn("GridConnections.get")((caller, id) =>
          Effect.map(one(repository.get(caller.workspaceId, id)), toGridConnection)
        ),
        create: Effect.fn("GridConnections.create")(function* (caller, input) {
          const { clientId = null, clientSecret = null, tokenUrl = null } = input
          yield* refuse({
            ...(yield* addressProblems(input)),
            ...credentialProblem(clientId, clientSecret !== null)
          })
          const [id, at] = [yield* ids.next, yield* now]
          const row: ConnectionRow = {
            id,
            workspaceId: caller.workspaceId,
            name: input.name,
            vtnUrl: input.vtnUrl,
            tokenUrl,
            clientId,
            sealedSecret: yield* seal(id, clientSecret),
            venName: input.venName,
            targets: [...new Set(input.targets ?? [])],
            pollSeconds: input.pollSeconds ?? 60,
            enabled: input.enabled ?? true,
            notifications: input.notifications ?? "automatic",
            ...notNotified,
            venId: null,
            pollAt: null,
            lastPolledAt: null,
            lastError: null,
            failingSince: null,
            failures: 0,
            createdAt: at,
            updatedAt: at
          }
          yield* Effect.gen(function* () {
            if (yield* repository.hasAtLeast(caller.workspaceId, gridLimits.connections)) {
              return yield* new InvalidState({
                message: `A workspace has at most ${gridLimits.connections} grid connections: remove one first`
              })
            }
            yield* repository.insert(row)
          }).pipe(transaction)
          return toGridConnection(row)
        }),
        update: Effect.fn("GridConnections.update")(function* (caller, id, input) {
          // Names are resolved before the transaction, which would hold a connection meanwhile.
          const problems = yield* addressProblems(input)
          const changed = yield* Effect.gen(function* () {
            const before = yield* one(repository.lock(caller.workspaceId, id))
            const { clientSecret, targets, ...plain } = input
            const clientId = input.clientId === undefined ? before.clientId : input.clientId
            const isMoved =
              (input.vtnUrl !== undefined && input.vtnUrl !== before.vtnUrl) ||
              (input.tokenUrl !== undefined && input.tokenUrl !== before.tokenUrl) ||
              clientId !== before.clientId
            // A secret is never sent to an address or with an ID that it was not given for.
            const keepsSecret = clientSecret === undefined && !isMoved && clientId !== null
            const hasSecret = keepsSecret
              ? before.sealedSecret !== null
              : clientSecret !== undefined && clientSecret !== null
            yield* refuse({ ...problems, ...credentialProblem(clientId, hasSecret) })
            const after: ConnectionRow = {
              ...before,
              ...plain,
              clientId,
              sealedSecret: keepsSecret ? before.sealedSecret : yield* seal(id, clientSecret ?? null),
              ...(targets !== undefined && { targets: [...new Set(targets)] }),
              ...((isMoved || (input.venName !== undefined && input.venName !== before.venName)) && { venId: null }),
              updatedAt: yield* now
            }
            if (changedNames(before, after).length === 0) return { before, after: before, subscriptionId: null }
            yield* repository.update(after)
            if (!isMoved) return { before, after, subscriptionId: null }
            const subscriptionId = yield* notifications.forget(id)
            return { before, after: { ...after, ...notNotified }, subscriptionId }
          }).pipe(transaction)
          yield* notifications.end(changed.before, changed.subscriptionId)
          return toGridConnection(changed.after)
        }),
        remove: Effect.fn("GridConnections.remove")(function* (caller, id) {
          const removed = yield* Effect.gen(function* () {
            const row = yield* one(repository.lock(caller.workspaceId, id))
            yield* planner.cancelAll(caller.workspaceId, id)
            const subscriptionId = yield* notifications.forget(id)
            yield* repository.remove(id)
            return { row, subscriptionId }
          }).pipe(transaction)
          yield* notifications.end(removed.row, removed.subscriptionId)
        }),
        require: Effect.fn("GridConnections.require")((workspaceId, id) => one(repository.get(workspaceId, id)))
      }
    })
  )
}
