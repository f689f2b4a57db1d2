import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { RecordNames } from "@edp/domain/dashboard/NamesApi"
import { Context, Effect, Layer } from "effect"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { NamesRepository } from "./NamesRepository.ts"

interface Asked {
  readonly customerId?: ReadonlyArray<string>
  readonly siteId?: ReadonlyArray<string>
}

/** The names of records that a page links: one request for all of them. */
export class Names extends Context.Service<
  Names,
  { readonly list: (caller: CurrentKey["Service"], asked: Asked) => Effect.Effect<RecordNames, DatabaseUnavailable> }
>()("@edp/server/Names") {
  static readonly layer = Layer.effect(
    Names,
    Effect.gen(function* () {
      const repository = yield* NamesRepository
      type Read = typeof repository.customers
      const read = (names: Read, { workspaceId }: CurrentKey["Service"], ids: ReadonlyArray<string> = []) =>
        ids.length === 0 ? Effect.succeed([]) : names(workspaceId, ids)
      return {
        list: Effect.fn("Names.list")((caller, { customerId, siteId }) =>
          Effect.all({
            customers: read(repository.customers, caller, customerId),
            sites: read(repository.sites, caller, siteId)
          })
        )
      }
    })
  ).pipe(Layer.provide(NamesRepository.layer))
}
