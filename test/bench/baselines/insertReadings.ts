import { Effect } from "effect"
import type { SqlClient } from "effect/sql"

interface Rows {
  readonly devices: ReadonlyArray<string>
  readonly times: ReadonlyArray<Date>
  readonly ids: ReadonlyArray<string>
  readonly states: ReadonlyArray<string>
}

/** The readings that a bulk push of the same number sends, without the checks and the making of ids. */
const makeRows = (deviceIds: ReadonlyArray<string>, readings: number, from: number, turn: number): Rows => {
  const rounds = Math.ceil(readings / deviceIds.length)
  const rows = {
    devices: [] as Array<string>,
    times: [] as Array<Date>,
    ids: [] as Array<string>,
    states: [] as Array<string>
  }
  for (let round = turn * rounds; round < (turn + 1) * rounds; round++) {
    const at = new Date(from + round * 1000)
    const state = `{"power":${3000 + (round % 1000)},"lifetimeEnergyGenerated":${1_200_000 + round}}`
    for (const [number, id] of deviceIds.entries()) {
      rows.devices.push(id)
      rows.times.push(at)
      rows.ids.push(`cb${`${round}`.padStart(15, "0")}${`${number}`.padStart(8, "0")}`)
      rows.states.push(state)
    }
  }
  return rows
}

const insert = (sql: SqlClient.SqlClient, { devices, times, ids, states }: Rows) => sql`
  INSERT INTO readings (device_id, at, id, state)
  SELECT * FROM unnest(${devices}::text[], ${times}::timestamptz[], ${ids}::text[], ${states}::jsonb[])
  ON CONFLICT DO NOTHING`

// Each device once: its newest reading is the last of the batch.
const insertAndMove = (sql: SqlClient.SqlClient, { devices, times, ids, states }: Rows) => sql`
  WITH offered AS MATERIALIZED (
    SELECT * FROM unnest(${devices}::text[], ${times}::timestamptz[], ${ids}::text[], ${states}::jsonb[])
      AS row (device_id, at, id, state)
  ), stored AS (
    INSERT INTO readings (device_id, at, id, state) SELECT * FROM offered ON CONFLICT DO NOTHING
  )
  UPDATE device_states AS held SET reading_id = offered.id, at = offered.at, state = offered.state
  FROM offered WHERE held.device_id = offered.device_id AND held.at < offered.at`

/** One turn of inserting: the turns of a run never repeat a reading. */
export const insertReadings =
  (
    sql: SqlClient.SqlClient,
    work: { deviceIds: ReadonlyArray<string>; readings: number; from: number; states: boolean }
  ) =>
  (turn: number) =>
    Effect.suspend(() => {
      const rows = makeRows(work.deviceIds, work.readings, work.from, turn)
      return work.states ? insertAndMove(sql, rows) : insert(sql, rows)
    })
