import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { PageOf } from "@edp/domain/shared/Page"
import type { TagFilters, TagUse } from "@edp/domain/tags/Tag"
import { Context, Effect, Layer, type Schema } from "effect"
import { paginate } from "../platform/sql/lists.ts"
import { TagsRepository } from "./TagsRepository.ts"

/** The labels of a workspace's devices and sites. */
export class Tags extends Context.Service<
  Tags,
  {
    readonly list: (
      caller: CurrentKey["Service"],
      query: Schema.Struct.Type<typeof TagFilters>
    ) => Effect.Effect<PageOf<TagUse>>
  }
>()("@edp/server/Tags") {
  static readonly layer = Layer.effect(
    Tags,
    Effect.gen(function* () {
      const repository = yield* TagsRepository
      return {
        list: Effect.fn("Tags.list")(({ workspaceId }, { q, ...paging }) =>
          paginate(
            paging,
            10,
            (limit, offset) => repository.list(workspaceId, q, limit, offset),
            repository.count(workspaceId, q)
          )
        )
      }
    })
  )
}
