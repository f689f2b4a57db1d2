import { beforeEach, describe, expect, test } from "vitest"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeConnections, leaves, newPerson, redirectUrl } from "../arrangeConnections.ts"
import { type FakeAccount, FakeManufacturer } from "../../../support/peers/fakeManufacturer.ts"

const maker = new FakeManufacturer()
const app = useTestApp({ adapters: maker.adapters })
const arrange = () => arrangeConnections(app, maker)
const empty: FakeAccount = { externalId: "empty", devices: [] }

beforeEach(() => {
  maker.failing = {}
})

describe("a failed attempt", () => {
  test.each([
    ["access_denied", "access_denied"],
    ["login_required", "access_denied"],
    ["temporarily_unavailable", "manufacturer_unavailable"],
    ["server_error", "manufacturer_unavailable"],
    ["invalid_scope", "configuration_error"],
    ["unauthorized_client", "configuration_error"],
    ["something_of_their_own", "server_error"],
    ["constructor", "server_error"]
  ])("with the callback's error %s is %s", async (error, expected) => {
    const { read, toManufacturer } = await arrange()
    const session = await toManufacturer({ redirectUrl })
    const view = await session.show(session.callback(maker.deny(session.authorizationUrl, error)))
    const returnUrl = `${redirectUrl}&error=${expected}&connect_session_id=${session.id}`
    expect(view).toMatchObject({ page: "error", error: expected, canRetry: true, returnUrl })
    expect(await read(session.id)).toMatchObject({ status: "ERROR", lastError: { code: expected } })
  })

  test.each([
    ["exchange", "refused", "access_denied"],
    ["exchange", "vendor_fault", "manufacturer_unavailable"],
    ["exchange", "contract", "server_error"],
    ["exchange", "misconfigured", "configuration_error"],
    ["discover", "unreachable", "manufacturer_unavailable"],
    ["discover", "scope_missing", "access_denied"]
  ] as const)("at %s with %s is %s, and the next attempt succeeds", async (call, failure, expected) => {
    const { read, toManufacturer } = await arrange()
    const session = await toManufacturer()
    const account = maker.account("a")
    maker.failing = { [call]: failure }
    expect(await session.show(session.callback(maker.approve(session.authorizationUrl, account)))).toMatchObject({
      page: "error",
      error: expected,
      canRetry: true
    })
    maker.failing = {}
    const again = await session.retry()
    const system =
      again.kind === "redirect" && again.external
        ? session.show(session.callback(maker.approve(again.url, account)))
        : session.show(again)
    expect(await system).toMatchObject({ page: "system", devices: [{}] })
    const { lastError, status, transitions } = await read(session.id)
    expect(status).toBe("ENTERING_SYSTEM_INFO")
    expect(lastError.code).toBe(expected)
    expect(transitions.map((each: { status: string }) => each.status).slice(-4)).toEqual([
      "AUTHORIZING_MANUFACTURER",
      "ERROR",
      "AUTHORIZING_MANUFACTURER",
      "ENTERING_SYSTEM_INFO"
    ])
  })

  test("leaves no permission behind where the attempt is over", async () => {
    const { toManufacturer } = await arrange()
    const attempt = async (account: FakeAccount) => {
      const session = await toManufacturer()
      return session.show(session.callback(maker.approve(session.authorizationUrl, account)))
    }
    expect(await attempt(empty)).toMatchObject({ error: "no_devices" })
    const old = { externalId: "old", devices: [{ manufacturerDeviceId: "old-1", incompatible: "Too old" }] }
    expect(await attempt(old)).toMatchObject({ error: "device_incompatible" })
    for (const externalId of ["empty", "old"]) expect(maker.revoked).toContain(externalId)
    const rows = await app.sql((sql) => sql`SELECT id FROM accounts WHERE external_id IN ('empty', 'old')`)
    expect(rows).toEqual([])
  })

  test("emits CONNECTION_FAILED once, however often the same callback comes", async () => {
    const { events, toManufacturer } = await arrange()
    const session = await toManufacturer()
    const denied = maker.deny(session.authorizationUrl)
    expect(await session.show(session.callback(denied))).toMatchObject({ error: "access_denied" })
    for (let time = 0; time < 2; time++) {
      expect(await session.callback(denied)).toMatchObject({ view: { page: "returned" } })
    }
    expect(await events("CONNECTION_FAILED")).toMatchObject([
      {
        data: {
          session: { id: session.id, status: "ERROR", manufacturer: "fakecloud" },
          account: null,
          error: { code: "access_denied", message: expect.stringMatching(/./) }
        }
      }
    ])
  })

  test("can be mended on the manufacturer's page that is still open", async () => {
    const { toManufacturer } = await arrange()
    const session = await toManufacturer()
    await session.callback(maker.deny(session.authorizationUrl))
    const account = maker.account("a")
    expect((await session.show(session.callback(maker.approve(session.authorizationUrl, account)))).page).toBe("system")
  })

  test("may lead to another manufacturer", async () => {
    const { open } = await arrange()
    const session = await open({ customerInfo: newPerson() })
    await session.open()
    await session.choose("fakecloud")
    await session.callback(maker.deny(await leaves(session.consent())))
    expect((await session.show(session.chooseAnother())).page).toBe("manufacturers")
    expect((await session.show(session.choose("fakelocal"))).page).toBe("consent")
  })
})

describe("a person who does not want to", () => {
  test("refuses consent, returns with consent_refused, and may think again", async () => {
    const { open, read } = await arrange()
    const session = await open({
      redirectUrl,
      customerInfo: newPerson(),
      manufacturerFilters: { manufacturers: ["fakecloud"] }
    })
    await session.open()
    const left = new URL(await leaves(session.consent(false)))
    expect(Object.fromEntries(left.searchParams)).toEqual({
      plan: "flex",
      error: "consent_refused",
      connect_session_id: session.id
    })
    expect(await read(session.id)).toMatchObject({ status: "ERROR", consent: null })
    expect(await session.open()).toMatchObject({ page: "error", error: "consent_refused", canRetry: true })
    expect((await session.show(session.retry())).page).toBe("consent")
    expect(await leaves(session.consent())).toMatch(/^https:\/\/fakecloud\.example\/authorize/)
  })

  test("gives up, and returns with access_denied", async () => {
    const { open, read } = await arrange()
    const session = await open({ redirectUrl })
    await session.open()
    expect(new URL(await leaves(session.cancel())).searchParams.get("error")).toBe("access_denied")
    expect((await read(session.id)).status).toBe("ERROR")
    const without = await open()
    await without.open()
    expect(await without.show(without.cancel())).toMatchObject({
      page: "error",
      error: "access_denied",
      returnUrl: null
    })
  })

  test("gives up after the sign-in, and the permission ends", async () => {
    const { toManufacturer } = await arrange()
    const session = await toManufacturer({ redirectUrl })
    const account = maker.account("a")
    await session.callback(maker.approve(session.authorizationUrl, account))
    await session.cancel()
    expect(maker.revoked).toContain(account.externalId)
  })
})

describe("an account or a device that is connected already", () => {
  test("the same account under another reference is a duplicate after the sign-in, and stays connected", async () => {
    const { connect, must, read, toManufacturer } = await arrange()
    const { account, detail } = await connect({ referenceId: "user-1" })
    const session = await toManufacturer({ referenceId: "user-2" })
    expect(await session.show(session.callback(maker.approve(session.authorizationUrl, account)))).toMatchObject({
      page: "error",
      error: "duplicate_connection"
    })
    expect((await read(session.id)).status).toBe("DUPLICATE_CONNECTION")
    expect((await session.show(session.retry())).page).toBe("error")
    const device = await must(200, "GET", `/v1/devices/${detail.deviceIds[0]}`)
    expect(device).toMatchObject({ referenceId: "user-1", disconnectedAt: null })
    expect(maker.revoked).not.toContain(account.externalId)
  })

  test("a device that another account connects while the person chooses is left out", async () => {
    const { connect, read, toManufacturer } = await arrange()
    const session = await toManufacturer()
    const other = maker.account("a")
    const [contested] = other.devices
    const both = { externalId: "both", devices: [contested!, { manufacturerDeviceId: "both-own" }] }
    const system = await session.show(session.callback(maker.approve(session.authorizationUrl, both)))
    const address = system.page === "system" ? system.address!.values : {}
    await connect({}, other)
    expect(await session.show(session.chooseDevices([contested!.manufacturerDeviceId], address))).toMatchObject({
      page: "system",
      problem: "select_one",
      devices: [{ isTaken: true }, { isTaken: false }]
    })
    expect((await read(session.id)).customerId).toBeNull()
    const all = [contested!.manufacturerDeviceId, "both-own"]
    expect((await session.show(session.chooseDevices(all, address))).page).toBe("done")
    expect((await read(session.id)).deviceIds).toHaveLength(1)
  })
})
