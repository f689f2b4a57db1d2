import { availableCommands, interventions } from "@edp/adapter-tesla/interventions"
import { grantedScopes } from "@edp/adapter-tesla/access"
import * as responses from "@edp/adapter-tesla/responses"
import type { Plan } from "@edp/adapter-tesla/plans"
import { pairingFromFleetStatus } from "@edp/adapter-tesla/pairing"
import { commandResult, retryAfter } from "@edp/adapter-tesla/results"
import { planBatteryMode, planReserve, showsSettings, siteSettings } from "@edp/adapter-tesla/siteCommands"
import { fleetStatusCall, planChargeLimit, planCharging } from "@edp/adapter-tesla/vehicleCommands"
import { confirms } from "@edp/adapter-tesla/teslaAdapter"
import { isTransient } from "@edp/adapter-kit/AdapterError"
import { Result } from "effect"
import { describe, expect, test } from "vitest"
import * as fixtures from "./fixtures.ts"

const T0 = Date.parse("2026-03-01T12:00:00Z")
const live = Result.getOrThrow(responses.readLiveStatus(fixtures.liveStatus))
const info = Result.getOrThrow(responses.readSiteInfo(fixtures.siteInfo))
const data = Result.getOrThrow(responses.readVehicleData(fixtures.vehicleData))
const site = { energySiteId: "7", info, live }
const storm = { ...site, live: { ...live, storm_mode_active: true } }
const before = { backupReserve: 20, mode: "autonomous", exportRule: "pv_only", chargeFromGridDisallowed: true }
const path = "/api/1/energy_sites/7"
const post = (base: string, path: string, body: object) => ({ base, method: "POST", path, body })

const bodies = (plan: Plan) => (plan._tag === "Calls" ? plan.calls.map(({ body }) => body) : [])

describe("plans for a battery", () => {
  test("set the reserve, unless it is so or a storm holds it", () => {
    expect(planReserve(site, { chargePercentage: 30 })).toMatchObject({
      calls: [post("read", `${path}/backup`, { backup_reserve_percent: 30 })]
    })
    expect(planReserve(site, { chargePercentage: 20 })).toEqual({ _tag: "AlreadySo" })
    expect(planReserve(storm, { chargePercentage: 30 })).toMatchObject({ reason: "precondition_storm_mode" })
  })

  test("charge by a reserve above the charge, from the grid where that is allowed", () => {
    const grid = { operatingMode: "charge", maximumBatteryReserve: 90, enableGridInteraction: true } as const
    expect(planBatteryMode(site, grid, null)).toEqual({
      _tag: "Calls",
      calls: [
        post("read", `${path}/grid_import_export`, { disallow_charge_from_grid_with_solar_installed: false }),
        post("read", `${path}/backup`, { backup_reserve_percent: 90 }),
        post("read", `${path}/operation`, { default_real_mode: "self_consumption" })
      ],
      snapshot: before
    })
    const home = planBatteryMode(site, { operatingMode: "charge" }, null)
    expect(bodies(home)).toContainEqual({ backup_reserve_percent: 100 })
    expect(JSON.stringify(home)).not.toContain("grid_import_export")
  })

  test("discharge by a reserve below the charge, hold by an equal one", () => {
    expect(bodies(planBatteryMode(site, { operatingMode: "discharge", minimumBatteryReserve: 10 }, null))).toEqual([
      { backup_reserve_percent: 10 },
      { default_real_mode: "self_consumption" }
    ])
    // The site is in this mode already.
    expect(bodies(planBatteryMode(site, { operatingMode: "discharge", enableGridInteraction: true }, null))).toEqual([
      { customer_preferred_export_rule: "battery_ok" },
      { backup_reserve_percent: 0 }
    ])
    expect(bodies(planBatteryMode(site, { operatingMode: "idle" }, null))).toContainEqual({
      backup_reserve_percent: 63
    })
  })

  test("restore the first snapshot in reverse order", () => {
    const forced = {
      ...info,
      backup_reserve_percent: 90,
      default_real_mode: "self_consumption",
      components: { ...info.components!, disallow_charge_from_grid_with_solar_installed: false }
    }
    const now = { ...site, info: forced }
    expect(planBatteryMode(now, { operatingMode: "idle" }, before)).toMatchObject({ snapshot: before })
    expect(planBatteryMode(now, { operatingMode: "reset" }, before)).toMatchObject({
      calls: [
        post("read", `${path}/operation`, { default_real_mode: "autonomous" }),
        post("read", `${path}/backup`, { backup_reserve_percent: 20 }),
        post("read", `${path}/grid_import_export`, { disallow_charge_from_grid_with_solar_installed: true })
      ],
      snapshot: null
    })
    expect(planBatteryMode(site, { operatingMode: "reset" }, before)).toEqual({ _tag: "AlreadySo" })
    expect(planBatteryMode(site, { operatingMode: "reset" }, null)).toMatchObject({ reason: "precondition_unmet" })
  })

  test("send nothing where the battery cannot go further, or its state is not known", () => {
    const reason = (plan: object) => expect(plan).toMatchObject({ _tag: "Rejected", reason: "precondition_unmet" })
    reason(planBatteryMode(site, { operatingMode: "charge", maximumBatteryReserve: 50 }, null))
    reason(planBatteryMode(site, { operatingMode: "discharge", minimumBatteryReserve: 70 }, null))
    reason(planBatteryMode({ ...site, info: {} }, { operatingMode: "charge" }, null))
    reason(planBatteryMode({ ...site, live: {} }, { operatingMode: "idle" }, null))
    expect(planBatteryMode(storm, { operatingMode: "charge" }, null)).toMatchObject({
      reason: "precondition_storm_mode"
    })
  })

  test("are held against the settings that the site shows", () => {
    expect(siteSettings(info)).toEqual(before)
    expect(showsSettings({ backupReserve: 20, exportRule: null }, info)).toBe(true)
    expect(showsSettings({ backupReserve: 30 }, info)).toBe(false)
  })
})

describe("plans for a vehicle", () => {
  const vin = "5YJ3E1EA7KF000001"
  const vehicle = { vin, online: "online", data, pairing: { paired: true, required: true } } as const
  const charging = (charging_state: string) => ({ ...data, charge_state: { ...data.charge_state!, charging_state } })
  const inState = (state: string) => ({ ...vehicle, data: charging(state) })
  const command = (name: string) => `/api/1/vehicles/${vin}/command/${name}`

  test("start and stop through the signing proxy", () => {
    expect(planCharging(inState("Stopped"), "start-charging")).toMatchObject({
      calls: [post("command", command("charge_start"), {})]
    })
    expect(planCharging(vehicle, "stop-charging")).toMatchObject({
      calls: [post("command", command("charge_stop"), {})]
    })
  })

  test("wake a sleeping vehicle first, and trust nothing that it last reported", () => {
    const asleep = { ...inState("Disconnected"), online: "asleep" } as const
    expect(planCharging(asleep, "start-charging")).toMatchObject({
      calls: [post("read", `/api/1/vehicles/${vin}/wake_up`, {}), post("command", command("charge_start"), {})]
    })
  })

  test("send nothing where the precondition is unmet or the state is so", () => {
    expect(planCharging(vehicle, "start-charging")).toEqual({ _tag: "AlreadySo" })
    expect(planCharging(inState("Stopped"), "stop-charging")).toEqual({ _tag: "AlreadySo" })
    expect(planCharging(inState("Disconnected"), "start-charging")).toMatchObject({
      reason: "precondition_not_plugged_in"
    })
    expect(planCharging(inState("Complete"), "start-charging")).toMatchObject({ reason: "precondition_unmet" })
    const unpaired = { ...vehicle, pairing: { paired: false, required: true } }
    expect(planCharging(unpaired, "stop-charging")).toMatchObject({ reason: "pairing_required" })
    expect(planChargeLimit(unpaired, { chargeLimit: 70 })).toMatchObject({ reason: "pairing_required" })
  })

  test("set a charge limit within what the vehicle allows", () => {
    expect(planChargeLimit(vehicle, { chargeLimit: 70.4 })).toMatchObject({
      calls: [post("command", command("set_charge_limit"), { percent: 70 })]
    })
    expect(planChargeLimit(vehicle, { chargeLimit: 40 })).toMatchObject({ reason: "unsupported_value" })
    expect(planChargeLimit(vehicle, { chargeLimit: 80 })).toEqual({ _tag: "AlreadySo" })
    const asleep = { ...vehicle, online: "asleep" } as const
    expect(planChargeLimit(asleep, { chargeLimit: 80 })).toMatchObject({ _tag: "Calls" })
  })

  test("check the pairing without reaching the vehicle", () => {
    expect(fleetStatusCall([vin])).toEqual(post("read", "/api/1/vehicles/fleet_status", { vins: [vin] }))
    const fleet = Result.getOrThrow(responses.readFleetStatus(fixtures.fleetStatus))
    expect(pairingFromFleetStatus(fleet, vin, data.vehicle_config?.car_type ?? null)).toEqual({
      paired: false,
      required: true
    })
  })
})

describe("commands are confirmed by readings", () => {
  const observed = (state: object | null) => ({
    manufacturerDeviceId: "one",
    observedAt: T0,
    state,
    asleep: false,
    coordinates: null,
    staticState: null,
    commands: null,
    interventions: null,
    problems: []
  })
  const battery = { chargingState: "idle", charge: 1, chargePercentage: 62, whConsumed: null, backupReserve: 20 }
  const forced = { ...battery, strategy: "self_consumption" }
  const mode = "battery:set-operating-mode"
  const charging = "vehicle:set-operating-mode"
  const limit = "vehicle:set-charge-limit"

  test.each([
    ["battery:set-reserve", { chargePercentage: 20.4 }, battery, "met"],
    ["battery:set-reserve", { chargePercentage: 30 }, battery, "contrary"],
    ["battery:set-reserve", { chargePercentage: 30 }, { ...battery, isStormModeActive: true }, "contradicted"],
    ["battery:set-reserve", { chargePercentage: 20 }, null, "pending"],
    [mode, { operatingMode: "charge", maximumBatteryReserve: 90 }, { ...forced, backupReserve: 90 }, "met"],
    [mode, { operatingMode: "charge" }, { ...forced, backupReserve: 90 }, "contrary"],
    [mode, { operatingMode: "charge" }, { ...battery, backupReserve: 100 }, "pending"],
    [mode, { operatingMode: "discharge" }, { ...forced, backupReserve: 0 }, "met"],
    [mode, { operatingMode: "discharge", enableGridInteraction: true }, { ...forced, backupReserve: 0 }, "contrary"],
    [mode, { operatingMode: "idle" }, { ...forced, backupReserve: 62 }, "met"],
    [mode, { operatingMode: "idle" }, forced, "contrary"],
    [charging, { operatingMode: "start-charging" }, { chargingState: "charging" }, "met"],
    [charging, { operatingMode: "start-charging" }, { chargingState: "idle", isPluggedIn: true }, "contrary"],
    [charging, { operatingMode: "start-charging" }, { chargingState: "idle", isPluggedIn: false }, "contradicted"],
    [charging, { operatingMode: "stop-charging" }, { chargingState: "idle" }, "met"],
    [charging, { operatingMode: "stop-charging" }, { chargingState: "unknown" }, "pending"],
    [charging, { operatingMode: "stop-charging" }, { chargingState: "charging" }, "contrary"],
    [limit, { chargeLimit: 80 }, { chargeLimit: 80 }, "met"],
    [limit, { chargeLimit: 80 }, { chargeLimit: 70 }, "contrary"],
    [limit, { chargeLimit: 80 }, {}, "pending"]
  ] as const)("%s %j by %j: %s", (type, input, state, expected) => {
    expect(confirms({ type, input }, observed(state), null)).toBe(expected)
  })

  test.each([
    ["was it before", { backupReserve: 63, strategy: "self_consumption" }, "pending"],
    ["was another before", { backupReserve: 20, strategy: "self_consumption" }, "met"],
    ["was it before, in another mode", { backupReserve: 63, strategy: "time_of_use" }, "met"],
    ["is not known from before", null, "pending"]
  ] as const)("an idle battery whose reserve is only near its charge and %s: %s", (_, before, expected) => {
    const shown = observed({ ...forced, backupReserve: 63 })
    expect(confirms({ type: mode, input: { operatingMode: "idle" } }, shown, before)).toBe(expected)
  })
})

describe("responses to commands", () => {
  const result = (status: number, body: unknown, headers = {}) => commandResult({ status, headers, body }, T0)
  const failure = (status: number, body: unknown) => Result.getOrThrow(Result.flip(result(status, body)))
  const unpaired = "vehicle rejected request: your public key has not been paired with the vehicle"

  test("are accepted, which completes nothing", () => {
    const accepted = { success: { status: "accepted", reason: null } }
    expect(result(200, { response: { result: true, reason: "" } })).toMatchObject(accepted)
    expect(result(201, { response: { code: 201, message: "Updated" } })).toMatchObject(accepted)
    expect(result(200, { response: { result: false, reason: "is_charging" } })).toMatchObject({
      success: { status: "completed", reason: "already_so" }
    })
  })

  // The published response codes, with the names of their errors.
  test.each([
    [200, { response: { result: false, reason: "disconnected" } }, "refused", "precondition_not_plugged_in", null],
    [200, { response: { result: false, reason: "could_not_wake_buses" } }, "asleep", "asleep", null],
    [200, { response: { result: false, reason: "user_not_present" } }, "refused", "refused", null],
    [200, { response: { result: false, reason: unpaired } }, "pairing_required", "pairing_required", "key_not_paired"],
    [200, { response: { code: 400, message: "bad" } }, "refused", "unsupported_value", null],
    [400, { error: "invalid_command" }, "refused", "unsupported_value", null],
    [400, { error: "invalid_field" }, "refused", "unsupported_value", null],
    [400, { error: "invalid_request" }, "refused", "unsupported_value", null],
    [401, { error: "token expired (401)" }, "token_refused", "refused", null],
    [401, { error: "login_required" }, "grant_lost", "refused", "sign_in_again"],
    [401, { error: "mobile_access_disabled" }, "refused", "refused", "local_access_disabled"],
    [402, {}, "plan_required", "quota_exhausted", "plan_required"],
    [403, { error: "Unauthorized missing scopes energy_cmds" }, "scope_missing", "scope_missing", "scope_missing"],
    [
      403,
      { error: "Tesla Vehicle Command Protocol required" },
      "pairing_required",
      "pairing_required",
      "key_not_paired"
    ],
    [403, { error: "User must accept the terms of use" }, "terms_not_accepted", "refused", "terms_not_accepted"],
    [403, { error: "unsupported vehicle" }, "refused", "refused", null],
    [404, { error: "not_found" }, "refused", "refused", null],
    [405, { error: "invalid_method" }, "refused", "refused", null],
    [406, {}, "refused", "refused", null],
    [408, { error: "vehicle unavailable: vehicle is offline or asleep" }, "asleep", "asleep", null],
    [412, { error: "unregistered" }, "misconfigured", "precondition_unmet", null],
    [421, { error: "use base URL: https://fleet-api.prd.eu.vn.cloud.tesla.com" }, "misconfigured", "refused", null],
    [422, { error: "invalid_resource" }, "refused", "unsupported_value", null],
    [423, { error: "account locked" }, "refused", "refused", null],
    [429, {}, "throttled", "quota_exhausted", null],
    [451, { error: "resource_unavailable_for_legal_reasons" }, "refused", "refused", null],
    [499, {}, "unreachable", "unreachable", null],
    [
      500,
      { response: null, error: unpaired, error_description: "" },
      "pairing_required",
      "pairing_required",
      "key_not_paired"
    ],
    [500, "<html>", "vendor_fault", "unreachable", null],
    [503, {}, "vendor_fault", "unreachable", null],
    [504, {}, "vendor_fault", "unreachable", null],
    [540, { error: "device_unexpected_response" }, "vendor_fault", "unreachable", null]
  ] as const)("with status %s and %j fail as %s, %s", (status, body, kind, commandReason, intervention) => {
    expect(failure(status, body)).toMatchObject({ failure: kind, commandReason, intervention })
  })

  test("are repeated where the same call may succeed later", () => {
    const repeated = [401, 408, 429, 499, 500, 503, 540].map((status) => isTransient(failure(status, {})))
    expect(repeated).not.toContain(false)
    const final = [400, 402, 403, 404, 412, 421, 422, 423, 451].map((status) => isTransient(failure(status, {})))
    expect(final).not.toContain(true)
    expect(failure(402, {}).retryAt).toBe(T0 + 3_600_000)
  })

  test("keep Tesla's message", () => {
    expect(failure(500, { response: null, error: unpaired, txid: "t-1" })).toMatchObject({
      upstream: { statusCode: 500, errorCode: unpaired, errorMessage: unpaired, requestId: "t-1" }
    })
    expect(failure(200, { response: { result: false, reason: "disconnected" } })).toMatchObject({
      upstream: { statusCode: 200, errorCode: "disconnected", errorMessage: "disconnected" }
    })
  })

  test.each([
    [{ "retry-after": "120" }, {}, T0 + 120_000],
    [{ "retry-after": "Sun, 01 Mar 2026 12:05:00 GMT" }, {}, T0 + 300_000],
    [{ "ratelimit-limit": "60", "ratelimit-remaining": "0", "ratelimit-reset": "30" }, {}, T0 + 30_000],
    [
      {
        "ratelimit-realtime-remaining": "5",
        "ratelimit-realtime-reset": "900",
        "ratelimit-commands-remaining": "0",
        "ratelimit-commands-reset": String(T0 / 1000 + 40)
      },
      {},
      T0 + 40_000
    ],
    [{}, { after: 15 }, T0 + 15_000],
    [{ "retry-after": "999999" }, {}, T0 + 86_400_000],
    [{ "retry-after": "Sat, 28 Feb 2026 12:00:00 GMT" }, {}, T0],
    [{ "retry-after": "soon" }, {}, null]
  ])("name the time of the next call: %j %j", (headers, body, time) => {
    expect(retryAfter(headers as Readonly<Record<string, string>>, body, T0)).toBe(time)
  })
})

describe("permissions and interventions", () => {
  const token = (claims: unknown) => `h.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.s`
  const reading = new Set(["energy_device_data", "vehicle_device_data"])
  const nothing = {
    type: "vehicle",
    scopes: null,
    pairing: null,
    stormModeActive: null,
    obstacles: [],
    keyDomain: "energy.example.com"
  } as const

  test("come from the access token", () => {
    expect(grantedScopes(token({ scp: ["energy_cmds", "openid"] }))).toEqual(new Set(["energy_cmds", "openid"]))
    expect(grantedScopes(token({ sub: "x" }))).toBeNull()
    expect(grantedScopes("opaque")).toBeNull()
    expect(grantedScopes("a.%%%.c")).toBeNull()
  })

  test("decide which commands a device has", () => {
    expect(availableCommands("battery", reading)).toEqual([])
    expect(availableCommands("battery", new Set(["energy_cmds"]))).toHaveLength(2)
    expect(availableCommands("vehicle", reading)).toEqual(["vehicle:check-pairing-status"])
    expect(availableCommands("vehicle", null)).toHaveLength(3)
    expect(availableCommands("charger", null)).toEqual([])
  })

  test("appear and vanish with what is observed", () => {
    const codes = (observed: Partial<Parameters<typeof interventions>[0]>) =>
      interventions({ ...nothing, ...observed }).map(({ code }) => code)
    expect(codes({})).toEqual([])
    expect(codes({ pairing: { paired: false, required: true } })).toEqual(["key_not_paired"])
    expect(codes({ pairing: { paired: false, required: false } })).toEqual([])
    expect(codes({ obstacles: ["key_not_paired"] })).toEqual(["key_not_paired"])
    expect(codes({ obstacles: ["key_not_paired"], pairing: { paired: true, required: true } })).toEqual([])
    expect(codes({ type: "battery", stormModeActive: true })).toEqual(["storm_mode"])
    expect(codes({ type: "battery", obstacles: ["terms_not_accepted"] })).toEqual(["terms_not_accepted"])
    expect(interventions({ ...nothing, scopes: new Set(["openid"]) })).toMatchObject([
      { code: "scope_missing", blocks: [...availableCommands("vehicle", null), "telemetry"] }
    ])
    expect(codes({ type: "battery", scopes: reading })).toEqual(["scope_missing"])
  })
})
