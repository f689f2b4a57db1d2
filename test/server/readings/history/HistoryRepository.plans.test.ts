import { archive as archiveLayer } from "@edp/server/readings/layer"
import { HistoryRepository } from "@edp/server/readings/history/HistoryRepository"
import { ReadingCounts } from "@edp/server/readings/history/ReadingCounts"
import { Effect, Layer } from "effect"
import { beforeAll, expect, test } from "vitest"
import { useDatabases } from "../../../support/Databases.ts"
import { describePostgres } from "../../../support/PostgresServer.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeDevices } from "../../devices/arrangeDevices.ts"
import { readRows } from "../../devices/readRows.ts"

const MINUTES = 60_000
const READINGS = 40_000
const first = Date.UTC(2025, 11, 15)
const LIMIT = 51

describePostgres("the history of a device among years of readings", () => {
  const databases = useDatabases()
  const app = useTestApp({ databaseUrl: () => databases.url })

  let id: string
  beforeAll(async () => {
    id = await (await arrangeDevices(app)).device()
    await app.sql(
      (sql) => sql`SELECT ensure_readings_partition((date '2021-01-01' + n * interval '1 month')::date)
        FROM generate_series(0, 65) n`
    )
    // Every two minutes, over two months and a half.
    await app.sql(
      (sql) => sql`INSERT INTO readings (device_id, at, id, state)
        SELECT ${id}, ${new Date(first)}::timestamptz + n * interval '2 minutes', 'c' || lpad(n::text, 24, '0'), '{}'
        FROM generate_series(0, ${READINGS}::int - 1) n`
    )
    await app.sql((sql) => sql`ANALYZE readings`)
  })

  const reading = <A, E>(ask: (history: HistoryRepository["Service"]) => Effect.Effect<A, E>) =>
    app.run(
      Effect.provide(
        Effect.flatMap(HistoryRepository, (history) => readRows(ask(history))),
        HistoryRepository.layer
      )
    )
  const span = (from: number, to: number) => ({ from: first + from * 2 * MINUTES, to: first + to * 2 * MINUTES })

  test.each(["asc", "desc"] as const)("a page reads only itself, at either end of the walk: %s", async (order) => {
    for (const part of [
      span(0, READINGS),
      span(100, READINGS),
      span(0, READINGS - 100),
      span(READINGS - 200, READINGS)
    ]) {
      const { response, rows } = await reading((history) => history.page(id, part, order, LIMIT, 0))
      expect(response).toHaveLength(LIMIT)
      expect(rows).toBe(LIMIT)
    }
  })

  test("only the months of the span are opened", async () => {
    const day = { from: Date.UTC(2026, 0, 10), to: Date.UTC(2026, 0, 11) }
    const { indexes } = await reading((history) => history.page(id, day, "desc", LIMIT, 0))
    expect([...indexes]).toEqual(["readings_202601_pkey"])
  })

  test("a total reads the counts and less than an hour of readings at either end", async () => {
    await app.sql(
      (sql) => sql`INSERT INTO device_states (device_id, reading_id, at, first_at, state)
        SELECT device_id, min(id), max(at), min(at), '{}' FROM readings WHERE device_id = ${id} GROUP BY device_id`
    )
    const part = span(1000, 39_001)
    const { response, rows } = await app.run(
      Effect.provide(
        Effect.gen(function* () {
          const counts = yield* ReadingCounts
          yield* counts.count(id, part, null)
          const { countedUntil } = (yield* (yield* HistoryRepository).counted(id))!
          return yield* readRows(counts.count(id, part, countedUntil))
        }),
        Layer.provideMerge(ReadingCounts.layer, HistoryRepository.layer).pipe(Layer.provide(archiveLayer))
      )
    )
    expect(response).toBe(38_001)
    // An hour has thirty readings.
    expect(rows).toBeLessThan(2 * 30 + 10)
  })
})
