import { Client } from "pg"
import { expect, test } from "vitest"
import { eventually } from "../../../support/eventually.ts"
import { useDatabases } from "../../../support/Databases.ts"
import { describePostgres } from "../../../support/PostgresServer.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeDirect } from "./arrangeDirect.ts"

const ago = (milliseconds: number) => new Date(Date.now() - milliseconds).toISOString()

describePostgres("direct integration on PostgreSQL", () => {
  const databases = useDatabases()
  const database = () => databases.url
  const app = useTestApp({ databaseUrl: database })
  const other = useTestApp({ databaseUrl: database })

  test("20 concurrent first provisions on two instances create one device", async () => {
    const { makeBody, key, read } = await arrangeDirect(app)
    const body = await makeBody("inverter", { name: "Roof", staticState: { power: 5000 } })
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? app : other).call("POST", "/devices", { key, body }))
    )
    expect(responses.map(({ status }) => status).toSorted()).toEqual([...Array.from({ length: 19 }, () => 200), 201])
    for (const response of responses) expect(response.body).toEqual(responses[0]!.body)
    expect((await read("/v1/devices")).body).toMatchObject({ totalItems: 1, data: [responses[0]!.body] })
  })

  test("one of several different concurrent provisions creates the device, and the others get the differing fields", async () => {
    const { makeBody, key, read } = await arrangeDirect(app)
    const body = await makeBody("inverter")
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        (at % 2 === 0 ? app : other).call("POST", "/devices", { key, body: { ...body, serialNumber: `SN-${at}` } })
      )
    )
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 9 }, () => 409)])
    for (const { status, body } of responses)
      if (status === 409) expect(body.mismatchedFields).toEqual(["serialNumber"])
    const created = responses.find(({ status }) => status === 201)!
    expect((await read("/v1/devices")).body.data).toEqual([created.body])
  })

  test("20 concurrent provisions associate a removed device again once, without its history", async () => {
    const { device, push, remove, makeBody, key, history } = await arrangeDirect(app)
    const { id, manufacturerDeviceId } = await device()
    await push(id, {
      readings: Array.from({ length: 100 }, (_, at) => ({ timestamp: ago(at * 1000), state: { power: at } }))
    })
    await remove(id)
    const body = await makeBody("inverter", { manufacturerDeviceId })
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? app : other).call("POST", "/devices", { key, body }))
    )
    expect(responses.map(({ status }) => status).toSorted()).toEqual([...Array.from({ length: 19 }, () => 200), 201])
    expect(new Set(responses.map((response) => response.body.id))).toEqual(new Set([id]))
    expect(await history(id)).toEqual([])
    expect((await push(id, { state: { power: 1 } })).body.accepted).toBe(1)
    expect(await history(id)).toHaveLength(1)
  })

  test("a device that is removed while it reports gets no reading after its removal", async () => {
    const { device, push, remove } = await arrangeDirect(app)
    const { id } = await device()
    const reporting = Array.from({ length: 8 }, async (_, worker) => {
      const statuses = new Set<number>()
      for (let turn = 0; ; turn++) {
        const { status } = await push(id, { timestamp: ago(worker * 1_000_000 + turn), state: { power: 1 } })
        statuses.add(status)
        if (status !== 200) return statuses
      }
    })
    await push(id, { state: { power: 2 } })
    expect((await remove(id)).status).toBe(204)
    const statuses = new Set((await Promise.all(reporting)).flatMap((each) => [...each]))
    expect(statuses).toEqual(new Set([200, 404]))
    const left = await app.sql((sql) => sql`SELECT 1 FROM device_states WHERE device_id = ${id}`)
    expect(left).toEqual([])
  })

  test("pushes that arrive while a batch is committed share the next commit", async () => {
    const { device, push } = await arrangeDirect(app)
    const { id } = await device()
    const stranger = new Client({ connectionString: databases.url })
    await stranger.connect()
    await stranger.query("BEGIN")
    await stranger.query("SELECT FROM devices WHERE id = $1 FOR UPDATE", [id])
    const reading = (minutes: number) => push(id, { timestamp: ago(minutes * 60_000), state: { power: minutes } })
    const first = reading(0)
    await eventually("the first batch waits for the device", async () => {
      const [waiting] = await app.sql(
        (sql) =>
          sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%offered%'`
      )
      return waiting
    })
    const others = Array.from({ length: 200 }, (_, minutes) => reading(minutes + 1))
    // By the time that this comes back, the service has read what was sent before.
    for (let turn = 0; turn < 5; turn++) await app.call("GET", "/health/live")
    await stranger.query("COMMIT")
    await stranger.end()
    for (const { body } of await Promise.all([first, ...others])) expect(body.accepted).toBe(1)
    const [row] = await app.sql<{ readings: number; commits: number }>(
      (sql) => sql`SELECT count(*)::int AS readings, count(DISTINCT xmin::text)::int AS commits FROM readings
        WHERE device_id = ${id}`
    )
    expect(row!.readings).toBe(201)
    expect(row!.commits).toBeLessThan(50)
  })
})
