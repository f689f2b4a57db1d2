import { HistoryDeletion } from "@edp/server/readings/retention/HistoryDeletion"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeDevices } from "../../devices/arrangeDevices.ts"

const app = useTestApp({ own: true })
const deleteHistory = (deviceId: string) => app.run(Effect.flatMap(HistoryDeletion, (all) => all.delete(deviceId)))
const deleteAll = Effect.flatMap(HistoryDeletion, (all) => all.deleteAll)

type Table = "readings" | "device_states" | "energy_rollups" | "kept_readings" | "forgotten_histories"

/** Readings, and what is computed from them. */
const counted = async (count: (table: Table) => Promise<number>) =>
  (await count("readings")) + (await count("energy_rollups")) + (await count("kept_readings"))

const MANY = 25_000
const months = ["2026-01-01", "2026-02-01", "2026-03-01"]

/** A device with many readings, evenly over three months. */
const arrange = async () => {
  const place = await arrangeDevices(app)
  const id = await place.device()
  for (const month of months) await app.sql((sql) => sql`SELECT ensure_readings_partition(${month}::date)`)
  await app.sql(
    (sql) => sql`INSERT INTO readings (device_id, at, id, state)
      SELECT ${id}, '2026-01-01T00:00:00Z'::timestamptz + n * interval '310 seconds', 'c' || lpad(n::text, 24, '0'), '{}'
      FROM generate_series(1, ${MANY}::int) n`
  )
  await app.sql(
    (sql) => sql`INSERT INTO device_states (device_id, reading_id, at, first_at, state)
      SELECT device_id, max(id), max(at), min(at), '{}' FROM readings WHERE device_id = ${id} GROUP BY device_id`
  )
  await app.sql(
    (sql) => sql`INSERT INTO energy_rollups (device_id, quantity, day, amounts, covered)
      SELECT ${id}, quantity, DATE '1990-01-01' + day, '{1}', '{1}'
      FROM generate_series(1, 2) quantity, generate_series(1, 6000) day`
  )
  await app.sql((sql) => sql`INSERT INTO kept_readings SELECT ${id}, now(), '{}'`)
  const count = async (table: Table) => {
    const rows = await app.sql(
      (sql) => sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM ${sql(table)} WHERE device_id = ${id}`
    )
    return rows[0]!.n
  }
  return {
    ...place,
    id,
    count,
    isForgotten: async () => {
      await app.run(deleteAll)
      expect((await counted(count)) + (await count("forgotten_histories"))).toBe(0)
    }
  }
}

describe("a removed device's history", () => {
  test("is deleted by statements of at most 10,000 readings", async () => {
    const { call, id, isForgotten } = await arrange()
    await app.sql((sql) => sql`CREATE TABLE deletions (n integer NOT NULL)`)
    await app.sql(
      (sql) => sql`CREATE FUNCTION note_deletion() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN INSERT INTO deletions SELECT count(*) FROM gone; RETURN NULL; END'`
    )
    await app.sql(
      (sql) => sql`CREATE TRIGGER noted AFTER DELETE ON readings REFERENCING OLD TABLE AS gone
        FOR EACH STATEMENT EXECUTE FUNCTION note_deletion()`
    )
    expect((await call("DELETE", `/v1/devices/${id}`)).status).toBe(204)
    await isForgotten()
    const deletions = await app.sql((sql) => sql<{ readonly n: number }>`SELECT n FROM deletions WHERE n > 0`)
    expect(deletions.map(({ n }) => n)).toEqual([10_000, 10_000, 5000])
    await app.sql((sql) => sql`DROP TRIGGER noted ON readings`)
  })

  test("is deleted when the deletion completes, including a late state", async () => {
    const { count, id } = await arrange()
    // As a removal leaves it, when a batch was under way that had found the device associated.
    await app.sql((sql) => sql`UPDATE devices SET workspace_id = NULL WHERE id = ${id}`)
    await deleteHistory(id)
    expect(await counted(count)).toBe(0)
    expect(await count("device_states")).toBe(0)
  })

  test("is kept if the device belongs to a workspace again", async () => {
    const { count, id } = await arrange()
    await app.sql((sql) => sql`INSERT INTO forgotten_histories (device_id) VALUES (${id})`)
    await deleteHistory(id)
    expect(await count("readings")).toBe(MANY)
    expect(await count("energy_rollups")).toBe(12_000)
    expect(await count("kept_readings")).toBe(1)
    expect(await count("device_states")).toBe(1)
    expect(await count("forgotten_histories")).toBe(0)
  })

  test("is deleted once by several concurrent runs", async () => {
    const { count, id } = await arrange()
    await app.sql((sql) => sql`DELETE FROM devices WHERE id = ${id}`)
    await Promise.all([deleteHistory(id), deleteHistory(id), deleteHistory(id)])
    expect(await counted(count)).toBe(0)
  })

  test("that a stopped instance left is deleted by the next run", async () => {
    const { id, isForgotten } = await arrange()
    await app.sql((sql) => sql`DELETE FROM devices WHERE id = ${id}`)
    await isForgotten()
  })
})
