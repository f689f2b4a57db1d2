import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { NotFound } from "@edp/domain/errors/ApiErrors"
import type { Organization, UpdateOrganization } from "@edp/domain/organizations/Organization"
import type { PageOf } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer } from "effect"
import { paginate } from "../sql/paginate.ts"
import { OrganizationsRepository } from "./OrganizationsRepository.ts"

type Caller = CurrentKey["Service"]

/** The organization of the calling key: no key sees another one. */
export class Organizations extends Context.Service<
  Organizations,
  {
    readonly list: (
      caller: Caller,
      query: { readonly page?: number; readonly perPage?: number }
    ) => Effect.Effect<PageOf<Organization>>
    readonly get: (caller: Caller, id: string) => Effect.Effect<Organization, NotFound>
    readonly update: (
      caller: Caller,
      id: string,
      input: typeof UpdateOrganization.Type
    ) => Effect.Effect<Organization, NotFound>
  }
>()("@edp/server/Organizations") {
  static readonly layer = Layer.effect(
    Organizations,
    Effect.gen(function* () {
      const repository = yield* OrganizationsRepository

      const get = (caller: Caller, id: string) =>
        Effect.gen(function* () {
          if (id !== caller.organizationId) return yield* new NotFound({})
          const [organization] = yield* repository.get(id)
          return organization ?? (yield* new NotFound({}))
        })

      return {
        get: Effect.fn("Organizations.get")(get),
        list: Effect.fn("Organizations.list")((caller, query) =>
          paginate(
            query,
            10,
            (limit, offset) =>
              Effect.map(repository.get(caller.organizationId), (own) => own.slice(offset, offset + limit)),
            Effect.succeed(1)
          )
        ),
        update: Effect.fn("Organizations.update")(function* (caller, id, input) {
          const before = yield* get(caller, id)
          if (input.name === undefined) return before
          const [organization] = yield* repository.rename(id, input.name, new Date(yield* Clock.currentTimeMillis))
          return organization ?? (yield* new NotFound({}))
        })
      }
    })
  )
}
