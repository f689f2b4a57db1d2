import { generateKeyPairSync } from "node:crypto"
import { readingSchemas } from "@edp/domain/devices/DeviceState"
import { staticStateSchemas } from "@edp/domain/devices/StaticState"
import type { Account, DiscoveredDevice, LinkedDevice } from "@edp/adapter-kit/Account"
import { AdapterError, isTransient } from "@edp/adapter-kit/AdapterError"
import type { AdapterInstance, CommandRequest } from "@edp/adapter-kit/ManufacturerAdapter"
import type { TeslaCredentials } from "@edp/adapter-tesla/signIn"
import { teslaAdapter } from "@edp/adapter-tesla/teslaAdapter"
import { Clock, Deferred, Duration, Effect, Exit, Fiber, Redacted, Schema, Scope } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { memoryRecords, testAccount, testHost } from "@edp/adapter-kit/testing/TestHost"
import { TeslaServer } from "../../support/peers/TeslaServer.ts"
import { UserAgent } from "../../support/UserAgent.ts"

const SITE = "2251799813"
const VIN = "5YJ3E1EA7KF000001"
const battery = { id: "d1", manufacturerDeviceId: `${SITE}:battery`, type: "battery" } as const
const solar = { id: "d2", manufacturerDeviceId: `${SITE}:solar`, type: "inverter" } as const
const connector = { id: "d3", manufacturerDeviceId: `${SITE}:wall-connector:TWC-1`, type: "charger" } as const
const car = { id: "d4", manufacturerDeviceId: VIN, type: "vehicle" } as const
const everything: ReadonlyArray<LinkedDevice> = [battery, solar, connector, car]

const tesla = new TeslaServer()
beforeAll(() => tesla.start())
afterAll(() => tesla.stop())

/** The clock of the adapter: sleeping moves it, so that no test waits. */
let now = Date.parse("2026-03-01T12:00:00Z")
const nanoseconds = () => BigInt(now) * 1_000_000n
const clock: Clock.Clock = {
  currentTimeMillisUnsafe: () => now,
  currentTimeMillis: Effect.sync(() => now),
  currentTimeNanosUnsafe: nanoseconds,
  currentTimeNanos: Effect.sync(nanoseconds),
  monotonicTimeNanosUnsafe: nanoseconds,
  monotonicTimeNanos: Effect.sync(nanoseconds),
  sleep: (duration) => Effect.sync(() => void (now += Duration.toMillis(duration)))
}
const minutes = (count: number) => void (now += count * 60_000)

const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(Effect.provideService(effect, Clock.Clock, clock))
const failure = <A, E>(effect: Effect.Effect<A, E>) => run(Effect.flip(effect))

type Instance = AdapterInstance<TeslaCredentials>
const decodeSettings = Schema.decodeUnknownSync(teslaAdapter.settings)
let records = memoryRecords().records

const start = (changes: Readonly<Record<string, string | undefined>> = {}): Promise<Instance> => {
  const { host } = testHost({ publicUrl: "https://energy.example.com", records })
  const given = Object.entries({ ...tesla.settings(), ...changes }).filter(([, value]) => value !== undefined)
  return run(
    Effect.provideService(
      teslaAdapter.create(decodeSettings(Object.fromEntries(given)), host),
      Scope.Scope,
      Effect.runSync(Scope.make())
    )
  )
}

let adapter: Instance
beforeEach(async () => {
  tesla.reset()
  records = memoryRecords().records
  now = Date.parse("2026-03-01T12:00:00Z")
  adapter = await start()
})

const redirectUri = "http://127.0.0.1:9/oauth/callback"
const codeVerifier = Redacted.make("v".repeat(64))

const linked = async (instance = adapter): Promise<Account<TeslaCredentials>> => {
  const { authorization } = instance
  if (authorization.kind !== "oauth2") throw new Error("Tesla has OAuth")
  const url = await run(authorization.authorizationUrl({ state: "s", redirectUri, codeVerifier, language: "en" }))
  const page = await new UserAgent((one) => one.startsWith(redirectUri)).open(url)
  const parameters = Object.fromEntries(new URL(page.url).searchParams)
  const { credentials, externalId } = await run(authorization.exchange({ parameters, redirectUri, codeVerifier }))
  return testAccount(externalId, credentials)
}

const read = async (account: Account<TeslaCredentials>, devices = everything) => {
  const report = await run(adapter.readDevices!(account, devices))
  const next = report.memory === undefined ? account : { ...account, memory: JSON.parse(JSON.stringify(report.memory)) }
  const of = (id: string) => report.observations.find(({ manufacturerDeviceId }) => manufacturerDeviceId === id)
  return { report, next, of }
}

const request = (
  device: LinkedDevice,
  type: CommandRequest["type"],
  input: CommandRequest["input"],
  snapshot: { value: unknown } = { value: null }
): CommandRequest => ({
  id: "c1",
  device,
  type,
  input,
  revertAfter: null,
  state: null,
  snapshot: snapshot.value,
  takenSince: [],
  saveSnapshot: (value) => Effect.sync(() => void (snapshot.value = value))
})

const send = (account: Account<TeslaCredentials>, command: CommandRequest) =>
  run(adapter.sendCommand!(account, command))
const refusal = (account: Account<TeslaCredentials>, command: CommandRequest) =>
  failure(adapter.sendCommand!(account, command)) as Promise<AdapterError>
const info = () => tesla.sites.get(SITE)!.info
const writes = () => tesla.paths().filter((path) => path.startsWith("POST"))

describe("the sign-in", () => {
  test("asks for the audience of the region, for reading, charging and energy, and not for the doors", async () => {
    const { authorization } = adapter
    if (authorization.kind !== "oauth2") throw new Error("Tesla has OAuth")
    const url = new URL(
      await run(authorization.authorizationUrl({ state: "s", redirectUri, codeVerifier, language: "es" }))
    )
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      prompt_missing_scopes: "true",
      locale: "es-ES",
      code_challenge_method: "S256"
    })
    expect(url.searchParams.get("scope")?.split(" ")).not.toContain("vehicle_cmds")
    const account = await linked()
    expect(account.externalId).toBe("owner-1")
    expect(account.credentials.region).toBe("na")
    expect(Object.fromEntries(tesla.tokenCalls[0]!)).toMatchObject({ audience: tesla.url })
  })

  test("refreshes by single-use tokens; the use of an old one ends the grant", async () => {
    const account = await linked()
    const { credentials, expiresAt } = await run(adapter.refresh!(account))
    expect(expiresAt).toBe(now + 28_800_000)
    expect(credentials.region).toBe("na")
    expect(await failure(adapter.refresh!(account))).toMatchObject({
      failure: "grant_lost",
      upstream: { statusCode: 401, errorCode: "login_required" }
    })
    expect(await failure(adapter.refresh!({ ...account, credentials }))).toMatchObject({ failure: "grant_lost" })
  })

  test("is revoked", async () => {
    const account = await linked()
    await run(adapter.revoke!(account))
    expect(await failure(adapter.refresh!(account))).toMatchObject({ failure: "grant_lost" })
  })

  test("distinguishes an access token that ended early from a lost grant", async () => {
    const account = await linked()
    tesla.expireAccessTokens()
    const failed = (await failure(adapter.readDevices!(account, everything))) as AdapterError
    expect(failed).toMatchObject({ failure: "token_refused", intervention: null })
    const { credentials } = await run(adapter.refresh!(account))
    await run(adapter.readDevices!({ ...account, credentials }, everything))
  })

  test.each([
    [{ region: "us" }],
    [{ baseUrl: "tesla.example.com" }],
    [{ commandBaseUrl: "https://user:secret@proxy.example.com" }],
    [{ keyDomain: "https://energy.example.com" }],
    [{ publicKey: "-----BEGIN PUBLIC KEY-----\nnothing\n-----END PUBLIC KEY-----" }],
    [{ clientSecret: "" }]
  ])("refuses the settings %j", (changes) => {
    expect(() => decodeSettings({ ...tesla.settings(), ...changes })).toThrow()
  })
})

describe("discovery", () => {
  test("finds vehicles and the parts of energy sites, with their ratings and commands", async () => {
    const account = await linked()
    const found = await run(adapter.discoverDevices!(account))
    const brief = ({ commands, incompatible, manufacturerDeviceId, model, modelYear, type }: DiscoveredDevice) => [
      manufacturerDeviceId,
      type,
      model,
      modelYear,
      commands.length,
      incompatible
    ]
    expect(found.map(brief)).toEqual([
      [VIN, "vehicle", "Model 3", 2019, 3, null],
      [`${SITE}:battery`, "battery", "Powerwall 2", null, 2, null],
      [`${SITE}:solar`, "inverter", "Tesla solar system", null, 0, null],
      [`${SITE}:wall-connector:TWC-1`, "charger", "Gen 3 Wall Connector", null, 0, null]
    ])
    expect(found[1]!.staticState).toEqual({
      capacity: 27_000,
      maxChargeRate: 10_000,
      maxDischargeRate: 10_800,
      numberOfBatteries: 2
    })
    expect(found[0]!.staticState).toEqual({ keyPaired: true })
    for (const { staticState, type } of found)
      expect(staticState === null || Schema.is(staticStateSchemas[type])(staticState)).toBe(true)
    expect(await run(adapter.discoverDevices!(account))).toEqual(found)
    expect(tesla.paths()).not.toContain(`GET /api/1/vehicles/${VIN}/vehicle_data`)
  })

  test("asks for nothing that the owner has not allowed", async () => {
    tesla.grantedScopes = "openid offline_access energy_device_data"
    const account = await linked()
    const found = await run(adapter.discoverDevices!(account))
    expect(found.map(({ incompatible }) => incompatible === null)).toEqual([false, true, true, true])
    expect(found.flatMap(({ commands }) => commands)).toEqual([])
    tesla.grantedScopes = "openid offline_access"
    const nothing = await linked()
    tesla.calls.length = 0
    expect(await failure(adapter.discoverDevices!(nothing))).toMatchObject({ failure: "scope_missing" })
    expect(tesla.calls).toEqual([])
  })

  test("gives a vehicle that needs signed commands none without a signing proxy", async () => {
    const unsigned = await start({ commandBaseUrl: undefined })
    const [found] = await run(unsigned.discoverDevices!(await linked(unsigned)))
    expect(found!.commands).toEqual(["vehicle:check-pairing-status"])
  })
})

describe("readings", () => {
  test("have the contract's fields, units and signs", async () => {
    const { of, report } = await read(await linked())
    expect(of(battery.manufacturerDeviceId)).toMatchObject({
      state: {
        chargingState: "discharging",
        chargePercentage: 62.5,
        charge: 16_875,
        chargeRate: 2100,
        gridPower: -280,
        loadPower: 3220,
        backupReserve: 20,
        strategy: "time_of_use"
      },
      staticState: { capacity: 27_000 },
      interventions: []
    })
    expect(of(solar.manufacturerDeviceId)!.state).toMatchObject({ power: 1400 })
    expect(of(connector.manufacturerDeviceId)!.state).toMatchObject({ chargingState: "charging", chargerWattage: 7100 })
    expect(of(VIN)).toMatchObject({
      state: { chargePercentage: 61, charge: 45_500, chargeLimit: 80 },
      coordinates: { latitude: 37.4949, longitude: -121.944 },
      asleep: false
    })
    for (const device of everything) {
      const { state } = of(device.manufacturerDeviceId)!
      expect(Schema.is(readingSchemas[device.type])(state), device.type).toBe(true)
    }
    expect(report.activity).toBe("normal")
    expect(JSON.stringify(report.memory)).not.toContain("37.49")
  })

  test("take one call a minute for a site; settings, energies and vehicles have paces of their own", async () => {
    let { next } = await read(await linked())
    tesla.calls.length = 0
    for (let minute = 1; minute < 9; minute += 1) {
      minutes(1)
      next = (await read(next)).next
    }
    expect(new Set(tesla.paths())).toEqual(new Set([`GET /api/1/energy_sites/${SITE}/live_status`]))
    expect(tesla.calls).toHaveLength(8)
    minutes(1)
    next = (await read(next)).next
    expect(tesla.paths()).toContain(`GET /api/1/vehicles/${VIN}/vehicle_data`)
    minutes(6)
    await read(next)
    expect(tesla.paths().slice(-3).toSorted()).toEqual([
      `GET /api/1/energy_sites/${SITE}/calendar_history`,
      `GET /api/1/energy_sites/${SITE}/live_status`,
      `GET /api/1/energy_sites/${SITE}/site_info`
    ])
  })

  test("never wake a vehicle, and never ask a sleeping one for data", async () => {
    tesla.vehicles.get(VIN)!.state = "asleep"
    tesla.vehicles.get(VIN)!.looksUntilAwake = Number.POSITIVE_INFINITY
    const first = await read(await linked(), [car])
    expect(first.of(VIN)).toMatchObject({ state: null, asleep: true })
    expect(first.report.activity).toBe("asleep")
    minutes(10)
    await read(first.next, [car])
    const asked = new Set(tesla.paths())
    expect(asked).toEqual(new Set([`GET /api/1/vehicles/${VIN}`, "POST /api/1/vehicles/fleet_status"]))
    tesla.vehicles.get(VIN)!.state = "offline"
    minutes(10)
    expect((await read(first.next, [car])).of(VIN)).toMatchObject({ state: null, asleep: false })
  })

  test("have each interval's energy once, also after an outage", async () => {
    const at = (minute: number) => new Date(Date.parse("2026-03-01T12:00:00Z") + minute * 60_000).toISOString()
    const interval = (minute: number, solarWh: number) => ({
      timestamp: at(minute),
      total_solar_generation: solarWh,
      total_battery_charge: 10,
      grid_energy_imported: 0,
      total_grid_energy_exported: 5,
      total_home_usage: 50
    })
    const { history } = tesla.sites.get(SITE)!
    history.push(interval(-5, 1000), interval(0, 1))
    let { next, of } = await read(await linked())
    expect(of(solar.manufacturerDeviceId)!.state).not.toHaveProperty("generatedEnergy")
    const sums: Array<unknown> = []
    for (const minute of [15, 16, 30, 200]) {
      now = Date.parse(at(minute))
      for (let one = 5 * history.length - 10; one <= minute; one += 5) history.push(interval(one, 100))
      history.splice(0, history.length, ...new Map(history.map((one) => [one.timestamp, one])).values())
      ;({ next, of } = await read(next))
      sums.push((of(solar.manufacturerDeviceId)!.state as any).generatedEnergy)
    }
    const complete = history
      .filter(
        ({ timestamp }) =>
          timestamp >= at(0) &&
          timestamp <
            history
              .map((one: any) => one.timestamp)
              .toSorted()
              .at(-1)!
      )
      .reduce((sum, one) => sum + one.total_solar_generation, 0)
    expect(sums[1]).toBeUndefined()
    expect(sums.reduce((sum: number, one) => sum + ((one as number | undefined) ?? 0), 0)).toBe(complete)
  })

  test("leave out a site that fails, and fail when nothing could be read or the account is concerned", async () => {
    const account = await linked()
    tesla.respondOnce("live_status", { status: 503, body: {} })
    const { of } = await read(account)
    expect(of(battery.manufacturerDeviceId)).toBeUndefined()
    expect(of(VIN)!.state).not.toBeNull()
    tesla.respondOnce("live_status", { status: 503, body: {} })
    expect(await failure(adapter.readDevices!(account, [battery]))).toMatchObject({ failure: "vendor_fault" })
    tesla.respondOnce("live_status", {
      status: 429,
      body: "",
      headers: { "ratelimit-realtime-remaining": "0", "ratelimit-realtime-reset": "40" }
    })
    expect(await failure(adapter.readDevices!(account, everything))).toMatchObject({
      failure: "throttled",
      retryAt: now + 40_000,
      upstream: { statusCode: 429, requestId: "txid-1" }
    })
    tesla.respondOnce("live_status", { status: 200, body: { response: { battery_power: "much" } } })
    const failed = (await failure(adapter.readDevices!(account, [battery]))) as AdapterError
    expect(failed).toMatchObject({ failure: "contract" })
    expect(isTransient(failed)).toBe(false)
  })

  test("forget a memory of another form", async () => {
    const account = await linked()
    const { of } = await read({ ...account, memory: { sites: 7 } })
    expect(of(VIN)!.state).not.toBeNull()
  })

  test("name values that are not known, as long as they last", async () => {
    info()["default_real_mode"] = "turbo"
    tesla.vehicles.get(VIN)!.data["charge_state"].charging_state = "Humming"
    const first = await read(await linked())
    minutes(1)
    const second = await read(first.next)
    for (const { report } of [first, second])
      expect(report.observations.flatMap(({ problems }) => problems)).toEqual([
        "The operating mode turbo of a site is not known",
        "The charging state Humming of a vehicle is not known"
      ])
    expect(second.of(VIN)).toBeUndefined()
  })

  test("raise an alert while the site has no grid, and resolve it once", async () => {
    const { live } = tesla.sites.get(SITE)!
    live["island_status"] = "off_grid_unintentional"
    const first = await read(await linked())
    expect(first.report.alerts).toMatchObject([
      { type: "ISLANDING", externalId: `off-grid:${SITE}`, providerCode: "off_grid_unintentional", resolved: false }
    ])
    live["island_status"] = "on_grid"
    minutes(1)
    const second = await read(first.next)
    expect(second.report.alerts).toMatchObject([{ externalId: `off-grid:${SITE}`, resolved: true }])
    minutes(1)
    expect((await read(second.next)).report.alerts).toEqual([])
  })
})

describe("interventions", () => {
  const codes = async (account: Account<TeslaCredentials>, device: LinkedDevice) =>
    (await read(account, [device])).of(device.manufacturerDeviceId)?.interventions?.map(({ code }) => code)

  test("show what the owner has not allowed, without asking Tesla for it", async () => {
    tesla.grantedScopes = "openid offline_access vehicle_device_data"
    const account = await linked()
    expect(await codes(account, battery)).toEqual(["scope_missing"])
    expect(await codes(account, car)).toEqual(["scope_missing"])
    expect(tesla.paths().filter((path) => path.includes("energy_sites"))).toEqual([])
    expect((await read(account, [car])).of(VIN)).toMatchObject({
      commands: ["vehicle:check-pairing-status"],
      coordinates: null
    })
  })

  test("show a storm, terms, mobile access and an unpaired key, and vanish with them", async () => {
    const account = await linked()
    tesla.sites.get(SITE)!.live["storm_mode_active"] = true
    expect(await codes(account, battery)).toEqual(["storm_mode"])
    tesla.sites.get(SITE)!.live["storm_mode_active"] = false
    tesla.respondOnce("live_status", { status: 403, body: { error: "User must accept the terms of use" } })
    expect(await codes(account, battery)).toEqual(["terms_not_accepted"])
    expect(await codes(account, battery)).toEqual([])
    tesla.respondOnce("vehicle_data", { status: 401, body: { error: "mobile_access_disabled" } })
    expect(await codes(account, car)).toEqual(["local_access_disabled"])
    tesla.vehicles.get(VIN)!.isPaired = false
    const unpaired = await read(account, [car])
    expect(unpaired.of(VIN)).toMatchObject({
      staticState: { keyPaired: false },
      interventions: [{ code: "key_not_paired", actor: "owner" }]
    })
    expect(unpaired.of(VIN)!.interventions![0]!.steps[0]).toContain("https://tesla.com/_ak/energy.example.com")
    tesla.vehicles.get(VIN)!.isPaired = true
    minutes(15)
    expect(await codes(unpaired.next, car)).toEqual([])
  })

  test("show what a command has met, on every instance, until the vehicle is read again", async () => {
    const account = await linked()
    tesla.respondOnce("command/charge_start", { status: 401, body: { error: "mobile_access_disabled" } })
    const charging = request(car, "vehicle:set-operating-mode", { operatingMode: "start-charging" })
    expect(await refusal(account, charging)).toMatchObject({ intervention: "local_access_disabled" })
    adapter = await start()
    tesla.vehicles.get(VIN)!.state = "offline"
    expect(await codes(account, car)).toEqual(["local_access_disabled"])
    tesla.vehicles.get(VIN)!.state = "online"
    expect(await codes(account, car)).toEqual([])
  })

  test("show a key that only a command finds missing, until a command succeeds", async () => {
    const account = await linked()
    const charging = request(car, "vehicle:set-operating-mode", { operatingMode: "start-charging" })
    tesla.vehicles.get(VIN)!.needsSignature = false
    tesla.vehicles.get(VIN)!.data["vehicle_config"].car_type = "models"
    for (let time = 0; time < 4; time += 1) tesla.respondOnce("fleet_status", { status: 200, body: { response: {} } })
    tesla.respondOnce("command/charge_start", {
      status: 403,
      body: { error: "Tesla Vehicle Command Protocol required" }
    })
    expect(await refusal(account, charging)).toMatchObject({ failure: "pairing_required" })
    expect(await codes(account, car)).toEqual(["key_not_paired"])
    await send(account, charging)
    expect(await codes(account, car)).toEqual([])
  })

  test("are left to the operator when Tesla wants to be paid", async () => {
    const account = await linked()
    tesla.respondOnce("live_status", { status: 402, body: { error: "Payment required" } })
    expect(await failure(adapter.readDevices!(account, everything))).toMatchObject({
      failure: "plan_required",
      intervention: "plan_required",
      retryAt: now + 3_600_000
    })
  })
})

describe("commands of a battery", () => {
  const mode = (input: object, snapshot?: { value: unknown }) =>
    request(battery, "battery:set-operating-mode", input as CommandRequest["input"], snapshot)
  const grid = { operatingMode: "charge", maximumBatteryReserve: 90, enableGridInteraction: true }
  const original = {
    backup_reserve_percent: 20,
    default_real_mode: "autonomous",
    components: { disallow_charge_from_grid_with_solar_installed: true }
  }

  test("set the reserve, which the next reading confirms", async () => {
    const account = await linked()
    const { next } = await read(account)
    const command = request(battery, "battery:set-reserve", { chargePercentage: 35 })
    expect(await send(next, command)).toMatchObject({
      status: "accepted",
      upstream: { statusCode: 200, requestId: "txid-1" }
    })
    minutes(1)
    const { of } = await read(next)
    expect(adapter.confirms!(command, of(battery.manufacturerDeviceId)!, null)).toBe("met")
    expect(await send(next, command)).toMatchObject({ status: "completed", reason: "already_so", upstream: null })
  })

  test("are sent again while Tesla may still show what was before the last one", async () => {
    const account = await linked()
    const reserve = (chargePercentage: number) => request(battery, "battery:set-reserve", { chargePercentage })
    const old = { status: 200, body: { response: structuredClone(info()) } }
    await send(account, reserve(35))
    tesla.respondOnce("site_info", old)
    expect(await send(account, reserve(20))).toMatchObject({ status: "accepted", reason: null })
    expect(info()["backup_reserve_percent"]).toBe(20)
    minutes(1)
    expect(await send(account, reserve(20))).toMatchObject({ status: "completed", reason: "already_so" })
  })

  test("force no mode whose settings from before Tesla does not name", async () => {
    const account = await linked()
    delete info()["components"].customer_preferred_export_rule
    const discharge = { operatingMode: "discharge", minimumBatteryReserve: 10, enableGridInteraction: true }
    expect(await refusal(account, mode(discharge))).toMatchObject({
      failure: "refused",
      commandReason: "precondition_unmet"
    })
    expect(writes()).toEqual([])
    // It names no such rule where charging from the grid was never disallowed.
    delete info()["components"].disallow_charge_from_grid_with_solar_installed
    await send(account, mode(grid))
    expect(writes().map((path) => path.split("/").at(-1))).toEqual(["backup", "operation"])
  })

  test("force a mode and reset it to the settings from before", async () => {
    const account = await linked()
    const snapshot = { value: null as unknown }
    await send(account, mode(grid, snapshot))
    expect(info()).toMatchObject({
      backup_reserve_percent: 90,
      default_real_mode: "self_consumption",
      components: { disallow_charge_from_grid_with_solar_installed: false }
    })
    await send(account, mode({ operatingMode: "idle" }, snapshot))
    tesla.calls.length = 0
    expect(await send(account, mode({ operatingMode: "reset" }, snapshot))).toMatchObject({ status: "completed" })
    expect(info()).toMatchObject(original)
    expect(writes().map((path) => path.split("/").at(-1))).toEqual(["operation", "backup", "grid_import_export"])
    expect(await send(account, mode({ operatingMode: "reset" }, snapshot))).toMatchObject({ reason: "already_so" })
  })

  test.each([1, 2, 3])("go on after a crash at write %i, and restore the original settings", async (crash) => {
    const account = await linked()
    const snapshot = { value: null as unknown }
    const reached = Effect.runSync(Deferred.make<void>())
    let count = 0
    tesla.beforeResponse = async ({ method, path }) => {
      if (method === "POST" && path.includes("energy_sites") && (count += 1) === crash) {
        await Effect.runPromise(Deferred.succeed(reached, undefined))
        await new Promise(() => {})
      }
    }
    const running = Effect.runFork(
      Effect.provideService(adapter.sendCommand!(account, mode(grid, snapshot)), Clock.Clock, clock)
    )
    await Effect.runPromise(Deferred.await(reached))
    await Effect.runPromise(Fiber.interrupt(running))
    expect(Exit.isFailure(await Effect.runPromise(Fiber.await(running)))).toBe(true)
    expect(snapshot.value).toEqual({
      backupReserve: 20,
      mode: "autonomous",
      exportRule: "pv_only",
      chargeFromGridDisallowed: true
    })

    // The command again, after the crash.
    tesla.beforeResponse = () => Promise.resolve()
    tesla.calls.length = 0
    await send(account, mode(grid, snapshot))
    expect(writes()).toHaveLength(4 - crash)
    expect(info()).toMatchObject({ backup_reserve_percent: 90, default_real_mode: "self_consumption" })

    // The way back, with a crash in the middle, too.
    count = 0
    tesla.respondOnce("backup", { status: 503, body: {} })
    expect(
      await failure(adapter.restore!(account, { device: battery, snapshot: snapshot.value, takenSince: [] }))
    ).toMatchObject({ failure: "vendor_fault" })
    expect(
      await run(adapter.restore!(account, { device: battery, snapshot: snapshot.value, takenSince: [] }))
    ).toMatchObject({ status: "completed" })
    expect(info()).toMatchObject(original)
    expect(
      await run(adapter.restore!(account, { device: battery, snapshot: snapshot.value, takenSince: [] }))
    ).toMatchObject({ reason: "already_so" })
  })

  test("take back what was written when Tesla refuses the rest for good", async () => {
    const account = await linked()
    tesla.respondOnce("operation", { status: 422, body: { error: "invalid_resource", error_description: "no" } })
    expect(await refusal(account, mode(grid))).toMatchObject({
      failure: "refused",
      commandReason: "unsupported_value",
      upstream: { statusCode: 422, errorCode: "invalid_resource", errorMessage: "no" }
    })
    expect(info()).toMatchObject(original)
  })

  test("leave the writes for the next attempt when Tesla fails for a while", async () => {
    const account = await linked()
    tesla.respondOnce("operation", { status: 503, body: {} })
    const snapshot = { value: null as unknown }
    expect(isTransient(await refusal(account, mode(grid, snapshot)))).toBe(true)
    expect(info()).toMatchObject({ backup_reserve_percent: 90, default_real_mode: "autonomous" })
    tesla.calls.length = 0
    await send(account, mode(grid, snapshot))
    expect(writes().map((path) => path.split("/").at(-1))).toEqual(["operation"])
  })

  test("wait until Tesla shows restored settings, and fail for a while if it does not", async () => {
    const account = await linked()
    const stored = { backupReserve: 50, mode: "autonomous", exportRule: null, chargeFromGridDisallowed: null }
    const old = { status: 200, body: { response: structuredClone(info()) } }
    tesla.respondOnce("site_info", old, old)
    expect(await run(adapter.restore!(account, { device: battery, snapshot: stored, takenSince: [] }))).toMatchObject({
      status: "completed"
    })
    info()["backup_reserve_percent"] = 20
    tesla.respondOnce("site_info", old, old, old, old)
    expect(
      await failure(adapter.restore!(account, { device: battery, snapshot: stored, takenSince: [] }))
    ).toMatchObject({ failure: "vendor_fault" })
    expect(
      await failure(adapter.restore!(account, { device: battery, snapshot: { other: true }, takenSince: [] }))
    ).toMatchObject({ failure: "contract" })
  })

  test("send nothing during a storm", async () => {
    const account = await linked()
    tesla.sites.get(SITE)!.live["storm_mode_active"] = true
    expect(await refusal(account, mode(grid))).toMatchObject({
      commandReason: "precondition_storm_mode",
      intervention: "storm_mode",
      upstream: null
    })
    expect(writes()).toEqual([])
  })
})

describe("commands of a vehicle", () => {
  const charge = (operatingMode: string) => request(car, "vehicle:set-operating-mode", { operatingMode })
  const limit = (chargeLimit: number) => request(car, "vehicle:set-charge-limit", { chargeLimit })

  test("go to the signing proxy; reads do not", async () => {
    const account = await linked()
    expect(await send(account, charge("start-charging"))).toMatchObject({ status: "accepted" })
    expect(tesla.paths().filter((path) => path.includes("signed"))).toEqual([
      `POST signed /api/1/vehicles/${VIN}/command/charge_start`
    ])
    const { of } = await read(account, [car])
    expect(adapter.confirms!(charge("start-charging"), of(VIN)!, null)).toBe("met")
    expect(of(VIN)!.state).toMatchObject({ chargingState: "charging", chargerWattage: 7000 })
  })

  test("wake a sleeping vehicle and wait for it", async () => {
    tesla.vehicles.get(VIN)!.state = "asleep"
    tesla.vehicles.get(VIN)!.looksUntilAwake = Number.POSITIVE_INFINITY
    const account = await linked()
    await send(account, limit(70))
    expect(tesla.vehicles.get(VIN)!.data["charge_state"].charge_limit_soc).toBe(70)
    const paths = tesla.paths()
    expect(paths.indexOf(`POST /api/1/vehicles/${VIN}/wake_up`)).toBeLessThan(
      paths.indexOf(`POST signed /api/1/vehicles/${VIN}/command/set_charge_limit`)
    )
  })

  test("give up a vehicle that does not wake, without sending the command", async () => {
    const sleeper = tesla.vehicles.get(VIN)!
    sleeper.state = "asleep"
    Object.defineProperty(sleeper, "looksUntilAwake", { get: () => Number.POSITIVE_INFINITY, set: () => {} })
    const failed = await refusal(await linked(), limit(70))
    expect(failed).toMatchObject({ failure: "asleep", commandReason: "asleep" })
    expect(isTransient(failed)).toBe(true)
    expect(writes().join()).not.toContain("set_charge_limit")
  })

  test("go back to what was before a start or stop with an end, if the vehicle still can", async () => {
    const account = await linked()
    const snapshot = { value: null as unknown }
    const forced = { ...request(car, "vehicle:set-operating-mode", { operatingMode: "start-charging" }, snapshot) }
    expect(await send(account, { ...forced, revertAfter: 600 })).toMatchObject({ status: "accepted", reason: null })
    expect(snapshot.value).toEqual({ operatingMode: "stop-charging" })
    const restore = (stored: unknown = snapshot.value) =>
      run(adapter.restore!(account, { device: car, snapshot: stored, takenSince: [] }))
    expect(await restore()).toMatchObject({ status: "accepted", reason: null })
    expect(await restore()).toMatchObject({ status: "completed", reason: "already_so" })

    tesla.vehicles.get(VIN)!.data["charge_state"].charging_state = "Disconnected"
    expect(await restore({ operatingMode: "start-charging" })).toMatchObject({ reason: "already_so" })
    tesla.vehicles.get(VIN)!.state = "asleep"
    tesla.calls.length = 0
    expect(await restore()).toMatchObject({ reason: "already_so" })
    expect(writes().filter((path) => !path.endsWith("fleet_status"))).toEqual([])
    expect(
      await failure(adapter.restore!(account, { device: car, snapshot: { backupReserve: 20 }, takenSince: [] }))
    ).toMatchObject({ failure: "contract" })
    // A command without an end leaves nothing to restore.
    tesla.vehicles.get(VIN)!.state = "online"
    tesla.vehicles.get(VIN)!.data["charge_state"].charging_state = "Stopped"
    const free = { value: null as unknown }
    await send(account, request(car, "vehicle:set-operating-mode", { operatingMode: "start-charging" }, free))
    expect(free.value).toBeNull()
  })

  test("reach no vehicle that is offline", async () => {
    tesla.vehicles.get(VIN)!.state = "offline"
    expect(await refusal(await linked(), limit(70))).toMatchObject({ failure: "unreachable" })
  })

  test("are not sent without a paired key, and are once it is paired", async () => {
    const paired = tesla.vehicles.get(VIN)!
    paired.isPaired = false
    const { next } = await read(await linked(), [car])
    expect(await refusal(next, limit(70))).toMatchObject({
      failure: "pairing_required",
      commandReason: "pairing_required",
      intervention: "key_not_paired",
      upstream: null
    })
    paired.isPaired = true
    expect(await send(next, limit(70))).toMatchObject({ status: "accepted" })
  })

  test("have Tesla's message when it refuses", async () => {
    const { next } = await read(await linked(), [car])
    tesla.vehicles.get(VIN)!.isPaired = false
    expect(await refusal(next, limit(70))).toMatchObject({
      failure: "pairing_required",
      upstream: { statusCode: 500, errorCode: expect.stringContaining("has not been paired") }
    })
    tesla.vehicles.get(VIN)!.data["charge_state"].charging_state = "Disconnected"
    expect(await refusal(next, charge("start-charging"))).toMatchObject({
      commandReason: "precondition_not_plugged_in",
      upstream: null
    })
  })

  test("response whether the key is paired without reaching the vehicle", async () => {
    tesla.vehicles.get(VIN)!.state = "asleep"
    const account = await linked()
    const check = request(car, "vehicle:check-pairing-status", {})
    expect(await send(account, check)).toMatchObject({ status: "completed", output: { paired: true, required: true } })
    expect(tesla.paths()).toEqual(["POST /api/1/vehicles/fleet_status"])
  })

  test("say without a signing proxy what is missing", async () => {
    adapter = await start({ commandBaseUrl: undefined })
    expect(await refusal(await linked(), limit(70))).toMatchObject({ failure: "misconfigured" })
  })
})

test("the public key is shown at the path that Tesla prescribes", async () => {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" })
  const pem = publicKey.export({ type: "spki", format: "pem" }).toString()
  const { routes } = await start({ publicKey: pem.replaceAll("\n", "\\n") })
  const [route] = routes!
  expect(route!.path).toBe("/.well-known/appspecific/com.tesla.3p.public-key.pem")
  const response = await run(
    route!.handle.pipe(
      Effect.provideService(
        HttpServerRequest.HttpServerRequest,
        HttpServerRequest.fromWeb(new Request("http://localhost"))
      ),
      Effect.scoped
    )
  )
  expect(await HttpServerResponse.toWeb(response).text()).toBe(pem)
  expect((await start()).routes).toEqual([])
  const wrongCurve = generateKeyPairSync("ec", { namedCurve: "secp384r1" }).publicKey
  expect(() =>
    decodeSettings({ ...tesla.settings(), publicKey: wrongCurve.export({ type: "spki", format: "pem" }).toString() })
  ).toThrow()
})
