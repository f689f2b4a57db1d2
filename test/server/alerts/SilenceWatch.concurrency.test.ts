import { Client } from "pg"
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { useDatabases } from "../../support/Databases.ts"
import { describePostgres } from "../../support/PostgresServer.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeWatch, sweepAt } from "./watching.ts"
import { untilLockWait } from "../../support/races.ts"

const FLEET = 1200

describePostgres("the watch for silent devices under concurrency", () => {
  const databases = useDatabases()
  /** Somebody else, whose transactions are open while the sweep works. */
  let stranger: Client
  beforeAll(async () => {})
  beforeEach(async () => {
    stranger = new Client({ connectionString: databases.url })
    await stranger.connect()
  })
  afterEach(() => stranger.end())
  const app = useTestApp({ databaseUrl: () => databases.url })

  /** So many devices of a new workspace, watched, whose newest reading is an hour old. */
  const silentFleet = async (devices: number) => {
    const place = await arrangeWatch(app)
    await app.sql(
      (
        sql
      ) => sql`INSERT INTO devices (id, workspace_id, origin_workspace_id, name, manufacturer, manufacturer_device_id,
          reference_id, model, type, commands, tags, direct, created_at, updated_at)
        SELECT 'c' || lpad(n::text, 8, '0') || substr(${place.workspaceId}, 10), ${place.workspaceId}, ${place.workspaceId},
          'Roof', 'generic', n, n, 'Inverter', 'inverter', '{}', '{}', true, now(), now()
        FROM generate_series(1, ${devices}::int) n`
    )
    await app.sql(
      (sql) => sql`INSERT INTO device_states (device_id, reading_id, at, first_at, state, watched)
        SELECT id, id, now() - interval '1 hour', now(), '{}', true FROM devices
        WHERE workspace_id = ${place.workspaceId}`
    )
    await app.sql(
      (
        sql
      ) => sql`INSERT INTO device_watches (device_id, check_at) SELECT id, now() - interval '44 minutes' FROM devices
        WHERE workspace_id = ${place.workspaceId} ON CONFLICT (device_id) DO UPDATE SET check_at = excluded.check_at`
    )
    const counts = async () => {
      const [row] = await app.sql(
        (sql) => sql<{ readonly alerts: number; readonly devices: number; readonly most: number }>`
          SELECT count(*)::int AS alerts, count(DISTINCT device_id)::int AS devices, max(occurrence_count) AS most
          FROM alerts WHERE workspace_id = ${place.workspaceId}`
      )
      return row
    }
    return { ...place, counts }
  }

  test("is shared by four concurrent instances: each device raises one alert", async () => {
    const { counts } = await silentFleet(FLEET)
    const looked = await Promise.all([1, 2, 3, 4].map(() => sweepAt(app)))
    expect(looked.reduce((sum, n) => sum + n, 0)).toBe(FLEET)
    expect(await counts()).toEqual({ alerts: FLEET, devices: FLEET, most: 1 })
  })

  test("checks each device once although a batch fails in the middle of what it writes", async () => {
    const { counts } = await silentFleet(FLEET)
    await app.sql((sql) => sql`CREATE SEQUENCE batches`)
    await app.sql(
      (sql) => sql`CREATE FUNCTION break_off() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN IF nextval(''batches'') = 3 THEN RAISE EXCEPTION ''broken off''; END IF; RETURN NULL; END'`
    )
    await app.sql(
      (sql) => sql`CREATE TRIGGER broken AFTER UPDATE ON device_watches FOR EACH STATEMENT EXECUTE FUNCTION break_off()`
    )
    await sweepAt(app)
    expect(await counts()).toEqual({ alerts: FLEET, devices: FLEET, most: 1 })
    await app.sql((sql) => sql`DROP TRIGGER broken ON device_watches`)
  })

  test("never waits for a reading that is being written: it skips the device, and sees the reading later", async () => {
    const { speaking, alertSummaries, sweep, watches } = await arrangeWatch(app)
    const id = await speaking()
    await app.sql(
      (sql) => sql`UPDATE device_states SET at = now() - interval '1 hour', watched = true
      WHERE device_id = ${id}`
    )
    await app.sql((sql) => sql`UPDATE device_watches SET check_at = now() WHERE device_id = ${id}`)
    await stranger.query("BEGIN")
    await stranger.query("UPDATE device_states SET at = now(), reading_id = 'another' WHERE device_id = $1", [id])
    await sweep()
    expect(await alertSummaries()).toEqual([])
    await stranger.query("COMMIT")
    await eventually("the device is due again", async () => ((await sweep()) > 0 ? true : undefined))
    expect(await alertSummaries()).toEqual([])
    expect(await watches(id)).toMatchObject([{ phase: "online" }])
  })

  test("checks a device again when a reading waited for the sweep that found the device silent", async () => {
    const { speak, speaking, alertSummaries, sweep } = await arrangeWatch(app)
    const id = await speaking()
    await app.sql(
      (sql) => sql`UPDATE device_states SET at = now() - interval '1 hour', watched = true
      WHERE device_id = ${id}`
    )
    await app.sql((sql) => sql`UPDATE device_watches SET check_at = now() WHERE device_id = ${id}`)
    // Holds up the sweep after it has found the device silent, when it writes its alert.
    await stranger.query("BEGIN")
    await stranger.query("LOCK TABLE alerts IN SHARE MODE")
    const swept = sweep()
    await untilLockWait(databases.url, "the sweep waits", { locks: ["relation"] })
    const spoken = speak(id)
    await untilLockWait(databases.url, "the reading waits", { locks: ["transactionid"] })
    await stranger.query("COMMIT")
    await Promise.all([swept, spoken])
    // A sweep goes on while devices are due, so it may have seen the reading itself.
    expect([["OPEN 1"], ["RESOLVED 1"]]).toContainEqual(await alertSummaries())
    await sweep()
    expect(await alertSummaries()).toEqual(["RESOLVED 1"])
  })
})
