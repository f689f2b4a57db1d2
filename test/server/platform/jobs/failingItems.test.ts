import { CandidateSweep } from "@edp/server/enrollments/CandidateSweep"
import { EnergyRollups } from "@edp/server/metrics/EnergyRollups"
import { HistoryDeletion } from "@edp/server/readings/retention/HistoryDeletion"
import { MaterializedCollections } from "@edp/server/collections/MaterializedCollections"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { scriptedAdapter } from "../../../support/scriptedAdapter.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeWatch } from "../../alerts/watching.ts"
import { arrangeCollections, named } from "../../collections/arrangeCollections.ts"
import { arrangeBatches } from "../../commands/arrangeBatches.ts"
import { arrangeCommands, batteryCommands } from "../../commands/arrangeCommands.ts"
import { commandSweeps } from "../../commands/arrangeConfirmations.ts"
import { arrangeDestinations } from "../../destinations/arrangeDestinations.ts"
import { aBattery, arrangeEnrollments } from "../../enrollments/arrangeEnrollments.ts"
import { arrangeSchedules, idle, rule } from "../../schedules/arrangeSchedules.ts"

const scripted = scriptedAdapter({ commands: batteryCommands })
const app = useTestApp({ own: true, adapters: [scripted.adapter] })

const ITEMS = [0, 1, 2, 3]

/** Background work over several items, of which the database refuses one. */
interface Sweep {
  /** The database refuses these writes to rows of a table with this value. */
  readonly on: string
  readonly table: string
  readonly column: string
  readonly value: string
  readonly run: () => Promise<unknown>
  /** The items that are still to be done, in order. */
  readonly left: () => Promise<ReadonlyArray<string>>
  readonly bad: string
}

const ids = async (rows: Promise<ReadonlyArray<{ readonly id: string }>>) => (await rows).map(({ id }) => id)

const sweeps: Readonly<Record<string, () => Promise<Sweep>>> = {
  "the fan-out of events": async () => {
    const places: Array<Awaited<ReturnType<typeof arrangeDestinations>> & { readonly id: string }> = []
    for (const _ of ITEMS) {
      const place = await arrangeDestinations(app)
      const { id } = await place.destination({ url: "https://receiver.example.com/" })
      for (let n = 0; n < 5; n++) await place.customer()
      places.push({ ...place, id })
    }
    const [bad] = places
    return {
      on: "INSERT",
      table: "deliveries",
      column: "destination_id",
      value: bad!.id,
      bad: bad!.id,
      run: bad!.fanOut,
      left: async () => {
        const left: Array<string> = []
        for (const { deliveries, id } of places) if ((await deliveries(id)).length < 5) left.push(id)
        return left
      }
    }
  },
  "the watch for silent devices": async () => {
    const { alerts, speaking, sweep } = await arrangeWatch(app)
    const devices: Array<string> = []
    for (const _ of ITEMS) devices.push(await speaking())
    return {
      on: "INSERT",
      table: "alerts",
      column: "device_id",
      value: devices[1]!,
      bad: devices[1]!,
      run: () => sweep(20),
      left: async () => {
        const raised = new Set((await alerts()).map(({ deviceId }) => deviceId))
        return devices.filter((id) => !raised.has(id))
      }
    }
  },
  "the judging of enrollments": async () => {
    const place = await arrangeEnrollments(app)
    const { id } = await place.instance({ eligibility: aBattery })
    const enrolled: Array<string> = []
    for (const _ of ITEMS) {
      const home = await place.home(null)
      enrolled.push((await place.enroll(id, home.customerId, { siteId: home.siteId })).id)
      await place.device({ type: "battery", siteId: home.siteId })
    }
    return {
      on: "UPDATE",
      table: "enrollments",
      column: "id",
      value: enrolled[2]!,
      bad: enrolled[2]!,
      run: () => app.run(Effect.flatMap(CandidateSweep, ({ sweep }) => sweep)),
      left: () =>
        ids(
          app.sql(
            (sql) => sql<{ id: string }>`SELECT id FROM enrollments
          WHERE id = ANY(${enrolled}::text[]) AND status = 'candidate' ORDER BY id`
          )
        )
    }
  },
  "the confirmation of commands": async () => {
    const commands: Array<string> = []
    for (const _ of ITEMS) {
      const place = await arrangeCommands(app, scripted)
      commands.push((await place.reserve(30)).id)
      await place.perform()
      await place.observe({ backupReserve: 20 })
      await place.observe({ backupReserve: 30 })
    }
    await app.sql((sql) => sql`UPDATE commands SET due_at = now() WHERE id = ANY(${commands}::text[]) RETURNING 1`)
    return {
      on: "UPDATE",
      table: "commands",
      column: "id",
      value: commands[0]!,
      bad: commands[0]!,
      run: commandSweeps(app).confirm,
      left: () => openCommands(commands)
    }
  },
  "the time-outs of commands": async () => {
    const { commands } = await overdueCommands()
    return {
      on: "UPDATE",
      table: "commands",
      column: "id",
      value: commands[3]!,
      bad: commands[3]!,
      run: commandSweeps(app).timeOut,
      left: () => openCommands(commands)
    }
  },
  "the watch over batches of commands": async () => {
    const place = await arrangeBatches(app)
    const batches: Array<string> = []
    for (const _ of ITEMS) {
      const deviceIds = await place.batteries(1)
      batches.push((await place.created({ deviceIds })).id)
    }
    await app.sql(
      (sql) => sql`UPDATE batch_commands SET cancelled_at = now(), watched = true
      WHERE id = ANY(${batches}::text[]) RETURNING 1`
    )
    return {
      on: "UPDATE",
      table: "commands",
      column: "batch_id",
      value: batches[0]!,
      bad: batches[0]!,
      run: place.sweep,
      left: () =>
        ids(
          app.sql(
            (sql) => sql<{ id: string }>`SELECT DISTINCT batch_id AS id FROM commands
          WHERE batch_id = ANY(${batches}::text[]) AND status = 'pending' ORDER BY 1`
          )
        )
    }
  },
  "the transitions of schedules": async () => {
    const place = await arrangeSchedules(app)
    const schedules: Array<string> = []
    for (const _ of ITEMS) {
      const deviceId = await place.battery()
      const rules = [rule("22:00", "06:00", idle)]
      const { id } = await place.create({ target: { deviceId }, rules, defaultMode: idle })
      await place.setDue(id, "2026-06-01T22:00:00Z")
      schedules.push(id)
    }
    return {
      on: "UPDATE",
      table: "schedules",
      column: "id",
      value: schedules[1]!,
      bad: schedules[1]!,
      run: () => place.runAt("2026-06-01T22:00:00Z"),
      left: () =>
        ids(
          app.sql(
            (sql) => sql<{ id: string }>`SELECT id FROM schedules
          WHERE id = ANY(${schedules}::text[]) AND next_transition_at <= '2026-06-01T22:00:00Z' ORDER BY id`
          )
        )
    }
  },
  "the refresh of materialized collections": async () => {
    const place = await arrangeCollections(app)
    const collections: Array<string> = []
    for (const _ of ITEMS) collections.push((await place.create({ dynamic: false, criteria: named("A") })).id)
    await app.sql(
      (sql) => sql`UPDATE collections SET freshness = NULL WHERE id = ANY(${collections}::text[]) RETURNING 1`
    )
    const layer = MaterializedCollections.layer
    return {
      on: "UPDATE",
      table: "collections",
      column: "id",
      value: collections[1]!,
      bad: collections[1]!,
      run: () =>
        app.run(
          Effect.provide(
            Effect.flatMap(MaterializedCollections, (sets) => sets.refreshAll),
            layer
          )
        ),
      left: () =>
        ids(
          app.sql(
            (sql) => sql<{ id: string }>`SELECT id FROM collections
          WHERE id = ANY(${collections}::text[]) AND freshness IS NULL ORDER BY id`
          )
        )
    }
  },
  "the deletion of removed histories": async () => {
    const gone = ITEMS.map((n) => `cgonegonegonegonegonego0${n}`)
    await app.sql(
      (sql) => sql`INSERT INTO forgotten_histories (device_id, created_at)
      SELECT id, now() FROM unnest(${gone}::text[]) AS id RETURNING 1`
    )
    return {
      on: "DELETE",
      table: "forgotten_histories",
      column: "device_id",
      value: gone[0]!,
      bad: gone[0]!,
      run: () => app.run(Effect.flatMap(HistoryDeletion, (all) => all.deleteAll)),
      left: () => ids(app.sql((sql) => sql<{ id: string }>`SELECT device_id AS id FROM forgotten_histories ORDER BY 1`))
    }
  },
  "the energy rollup": async () => {
    const place = await arrangeWatch(app)
    const devices: Array<string> = []
    for (const _ of ITEMS) {
      const { id } = await place.device("inverter")
      for (const minutes of [120, 105, 90, 75, 60]) await place.speak(id, minutes)
      devices.push(id)
    }
    return {
      on: "INSERT",
      table: "energy_rollups",
      column: "device_id",
      value: devices[2]!,
      bad: devices[2]!,
      run: () =>
        app.run(
          Effect.flatMap(EnergyRollups, ({ rollSome }) => Effect.repeat(rollSome, { while: (devices) => devices > 0 }))
        ),
      left: () =>
        ids(
          app.sql(
            (sql) => sql<{ id: string }>`SELECT id FROM unnest(${devices}::text[]) AS id
          WHERE NOT EXISTS (SELECT FROM energy_rollups WHERE device_id = id) ORDER BY 1`
          )
        )
    }
  }
}

const openCommands = (commands: ReadonlyArray<string>) =>
  ids(
    app.sql(
      (sql) => sql<{ id: string }>`SELECT id FROM commands
    WHERE id = ANY(${commands}::text[]) AND status IN ('pending', 'delivered') ORDER BY id`
    )
  )

const overdueCommands = async () => {
  const commands: Array<string> = []
  for (const _ of ITEMS) commands.push((await (await arrangeCommands(app, scripted)).reserve(30)).id)
  await app.sql(
    (sql) => sql`UPDATE commands SET deadline = now() - interval '1 second'
    WHERE id = ANY(${commands}::text[]) RETURNING 1`
  )
  return { commands }
}

const failing = () =>
  app.sql(
    (sql) => sql<{ item: string; failures: number; error: string }>`SELECT item, failures, error FROM failing_work`
  )

describe("an item that the database refuses", () => {
  for (const [name, arrange] of Object.entries(sweeps)) {
    test(`stops no other of ${name}, is put off, and is done once it can be`, async () => {
      await app.sql(
        (sql) => sql`CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN RAISE EXCEPTION ''it is refused''; END'`
      )
      const { bad, column, left, on, run, table, value } = await arrange()
      const row = on === "DELETE" ? "OLD" : "NEW"
      await app.sql((sql) =>
        sql.unsafe(`CREATE TRIGGER refusing BEFORE ${on} ON ${table} FOR EACH ROW
        WHEN (${row}.${column} = '${value}') EXECUTE FUNCTION refuse()`)
      )
      try {
        await run()
        expect(await left()).toEqual([bad])
        const [refused, ...others] = await failing()
        expect([refused, others]).toEqual([
          { item: expect.any(String), failures: 1, error: expect.stringContaining("it is refused") },
          []
        ])
        // However slow the machine is, its pause is not over.
        await app.sql((sql) => sql`UPDATE failing_work SET retry_at = now() + interval '1 hour' RETURNING 1`)
        await run()
        expect((await failing()).map(({ failures }) => failures)).toEqual([1])
      } finally {
        await app.sql((sql) => sql.unsafe(`DROP TRIGGER refusing ON ${table}`))
        await app.sql((sql) => sql`DELETE FROM failing_work RETURNING 1`)
        await app.sql((sql) => sql`UPDATE device_states SET roll_claimed_at = NULL RETURNING 1`)
      }
      await run()
      expect(await left()).toEqual([])
    })
  }
})
