import { AccountRunner } from "@edp/server/accounts/AccountRunner"
import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { eventually } from "../../support/eventually.ts"
import { expectError } from "../../support/expectError.ts"
import { type TestWorkspace, useTestApp } from "../../support/TestApp.ts"

// Simulated accounts belong to no workspace.
const app = useTestApp({ own: true })
const path = "/dashboard/api/simulator"
const accounts = `${path}/accounts`
const allowed = ["MANAGEMENT"] as const

describeKeyChecks(app, [
  { method: "GET", path: accounts, allowed },
  { method: "GET", path: `${accounts}/sunny`, allowed },
  { method: "DELETE", path: `${accounts}/sunny`, allowed },
  { method: "POST", path: `${path}/town`, allowed },
  { method: "POST", path: `${accounts}/plan-required/homes`, allowed },
  { method: "DELETE", path: `${accounts}/sunny/homes/home`, allowed },
  { method: "POST", path: `${accounts}/sunny/faults`, allowed },
  { method: "DELETE", path: `${accounts}/sunny/faults`, allowed },
  { method: "POST", path: `${accounts}/sunny/clock`, allowed },
  { method: "POST", path: `${accounts}/sunny/key`, allowed }
])

const arrange = async () => {
  const place = await app.workspace()
  const manage = (method: string, to: string, body?: unknown) =>
    app.call(method, path + to, { key: place.keys.MANAGEMENT, ...(body !== undefined && { body }) })
  return { ...place, manage }
}

describe("GET /dashboard/api/simulator/accounts", () => {
  test("200 lists the test accounts by the page, without states", async () => {
    const { manage } = await arrange()
    const { body, status } = await manage("GET", "/accounts?perPage=2&page=1")
    expect(status).toBe(200)
    expect(body).toMatchObject({ page: 1, perPage: 2, totalItems: expect.any(Number) })
    expect(body.data.map(({ id }: any) => id)).toEqual(["sunny", "second"])
    expect(body.data[0].sites[0].devices).toHaveLength(7)
    expect(body.data[0].sites[0].devices[0]).not.toHaveProperty("state")
  })
})

describe("GET /dashboard/api/simulator/accounts/:id", () => {
  test("200 has the states of the devices", async () => {
    const { manage } = await arrange()
    const { body, status } = await manage("GET", "/accounts/sunny")
    expect(status).toBe(200)
    expect(body.clock).toMatchObject({ speed: 1, behind: 0 })
    for (const device of body.sites[0].devices) expect(device.state).toBeTypeOf("object")
  })

  test("404 NOT_FOUND for an unknown account, on each endpoint", async () => {
    const { manage } = await arrange()
    expectError(await manage("GET", "/accounts/nobody"), 404, "NOT_FOUND")
    expectError(await manage("DELETE", "/accounts/nobody"), 404, "NOT_FOUND")
    expectError(await manage("POST", "/accounts/nobody/homes", {}), 404, "NOT_FOUND")
    expectError(await manage("DELETE", "/accounts/nobody/homes/home"), 404, "NOT_FOUND")
    expectError(await manage("POST", "/accounts/nobody/faults", { kind: "slow" }), 404, "NOT_FOUND")
    expectError(await manage("DELETE", "/accounts/nobody/faults"), 404, "NOT_FOUND")
    expectError(await manage("POST", "/accounts/nobody/clock", { speed: 1 }), 404, "NOT_FOUND")
    expectError(await manage("POST", "/accounts/nobody/key", {}), 404, "NOT_FOUND")
  })
})

describe("POST /dashboard/api/simulator/town", () => {
  test("200 adds the missing homes, and nothing when it is repeated", async () => {
    const { manage } = await arrange()
    const grown = await manage("POST", "/town", { homes: 2, seed: 9 })
    expect(grown.body).toEqual({ accountIds: ["town-9-1", "town-9-2"] })
    const before = (await manage("GET", "/accounts/town-9-1")).body
    expect((await manage("POST", "/town", { homes: 2, seed: 9 })).body).toEqual(grown.body)
    expect((await manage("GET", "/accounts/town-9-1")).body.sites[0].id).toBe(before.sites[0].id)
    expect((await manage("DELETE", "/accounts/town-9-1")).status).toBe(204)
    expectError(await manage("GET", "/accounts/town-9-1"), 404, "NOT_FOUND")
  })

  test("400 VALIDATION_ERROR for too many homes", async () => {
    const { manage } = await arrange()
    expectError(await manage("POST", "/town", { homes: 2001 }), 400, "VALIDATION_ERROR", { homes: expect.any(String) })
  })
})

describe("faults, clocks and keys", () => {
  test("200 shows the fault until it is cleared", async () => {
    const { manage } = await arrange()
    const fault = { kind: "wrong_units", deviceId: "sim-second-battery", fields: ["charge"], factor: 0.001 }
    const { body, status } = await manage("POST", "/accounts/second/faults", fault)
    expect(status).toBe(200)
    expect(body.faults).toMatchObject([{ ...fault, until: null }])
    const cleared = await manage("DELETE", "/accounts/second/faults?deviceId=sim-second-battery&kind=wrong_units")
    expect(cleared.body.faults).toEqual([])
  })

  test("400 VALIDATION_ERROR names the field", async () => {
    const { manage } = await arrange()
    const problem = (field: string) => ({ [field]: expect.any(String) })
    expectError(
      await manage("POST", "/accounts/second/faults", { kind: "rain" }),
      400,
      "VALIDATION_ERROR",
      problem("kind")
    )
    expectError(
      await manage("POST", "/accounts/second/faults", { kind: "offline", from: "soon" }),
      400,
      "VALIDATION_ERROR",
      problem("from")
    )
    expectError(
      await manage("POST", "/accounts/second/clock", { speed: -1 }),
      400,
      "VALIDATION_ERROR",
      problem("speed")
    )
    expectError(await manage("POST", "/accounts/second/key", {}), 400, "VALIDATION_ERROR", problem("deviceId"))
  })

  test("200 sets a clock back, and it catches up", async () => {
    const { manage } = await arrange()
    const { body } = await manage("POST", "/accounts/second/clock", { behind: 3600, speed: 0 })
    expect(body.clock).toMatchObject({ speed: 0, behind: 3600 })
    expect((await manage("POST", "/accounts/second/clock", { advance: 7200, speed: 1 })).body.clock).toMatchObject({
      speed: 1,
      behind: 0
    })
  })

  test("200 adds a home to an account and takes it away", async () => {
    const { manage } = await arrange()
    const { body } = await manage("POST", "/accounts/terms/homes", {})
    expect(body.sites).toHaveLength(2)
    const removed = await manage("DELETE", `/accounts/terms/homes/${body.sites[1].id}`)
    expect(removed.body.sites).toHaveLength(1)
  })
})

/** Goes where a person's browser would go: to the sign-in page, and back with the decision. */
const signIn = async (url: string, account: string, decision = "approve") => {
  const page = await fetch(url.replace("http://127.0.0.1:3000", app.url))
  expect(page.status).toBe(200)
  const form = new URLSearchParams([...new URL(url).searchParams, ["account", account], ["decision", decision]])
  const decided = await fetch(new URL("/adapters/simulator/oauth/authorize", app.url), {
    method: "POST",
    body: form,
    redirect: "manual"
  })
  expect(decided.status).toBe(303)
  const callback = decided.headers.get("location")!.replace("http://127.0.0.1:3000", app.url)
  await fetch(callback, { redirect: "manual" })
}

let count = 0

/** Links an account of the simulator in headless mode. Returns the session. */
const connect = async ({ keys }: TestWorkspace, account: string, decision?: string) => {
  const referenceId = `owner-${++count}`
  const created = await app.call("POST", "/v1/connections", {
    key: keys.SERVER,
    body: {
      mode: "headless",
      referenceId,
      redirectUrl: "https://example.com/connected",
      manufacturerFilters: { manufacturers: ["simulator"] },
      customerInfo: {
        firstName: "Ada",
        lastName: "Lovelace",
        email: `ada${count}@example.com`,
        location: { streetOne: `${count} Acacia Lane`, city: "Davis", state: "CA", postalCode: "95616", country: "USA" }
      }
    }
  })
  expect(created.status, created.text).toBe(201)
  await signIn(created.body.url, account, decision)
  return (await app.call("GET", `/v1/connections/${created.body.id}`, { key: keys.SERVER })).body
}

describe("a connection", () => {
  test("imports the home of the account sunny, and reads it", async () => {
    const workspace = await app.workspace()
    const session = await connect(workspace, "sunny")
    expect(session).toMatchObject({ status: "SUCCESS", manufacturer: "simulator" })
    expect(session.deviceIds).toHaveLength(7)
    await app.run(Effect.flatMap(AccountRunner, ({ step }) => step))
    const devices: ReadonlyArray<any> = await eventually("every device has a state", async () => {
      const { body } = await app.call("GET", "/v1/devices?perPage=100", { key: workspace.keys.SERVER })
      return body.data.every(({ state }: any) => state !== null) ? body.data : undefined
    })
    expect(devices.map(({ type }: any) => type).toSorted()).toEqual([
      "battery",
      "charger",
      "inverter",
      "meter",
      "thermostat",
      "vehicle",
      "water_heater"
    ])
    const battery = devices.find(({ type }: any) => type === "battery")
    expect(battery).toMatchObject({ model: "Simulated battery", onlineStatus: "online", manufacturer: "simulator" })
    expect(battery.availableCommands).toHaveLength(2)
  })

  test.each([
    ["denies", "access_denied"],
    ["no-devices", "no_devices"],
    ["incompatible", "device_incompatible"],
    ["unavailable", "manufacturer_unavailable"],
    ["misconfigured", "configuration_error"],
    ["garbled", "server_error"],
    ["code-refused", "access_denied"]
  ])("with the account %s ends in %s", async (account, code) => {
    const { lastError, status } = await connect(await app.workspace(), account)
    expect([status, lastError?.code]).toEqual(["ERROR", code])
  })

  test("that the owner denies or lets fail ends in its error", async () => {
    const workspace = await app.workspace()
    expect((await connect(workspace, "sunny", "deny")).lastError.code).toBe("access_denied")
    expect((await connect(workspace, "sunny", "fail")).lastError.code).toBe("manufacturer_unavailable")
  })

  test("is a duplicate if its account is linked", async () => {
    const workspace = await app.workspace()
    expect((await connect(workspace, "second")).status).toBe("SUCCESS")
    expect(await connect(workspace, "second")).toMatchObject({
      status: "DUPLICATE_CONNECTION",
      lastError: { code: "duplicate_connection" }
    })
  })
})
