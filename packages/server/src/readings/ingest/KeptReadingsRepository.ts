import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { query } from "../../platform/sql/transaction.ts"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    /** Readings before are gone: milliseconds since 1970. */
    keptFrom: query(sql<{ readonly at: number }>`
      SELECT date_part('epoch', kept_from) * 1000 AS at FROM readings_floor`).pipe(Effect.map(([floor]) => floor!.at)),
    /** The oldest reading of an organization's devices. */
    oldest: (organizationId: string) =>
      query(sql<{ readonly at: Date | null }>`
        SELECT min(greatest(s.first_at, f.kept_from)) AS at FROM readings_floor f, device_states s
        JOIN devices d ON d.id = s.device_id JOIN workspaces w ON w.id = d.workspace_id
        WHERE w.organization_id = ${organizationId} AND s.at >= f.kept_from`).pipe(Effect.map(([row]) => row!.at))
  }
})

export class KeptReadingsRepository extends Context.Service<KeptReadingsRepository, Effect.Success<typeof make>>()(
  "@edp/server/KeptReadingsRepository"
) {
  static readonly layer = Layer.effect(KeptReadingsRepository, make)
}
