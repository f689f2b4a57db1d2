import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { VenScopes } from "../../api-keys/VenScopes.ts"
import { queryIds } from "../../platform/sql/rows.ts"
import { SiteResources } from "./SiteResources.ts"

/** Implements the port of API keys. */
export const VenScopesLive = Layer.effect(
  VenScopes,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const resources = yield* SiteResources

    const isAny = Effect.map((found: ReadonlyArray<string>) => found.length > 0)
    const isCustomer = (workspaceId: string, id: string) =>
      isAny(queryIds(sql`SELECT id FROM customers WHERE id = ${id} AND workspace_id = ${workspaceId}`))
    const isInstance = (workspaceId: string, id: string) =>
      isAny(queryIds(sql`SELECT id FROM program_instances WHERE id = ${id} AND workspace_id = ${workspaceId}`))

    const unknownEnrollments = Effect.fnUntraced(function* (workspaceId: string, ids: ReadonlyArray<string>) {
      const found = new Set(
        yield* queryIds(sql`SELECT id FROM enrollments
          WHERE id = ANY(${[...ids]}::text[]) AND workspace_id = ${workspaceId}`)
      )
      return Object.fromEntries(
        ids.flatMap((id, index) =>
          found.has(id) ? [] : [[`scope.enrollmentIds.${index}`, "Must be an enrollment of the workspace"]]
        )
      )
    })

    return {
      check: Effect.fn("VenScopes.check")(function* (
        workspaceId,
        { customerId, enrollmentIds = [], programInstanceId }
      ) {
        if (customerId !== undefined && !(yield* isCustomer(workspaceId, customerId))) {
          return { "scope.customerId": "Must be a customer of the workspace" }
        }
        if (programInstanceId !== undefined && !(yield* isInstance(workspaceId, programInstanceId))) {
          return { "scope.programInstanceId": "Must be a program instance of the workspace" }
        }
        return yield* unknownEnrollments(workspaceId, enrollmentIds)
      }),
      begin: ({ id, name, workspaceId }) => Effect.asVoid(resources.beginVen(workspaceId, { id, name }))
    }
  })
)
