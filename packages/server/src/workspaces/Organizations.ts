import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { NotFound } from "@edp/domain/errors/ApiErrors"
import type { Organization, UpdateOrganization } from "@edp/domain/organizations/Organization"
import type { PageOf } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AuditTrail } from "../audit/AuditTrail.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { paginate } from "../platform/sql/lists.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { OrganizationsRepository } from "./WorkspacesRepository.ts"

type Caller = CurrentKey["Service"]

/** The organization of the calling key: no key sees another one. */
export class Organizations extends Context.Service<
  Organizations,
  {
    readonly list: (
      caller: Caller,
      query: { readonly page?: number; readonly perPage?: number }
    ) => Effect.Effect<PageOf<Organization>, DatabaseUnavailable>
    readonly get: (caller: Caller, id: string) => Effect.Effect<Organization, NotFound | DatabaseUnavailable>
    readonly update: (
      caller: Caller,
      id: string,
      input: typeof UpdateOrganization.Type
    ) => Effect.Effect<Organization, NotFound | DatabaseUnavailable>
  }
>()("@edp/server/Organizations") {
  static readonly layer = Layer.effect(
    Organizations,
    Effect.gen(function* () {
      const repository = yield* OrganizationsRepository
      const audit = yield* AuditTrail
      const sql = yield* SqlClient.SqlClient

      const one = Effect.flatMap(([organization]: ReadonlyArray<Organization>) =>
        organization === undefined ? Effect.fail(new NotFound({})) : Effect.succeed(organization)
      )
      const own = <A, E>(caller: Caller, id: string, rows: Effect.Effect<A, E>): Effect.Effect<A, E | NotFound> =>
        id === caller.organizationId ? rows : Effect.fail(new NotFound({}))

      return {
        get: Effect.fn("Organizations.get")((caller, id) => one(own(caller, id, repository.get(id)))),
        list: Effect.fn("Organizations.list")((caller, query) =>
          paginate(
            query,
            10,
            (limit, offset) =>
              Effect.map(repository.get(caller.organizationId), (own) => own.slice(offset, offset + limit)),
            Effect.succeed(1)
          )
        ),
        update: Effect.fn("Organizations.update")((caller, id, input) =>
          Effect.gen(function* () {
            const before = yield* one(own(caller, id, repository.lock(id)))
            if (input.name === undefined || input.name === before.name) return before
            const now = new Date(yield* Clock.currentTimeMillis)
            const after = yield* one(repository.rename(id, input.name, now))
            yield* audit.record({ action: "organization.update", resourceId: id, workspaceId: null, before, after })
            return after
          }).pipe(transactionsOn(sql))
        )
      }
    })
  )
}
