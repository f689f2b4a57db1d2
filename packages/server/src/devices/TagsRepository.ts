import type { TagUse } from "@edp/domain/tags/Tag"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { prefixPattern } from "../platform/sql/lists.ts"
import { query } from "../platform/sql/transaction.ts"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const matching = (workspaceId: string, q: string | undefined) =>
    sql.and([
      sql`workspace_id = ${workspaceId}`,
      ...(q === undefined ? [] : [sql`tag_key LIKE lower(${prefixPattern(q)}::text)`])
    ])
  const countOf = (kind: "device" | "site") => sql`coalesce(sum(n) FILTER (WHERE kind = ${kind}), 0)::int`

  // Planned for their very values: only then does the index serve the beginning of a text.
  return {
    list: (workspaceId: string, q: string | undefined, limit: number, offset: number) =>
      query(
        sql<TagUse>`SELECT tag, ${countOf("device")} AS "deviceCount", ${countOf("site")} AS "siteCount"
          FROM tag_counts WHERE ${matching(workspaceId, q)} GROUP BY tag_key, tag
          ORDER BY tag_key, tag LIMIT ${limit} OFFSET ${offset}`.unprepared
      ),
    count: (workspaceId: string, q: string | undefined) =>
      query(
        sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM (
          SELECT FROM tag_counts WHERE ${matching(workspaceId, q)} GROUP BY tag_key, tag) AS tags`.unprepared
      ).pipe(Effect.map(([row]) => row!.n))
  }
})

/** How many devices and sites have each tag: `tag_counts` is kept by triggers, so no list counts them anew. */
export class TagsRepository extends Context.Service<TagsRepository, Effect.Success<typeof make>>()(
  "@edp/server/TagsRepository"
) {
  static readonly layer = Layer.effect(TagsRepository, make)
}
