import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { anyOf } from "../../platform/sql/lists.ts"
import { query } from "../../platform/sql/transaction.ts"
import { CommandDevice } from "./commandDevice.ts"
import { decodeRows } from "../../platform/sql/rows.ts"

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    byIds: (ids: ReadonlyArray<string>) =>
      query(
        decodeRows(CommandDevice)(sql`SELECT d.id, d.workspace_id AS "workspaceId", d.type, d.manufacturer,
          d.manufacturer_device_id AS "manufacturerDeviceId", d.reference_id AS "referenceId", d.direct,
          d.account_id AS "accountId", d.commands, d.static_state AS "staticState", d.interventions,
          d.interventions_at AS "interventionsAt",
          d.disconnected_at AS "disconnectedAt", s.reading_id AS "readingId", s.at, s.state,
          CASE WHEN f.snapshot IS NOT NULL OR d.direct THEN f.began_at END AS "forcedAt"
        FROM devices d LEFT JOIN device_states s ON s.device_id = d.id LEFT JOIN forced_modes f ON f.device_id = d.id
        WHERE d.id = ${anyOf(sql, ids)}`)
      )
  }
})

/** Devices that commands are for. */
export class CommandDevicesRepository extends Context.Service<CommandDevicesRepository, Effect.Success<typeof make>>()(
  "@edp/server/CommandDevicesRepository"
) {
  static readonly layer = Layer.effect(CommandDevicesRepository, make)
}
