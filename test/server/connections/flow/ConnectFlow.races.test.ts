import { ConnectSessions } from "@edp/server/connections/sessions/ConnectSessions"
import { Effect } from "effect"
import { beforeEach, expect, test } from "vitest"
import { useDatabases } from "../../../support/Databases.ts"
import { describePostgres } from "../../../support/PostgresServer.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeConnections, leaves, newPerson } from "../arrangeConnections.ts"
import { FakeManufacturer } from "../../../support/peers/fakeManufacturer.ts"
import { atOnce } from "../../../support/races.ts"

describePostgres("requests at the same time", () => {
  const databases = useDatabases()
  const maker = new FakeManufacturer()
  const app = useTestApp({ adapters: maker.adapters, databaseUrl: () => databases.url })
  const arrange = () => arrangeConnections(app, maker)

  beforeEach(() => {
    maker.beforeExchange = async () => {}
  })

  const statuses = async (read: (id: string) => Promise<any>, id: string): Promise<ReadonlyArray<string>> =>
    (await read(id)).transitions.map(({ status }: { status: string }) => status)

  test("open a session once", async () => {
    const { open, read } = await arrange()
    const session = await open()
    await atOnce(8, () => session.open())
    expect(await statuses(read, session.id)).toEqual(["PENDING", "STARTED", "ENTERING_CUSTOMER_INFO"])
  })

  test("submit a form once, and both tabs show what comes next", async () => {
    const { open, read } = await arrange()
    const session = await open()
    await session.open()
    const { location, ...person } = newPerson()
    const forms = ["Ada", "Grace"].map((firstName) => ({ ...person, firstName, ...location }))
    const pages = await Promise.all(forms.map((form) => session.show(session.submitCustomer(form))))
    expect(pages.map(({ page }) => page)).toEqual(["manufacturers", "manufacturers"])
    expect(await statuses(read, session.id)).toEqual([
      "PENDING",
      "STARTED",
      "ENTERING_CUSTOMER_INFO",
      "SELECTING_MANUFACTURER"
    ])
  })

  test("bring one callback twice: the code is exchanged once", async () => {
    const { read, toManufacturer } = await arrange()
    const session = await toManufacturer()
    let exchanges = 0
    maker.beforeExchange = async () => {
      exchanges += 1
    }
    const parameters = maker.approve(session.authorizationUrl, maker.account("a"))
    await atOnce(5, () => session.callback(parameters))
    expect(exchanges).toBe(1)
    expect((await session.open()).page).toBe("system")
    expect((await read(session.id)).lastError).toBeNull()
  })

  test("bring the callbacks of two tabs: one account is linked, and the other leaves nothing", async () => {
    const { toManufacturer } = await arrange()
    const session = await toManufacturer()
    const second = await leaves(session.consent())
    const account = maker.account("a")
    await Promise.all([
      session.callback(maker.approve(session.authorizationUrl, account)),
      session.callback(maker.approve(second, account))
    ])
    expect(await session.open()).toMatchObject({ page: "system", devices: [{}] })
    const rows = await app.sql((sql) => sql`SELECT id FROM accounts WHERE external_id = ${account.externalId}`)
    expect(rows).toHaveLength(1)
  })

  test("finish a session once, with one customer, site, key and set of events", async () => {
    const { events, must, read, toManufacturer } = await arrange()
    const session = await toManufacturer()
    const system = await session.show(
      session.callback(maker.approve(session.authorizationUrl, maker.account("a", "b")))
    )
    if (system.page !== "system") throw new Error(system.page)
    const ids = system.devices.map(({ manufacturerDeviceId }) => manufacturerDeviceId)
    const pages = await Promise.all(
      Array.from({ length: 4 }, () => session.show(session.chooseDevices(ids, system.address!.values)))
    )
    expect(pages.map(({ page }) => page)).toEqual(["done", "done", "done", "done"])
    expect((await read(session.id)).deviceIds).toHaveLength(2)
    for (const [path, count] of [
      ["customers", 1],
      ["sites", 1],
      ["devices", 2]
    ] as const) {
      expect([path, (await must(200, "GET", `/v1/${path}`)).totalItems]).toEqual([path, count])
    }
    expect(await events("DEVICE_CONNECTED")).toHaveLength(2)
    const keys = await app.sql((sql) => sql`SELECT id FROM api_keys WHERE name = ${`Connect session ${session.id}`}`)
    expect(keys).toHaveLength(1)
  })

  test("connect one account in two sessions: one succeeds, the other learns why it failed", async () => {
    const { read, toManufacturer } = await arrange()
    const account = maker.account("a")
    const sessions = [await toManufacturer(), await toManufacturer()]
    const finished = await Promise.all(
      sessions.map(async (session) => {
        const view = await session.show(session.callback(maker.approve(session.authorizationUrl, account)))
        if (view.page !== "system") return view.page
        const ids = view.devices.map(({ manufacturerDeviceId }) => manufacturerDeviceId)
        return (await session.show(session.chooseDevices(ids, view.address!.values))).page
      })
    )
    expect(finished.toSorted()).toEqual(["done", "error"])
    const found = await Promise.all(sessions.map(({ id }) => read(id)))
    expect(found.filter(({ status }) => status === "SUCCESS")).toHaveLength(1)
    expect(found.find(({ status }) => status !== "SUCCESS").lastError.code).toBe("duplicate_connection")
  })

  test("create customers of one reference in two sessions: both belong to one customer", async () => {
    const { connect, must } = await arrange()
    const same = { customerInfo: newPerson(), referenceId: "user-1" }
    const linked = await Promise.all([
      connect(same, maker.account("a")),
      connect({ ...same, manufacturerFilters: { manufacturers: ["fakecloud"] }, siteId: undefined }, maker.account("b"))
    ])
    expect(new Set(linked.map(({ detail }) => detail.customerId)).size).toBe(1)
    expect((await must(200, "GET", "/v1/customers")).totalItems).toBe(1)
    expect((await must(200, "GET", "/v1/sites")).totalItems).toBe(1)
  })

  test("end a session while a code is exchanged: EXPIRED, and the permission is ended", async () => {
    const { must, read, toManufacturer } = await arrange()
    const session = await toManufacturer()
    const account = maker.account("a")
    maker.beforeExchange = async () => {
      await must(204, "DELETE", `/v1/connections/${session.id}`)
    }
    const view = await session.show(session.callback(maker.approve(session.authorizationUrl, account)))
    expect(view).toMatchObject({ page: "error", error: "expired" })
    expect((await read(session.id)).status).toBe("EXPIRED")
    expect(maker.revoked).toContain(account.externalId)
    const rows = await app.sql((sql) => sql`SELECT id FROM accounts WHERE external_id = ${account.externalId}`)
    expect(rows).toEqual([])
  })

  test("expire and finish a session: it ends in one of the two", async () => {
    const { read, toManufacturer } = await arrange()
    const session = await toManufacturer()
    const system = await session.show(session.callback(maker.approve(session.authorizationUrl, maker.account("a"))))
    if (system.page !== "system") throw new Error(system.page)
    const ids = system.devices.map(({ manufacturerDeviceId }) => manufacturerDeviceId)
    await app.sql((sql) => sql`UPDATE connect_sessions SET expires_at = now() WHERE id = ${session.id}`)
    const [view] = await Promise.all([
      session.show(session.chooseDevices(ids, system.address!.values)),
      app.run(Effect.flatMap(ConnectSessions, (sessions) => sessions.clearExpired))
    ])
    expect(view).toMatchObject({ page: "error", error: "expired" })
    expect(await read(session.id)).toMatchObject({ status: "EXPIRED", accountId: null, deviceIds: [] })
  })
})
