import { archive as archiveLayer } from "@edp/server/readings/layer"
import { HistoryRepository } from "@edp/server/readings/history/HistoryRepository"
import { ReadingCounts } from "@edp/server/readings/history/ReadingCounts"
import { Effect, Layer } from "effect"
import type { TestApp } from "../../support/TestApp.ts"
import { readRows } from "./readRows.ts"

const layer = Layer.provideMerge(ReadingCounts.layer, HistoryRepository.layer).pipe(Layer.provide(archiveLayer))
const MINUTES = 60_000

interface CountQuery {
  readonly from: number
  readonly to: number
}

/** Counts readings as the history does, and as the database does by itself. */
export const counting = (app: TestApp) => {
  const count = (deviceId: string, span: CountQuery) =>
    Effect.gen(function* () {
      const state = yield* (yield* HistoryRepository).counted(deviceId)
      return yield* (yield* ReadingCounts).count(deviceId, span, state?.countedUntil ?? null)
    })
  return {
    /** A reading every two minutes from then on, as an ingest would have left them. */
    seed: async (deviceId: string, first: number, readings: number) => {
      await app.sql(
        (sql) => sql`SELECT ensure_readings_partition((${new Date(first)}::timestamptz + n * interval '1 month')::date)
          FROM generate_series(-1, ${Math.ceil(readings / 20_000)}::int) n`
      )
      await app.sql(
        (sql) => sql`INSERT INTO readings (device_id, at, id, state)
          SELECT ${deviceId}, ${new Date(first)}::timestamptz + n * interval '2 minutes', 'c' || lpad(n::text, 24, '0'), '{"power": 1}'
          FROM generate_series(0, ${readings}::int - 1) n`
      )
      await app.sql(
        (sql) => sql`INSERT INTO device_states (device_id, reading_id, at, first_at, state)
          VALUES (${deviceId}, ${`c${"0".repeat(24)}`}, ${new Date(first + (readings - 1) * 2 * MINUTES)}, ${new Date(first)}, '{"power": 1}')`
      )
      await app.sql((sql) => sql`ANALYZE readings`)
    },
    count: (deviceId: string, span: CountQuery) =>
      app.run(Effect.provide(count(deviceId, span), layer, { local: true })),
    /** The same, with the rows that it reads. */
    countRows: (deviceId: string, span: CountQuery) =>
      app.run(Effect.provide(readRows(count(deviceId, span)), layer, { local: true })),
    truth: async (deviceId: string, { from, to }: CountQuery) => {
      const [row] = await app.sql(
        (sql) => sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM readings
          WHERE device_id = ${deviceId} AND at >= ${new Date(from)} AND at < ${new Date(to)}`
      )
      return row!.n
    },
    /** Up to where the days of the device are counted. */
    countedUntil: async (deviceId: string) => {
      const [row] = await app.sql(
        (sql) => sql<{ readonly at: Date | null }>`SELECT counted_until AS at FROM device_states
          WHERE device_id = ${deviceId}`
      )
      return row?.at?.toISOString() ?? null
    }
  }
}
