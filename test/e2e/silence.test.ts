import { Client } from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import { callAt } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import { useDatabases } from "../support/Databases.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import { spawnServer } from "../support/spawnServer.ts"

const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }

describePostgres("silent devices, with the API and the background work in processes of their own", () => {
  const databases = useDatabases()
  let database: Client
  beforeAll(async () => {
    database = new Client({ connectionString: databases.url })
    await database.connect()
  })
  afterAll(async () => {
    await database.end()
  })

  const start = (role: string) => spawnServer({ env: { DATABASE_URL: databases.url, EDP_ROLE: role } })

  test("are reported by the worker alone, once each, including those of before its start", async () => {
    const api = await start("api")
    const { manufacturerKey, serverKey } = api.credentials
    const get = async (path: string) => (await callAt(api.baseUrl, "GET", path, { key: serverKey })).body
    const post = async (path: string, body: object, key = manufacturerKey) =>
      (await callAt(api.baseUrl, "POST", path, { key, body })).body
    const setOnlineWindow = (window: string) =>
      database.query("UPDATE manufacturers SET online_window = $1 WHERE slug = 'generic'", [window])
    await setOnlineWindow("1 second")
    const site = await post("/v1/sites", { address }, serverKey)
    const [model] = (await get("/v1/device-models?manufacturer=generic&type=meter")).data
    const device = await post("/devices", {
      manufacturerDeviceId: "meter-1",
      deviceModelId: model.id,
      siteId: site.id
    })
    const speak = () => post(`/devices/${device.id}/telemetry`, { state: { power: 1 } })
    const statuses = async () => (await get("/v1/alerts")).data.map(({ status }: { readonly status: string }) => status)
    const become = (...expected: ReadonlyArray<string>) =>
      eventually(`the alerts are ${expected.join()}`, async () =>
        (await statuses()).join() === expected.join() ? true : undefined
      )

    expect(await speak()).toMatchObject({ accepted: 1 })
    await eventually("the device is offline", async () =>
      (await get(`/v1/devices/${device.id}`)).onlineStatus === "offline" ? true : undefined
    )
    expect(await statuses()).toEqual([])

    const first = await start("worker")
    await become("OPEN")
    await first.kill9()
    const second = await start("worker")
    const third = await start("worker")
    // The device stays online until its alert has been seen resolved, and is silent again from then on.
    await setOnlineWindow("1 hour")
    await speak()
    await become("RESOLVED")
    await setOnlineWindow("1 second")
    await database.query("UPDATE device_watches SET check_at = now()")
    await become("OPEN", "RESOLVED")
    expect((await get("/v1/alerts?status=OPEN")).data).toMatchObject([{ deviceId: device.id, occurrenceCount: 1 }])
    for (const server of [second, third, api]) expect(await server.stop()).toBe(0)
    expect([second.stderr(), third.stderr(), api.stderr()]).toEqual(["", "", ""])
  })
})
