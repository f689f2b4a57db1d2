import { ConnectFlow } from "@edp/server/connections/flow/ConnectFlow"
import type { Visitor } from "@edp/server/platform/pages/visitors"
import { Effect } from "effect"
import { beforeEach, describe, expect, test } from "vitest"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeConnections, inBrowser, leaves, newPerson, redirectUrl, visitor } from "../arrangeConnections.ts"
import { FakeManufacturer } from "../../../support/peers/fakeManufacturer.ts"
import { atOnce } from "../../../support/races.ts"

const maker = new FakeManufacturer()
const app = useTestApp({ adapters: maker.adapters })
const arrange = () => arrangeConnections(app, maker)

beforeEach(() => {
  maker.failing = {}
  maker.beforeExchange = async () => {}
})

const browserless: Visitor = { language: null, languages: null, cookie: null }
const other = inBrowser("another-browser")
const readToken = (url: string) => new URL(url).searchParams.get("service_scoped_token")

const callback = (parameters: Readonly<Record<string, string>>, who: Visitor = browserless) =>
  app.run(Effect.flatMap(ConnectFlow, (flow) => flow.callback(who, parameters)))

/** Shows that a return has led nowhere, and that its page says nothing. */
const expectNothing = (result: unknown, secrets: ReadonlyArray<string>) => {
  expect(result).toMatchObject({ kind: "view", view: { page: "returned" } })
  for (const secret of ["service_scoped_token", "scoped_", redirectUrl, ...secrets]) {
    expect(JSON.stringify(result)).not.toContain(secret)
  }
}

const everyReturn = (parameters: Readonly<Record<string, string>>) => [
  parameters,
  { state: parameters.state! },
  { ...parameters, code: "another-code" },
  { state: parameters.state!, code: "" },
  { state: parameters.state!, error: "access_denied" }
]

describe("the key of a standard session", () => {
  test("goes to the browser that began, once", async () => {
    const { connect } = await arrange()
    const session = await connect({ redirectUrl })
    expect(readToken(await leaves(session.result))).toMatch(/^scoped_/)
    // The last page leads back to the caller, without the key.
    expect(await session.open()).toMatchObject({ page: "done", canReturn: true })
    expect(await leaves(session.leave())).toBe(`${redirectUrl}&connect_session_id=${session.id}`)
  })

  test("is on no page, and goes with the button of the last one", async () => {
    const { connect, read, toManufacturer } = await arrange()
    const first = await connect({ redirectUrl })
    const { id } = first.detail
    const again = await toManufacturer({ reconnect: id, customerInfo: undefined, redirectUrl })
    // The person comes back in another browser, and the page that began shows the end.
    expectNothing(await again.callback(maker.approve(again.authorizationUrl, first.account), browserless), [
      again.token
    ])
    expect((await read(again.id)).status).toBe("SUCCESS")
    expect(JSON.stringify(await again.open())).not.toContain("scoped_")
    expect(await again.open()).toMatchObject({ page: "done", canReturn: true })
    expect(readToken(await leaves(again.as(other).leave()))).toBeNull()
    expect(readToken(await leaves(again.leave()))).toMatch(/^scoped_/)
    expect(readToken(await leaves(again.leave()))).toBeNull()
  })

  test("goes to nobody else who has the link, also where that visitor finishes the session", async () => {
    const { read, toManufacturer } = await arrange()
    const session = await toManufacturer({ redirectUrl })
    await session.callback(maker.approve(session.authorizationUrl, maker.account("a")))
    const second = session.as(other)
    const system = await second.open()
    if (system.page !== "system") throw new Error(system.page)
    const ids = system.devices.map(({ manufacturerDeviceId }) => manufacturerDeviceId)
    const end = await leaves(second.chooseDevices(ids, system.address!.values))
    expect(end).toBe(`${redirectUrl}&connect_session_id=${session.id}`)
    expect((await read(session.id)).status).toBe("SUCCESS")
    expect(readToken(await leaves(session.as(browserless).leave()))).toBeNull()
    expect(readToken(await leaves(session.leave()))).toMatch(/^scoped_/)
  })

  test("goes to the browser that sent the form of a local device", async () => {
    const { open } = await arrange()
    const session = await open({
      redirectUrl,
      customerInfo: newPerson(),
      manufacturerFilters: { manufacturers: ["fakelocal"] }
    })
    await session.open()
    await session.consent()
    const view = await session.show(session.submitForm({ host: "inverter.local" }))
    const address = view.page === "system" ? view.address!.values : {}
    expect(readToken(await leaves(session.chooseDevices(["inverter.local"], address)))).toMatch(/^scoped_/)
  })
})

describe("a return to a standard session", () => {
  test("in another browser finishes the sign-in, shows nothing, and the page that began goes on", async () => {
    const { toManufacturer } = await arrange()
    const session = await toManufacturer({ redirectUrl })
    const account = maker.account("a")
    const person = session.session.referenceId
    const parameters = maker.approve(session.authorizationUrl, account)
    expectNothing(await callback(parameters), [session.token, session.id, account.externalId, person])
    expect(await session.open()).toMatchObject({ page: "system" })
  })

  test("that is repeated, or has neither code nor error, shows nothing in any browser", async () => {
    const { connect, toManufacturer } = await arrange()
    const open = await toManufacturer({ redirectUrl })
    const waiting = { state: new URL(open.authorizationUrl).searchParams.get("state")! }
    for (const who of [browserless, visitor]) {
      expectNothing(await callback(waiting, who), who === visitor ? [] : [open.token])
      expectNothing(await callback({ ...waiting, code: "" }, who), [])
    }
    // It took nothing from the person, who comes back later.
    const parameters = maker.approve(open.authorizationUrl, maker.account("a"))
    expect(await open.callback(parameters)).toMatchObject({ kind: "redirect", url: `/connect/${open.token}` })
    for (const each of everyReturn(parameters)) expectNothing(await callback(each), [open.token])
    const done = await connect({ redirectUrl })
    const state = new URL(done.authorizationUrl).searchParams.get("state")!
    for (const each of everyReturn({ state, code: "any" })) {
      expectNothing(await callback(each), [done.token, done.id])
      // The browser that began is offered its page.
      expect(await callback(each, visitor)).toMatchObject({ view: { continueUrl: `/connect/${done.token}` } })
    }
  })

  test("is refused in a browser that has opened another link, and one in a browser that has opened this link finishes the session", async () => {
    const { open, toManufacturer } = await arrange()
    const session = await toManufacturer()
    const parameters = maker.approve(session.authorizationUrl, maker.account("a"))
    const elsewhere = await open({}, undefined, other)
    await elsewhere.open()
    expect(await session.callback(parameters, other)).toMatchObject({ view: { page: "unknown" } })
    expect((await session.open()).page).toBe("waiting")
    await session.as(other).open()
    expect(await session.callback(parameters, other)).toMatchObject({
      view: { page: "returned", continueUrl: `/connect/${session.token}` }
    })
    expect((await session.open()).page).toBe("system")
  })
})

describe("the key of a headless session", () => {
  const begin = async (key?: "CONNECT") => {
    const { call, create, headless, keys, must, read, workspaceId } = await arrange()
    if (key !== undefined) {
      const body = { connectRedirects: ["https://example.com"] }
      await must(200, "PATCH", `/v1/workspaces/${workspaceId}`, body, keys.MANAGEMENT)
    }
    const fields = headless({ customerInfo: newPerson(), referenceId: "user-1" })
    const session = await create(fields, key === undefined ? keys.SERVER : keys[key])
    return { call, keys, must, read, session }
  }

  test("goes to the return whose code was accepted, and to no other", async () => {
    const { read, session } = await begin()
    const parameters = maker.approve(session.url, maker.account("a"))
    for (const each of [{ state: parameters.state! }, { ...parameters, code: "" }])
      expectNothing(await callback(each), [])
    expect((await read(session.id)).status).toBe("PENDING")
    expect(readToken(await leaves(callback(parameters)))).toMatch(/^scoped_/)
    for (const each of everyReturn(parameters)) {
      expectNothing(await callback(each), [session.id])
      expectNothing(await callback(each, other), [session.id])
    }
  })

  test("goes to one of several returns at once", async () => {
    const { session } = await begin()
    const parameters = maker.approve(session.url, maker.account("a"))
    const results = await atOnce(5, () => callback(parameters))
    expect(results.filter(({ kind }) => kind === "redirect")).toHaveLength(1)
    for (const result of results.filter(({ kind }) => kind === "view")) expectNothing(result, [session.id])
  })

  test("covers what its session connected alone, if a CONNECT key made it", async () => {
    const { keys, must, read, session } = await begin("CONNECT")
    // The reference has devices of another manufacturer.
    await must(
      200,
      "POST",
      "/v1/devices",
      { manufacturerDeviceId: "charger-1", manufacturer: "generic", type: "charger", referenceId: "user-1" },
      keys.MANUFACTURER
    ).catch(() => undefined)
    const key = readToken(await leaves(callback(maker.approve(session.url, maker.account("a")))))!
    const { deviceIds } = await read(session.id)
    const seen = (await app.call("GET", "/v1/devices", { key })).body.data.map(({ id }: { id: string }) => id)
    expect(seen).toEqual(deviceIds)
    const all = (await must(200, "GET", "/v1/devices?referenceId=user-1")).data
    for (const { id } of all.filter(({ id }: { id: string }) => !deviceIds.includes(id))) {
      const body = { type: "charger:set-operating-mode", input: { operatingMode: "stop-charging" } }
      expect((await app.call("POST", `/v1/devices/${id}/commands`, { key, body })).status).toBe(403)
    }
  })
})
