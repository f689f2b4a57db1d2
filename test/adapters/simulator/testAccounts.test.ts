import { languages } from "@edp/domain/shared/Language"
import { expect, it } from "@effect/vitest"
import { testAccounts } from "@edp/adapter-simulator/cloud/testAccounts"
import { readingSchemas } from "@edp/domain/devices/DeviceState"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { describe } from "vitest"
import {
  authorizationUrl,
  decide,
  exchange,
  link,
  noon,
  observation,
  send,
  startSimulator,
  timed
} from "./simulator.ts"

describe("the account sunny", () => {
  it.effect("has a device of each type, with complete readings and static states", () =>
    Effect.gen(function* () {
      const sunny = yield* link(yield* startSimulator(), "sunny")
      const devices = yield* sunny.discover
      expect(devices.map(({ type }) => type).toSorted()).toEqual(
        ["battery", "charger", "inverter", "meter", "thermostat", "vehicle", "water_heater"].toSorted()
      )
      const report = yield* sunny.read
      for (const { incompatible, manufacturerDeviceId, type } of devices) {
        expect(incompatible).toBeNull()
        const { observedAt, state } = observation(report, manufacturerDeviceId)
        expect(observedAt).toBeLessThanOrEqual(noon)
        yield* Schema.decodeUnknownEffect(readingSchemas[type] as Schema.Codec<unknown>)(state)
      }
    })
  )

  it.effect("gives the energies since the previous reading, and none in the first", () =>
    Effect.gen(function* () {
      const sunny = yield* link(yield* startSimulator(), "sunny")
      const first = observation(yield* sunny.read, "sim-sunny-inverter").state!
      expect(first["generatedEnergy"]).toBeUndefined()
      let generated = 0
      for (let minute = 0; minute < 10; minute += 1) {
        yield* TestClock.adjust("1 minute")
        const { state } = observation(yield* sunny.read, "sim-sunny-inverter")
        generated += state!["generatedEnergy"]
      }
      const last = observation(yield* sunny.read, "sim-sunny-inverter").state!
      expect(generated).toBeGreaterThan(0)
      expect(generated).toBeCloseTo(last["lifetimeEnergyGenerated"] - first["lifetimeEnergyGenerated"], 1)
    })
  )

  it.effect("balances at the meter", () =>
    Effect.gen(function* () {
      const sunny = yield* link(yield* startSimulator(), "sunny")
      for (let hour = 0; hour < 24; hour += 1) {
        yield* TestClock.adjust("1 hour")
        yield* sunny.refresh
        const report = yield* sunny.read
        const [inverter, battery, meter] = ["inverter", "battery", "meter"].map(
          (type) => observation(report, `sim-sunny-${type}`).state!
        )
        expect(inverter!["power"] + battery!["chargeRate"] + meter!["power"]).toBe(battery!["loadPower"])
      }
    })
  )

  it.effect("reports a vehicle that sleeps as of when it fell asleep, and does not wake it", () =>
    Effect.gen(function* () {
      const sunny = yield* link(yield* startSimulator(), "sunny")
      yield* TestClock.setTime(Date.UTC(2026, 5, 18, 11))
      yield* sunny.refresh
      const vehicle = () => Effect.map(sunny.read, (report) => observation(report, "sim-sunny-vehicle"))
      const first = yield* vehicle()
      expect(first.asleep).toBe(true)
      yield* TestClock.adjust("2 minutes")
      expect(yield* vehicle()).toEqual(first)
      expect(first.observedAt).toBeLessThan(Date.UTC(2026, 5, 18, 11))
    })
  )
})

describe("a sign-in", () => {
  it.effect.each([
    ["denies", "refused", "access_denied"],
    ["unavailable", "vendor_fault", "temporarily_unavailable"],
    ["misconfigured", "misconfigured", "invalid_client"],
    ["garbled", "contract", null],
    ["code-refused", "grant_lost", "invalid_grant"]
  ] as const)("with the account %s fails as %s", ([id, failure, errorCode]) =>
    Effect.gen(function* () {
      const simulator = yield* startSimulator()
      const { parameters } = yield* decide(simulator, id)
      expect(yield* Effect.flip(exchange(simulator, parameters))).toMatchObject({ failure, upstream: { errorCode } })
    })
  )

  it.effect("with the account no-devices finds none", () =>
    Effect.gen(function* () {
      const account = yield* link(yield* startSimulator(), "no-devices")
      expect(yield* account.discover).toEqual([])
    })
  )

  it.effect("with the account incompatible finds a device that says why", () =>
    Effect.gen(function* () {
      const account = yield* link(yield* startSimulator(), "incompatible")
      expect((yield* account.discover).map(({ incompatible }) => incompatible)).toEqual([expect.any(String)])
    })
  )

  it.effect("with two accounts gives two identities, always the same", () =>
    Effect.gen(function* () {
      const simulator = yield* startSimulator()
      const ids = yield* Effect.forEach(["sunny", "second", "sunny"], (id) => link(simulator, id))
      expect(ids.map(({ linked }) => linked.externalId)).toEqual(["sunny", "second", "sunny"])
    })
  )
})

describe("a linked account", () => {
  it.effect("revoked: the permission ends a minute after the sign-in, and a new one lasts as long", () =>
    Effect.gen(function* () {
      const simulator = yield* startSimulator()
      const first = yield* link(simulator, "revoked")
      yield* first.read
      yield* TestClock.adjust("1 minute")
      expect(yield* Effect.flip(first.read)).toMatchObject({ failure: "token_refused" })
      expect(yield* Effect.flip(first.refresh)).toMatchObject({
        failure: "grant_lost",
        intervention: "sign_in_again",
        upstream: { statusCode: 400 }
      })
      const second = yield* link(simulator, "revoked")
      yield* second.read
    })
  )

  it.effect("refresh-refused: the access ends after a minute and is not renewed", () =>
    Effect.gen(function* () {
      const account = yield* link(yield* startSimulator(), "refresh-refused")
      expect(account.linked.expiresAt).toBe(noon + 60_000)
      expect(yield* Effect.flip(account.refresh)).toMatchObject({ failure: "grant_lost" })
    })
  )

  it.effect("rate-limited: readings wait until the time that the manufacturer names", () =>
    Effect.gen(function* () {
      const account = yield* link(yield* startSimulator(), "rate-limited")
      expect((yield* account.discover).length).toBe(3)
      expect(yield* Effect.flip(account.read)).toMatchObject({
        failure: "throttled",
        retryAt: noon + 60_000,
        upstream: { statusCode: 429 }
      })
    })
  )

  it.effect("slow: each response takes five seconds", () =>
    Effect.gen(function* () {
      const simulator = yield* startSimulator()
      const account = (yield* timed(link(simulator, "slow"))).value
      const { seconds, value } = yield* timed(account.read)
      expect(seconds).toBe(5)
      expect(value.observations).toHaveLength(3)
    })
  )

  it.effect("unpaired: the vehicle names what its owner has to do, until the key is paired", () =>
    Effect.gen(function* () {
      const simulator = yield* startSimulator()
      const account = yield* link(simulator, "unpaired")
      const vehicle = "sim-unpaired-vehicle"
      expect(observation(yield* account.read, vehicle).interventions).toMatchObject([
        { code: "key_not_paired", blocks: ["vehicle:set-charge-limit", "vehicle:set-operating-mode"], actor: "owner" }
      ])
      const limit = account.send(vehicle, "vehicle:set-charge-limit", { chargeLimit: 70 })
      // The vehicle wakes for it.
      expect((yield* timed(Effect.flip(limit))).value).toMatchObject({
        failure: "pairing_required",
        intervention: "key_not_paired",
        commandReason: "pairing_required"
      })
      expect(yield* account.send(vehicle, "vehicle:check-pairing-status")).toMatchObject({
        status: "completed",
        output: { paired: false, required: true }
      })
      yield* simulator.simulation!.pairKey("unpaired", {})
      expect((yield* timed(limit)).value).toMatchObject({ status: "accepted" })
      const after = observation(yield* account.read, vehicle)
      expect(after.interventions).toEqual([])
      expect(after.staticState).toMatchObject({ keyPaired: true })
    })
  )

  it.effect("storm: the battery fills up and takes no commands, until the storm has passed", () =>
    Effect.gen(function* () {
      const simulator = yield* startSimulator()
      const account = yield* link(simulator, "storm")
      const report = yield* account.read
      expect(observation(report, "sim-storm-battery")).toMatchObject({
        interventions: [{ code: "storm_mode", blocks: ["battery:set-reserve", "battery:set-operating-mode"] }],
        state: { isStormModeActive: true, chargePercentage: 100 }
      })
      expect(report.alerts).toMatchObject([{ externalId: "storm:sim-storm-battery", resolved: false }])
      const reserve = account.send("sim-storm-battery", "battery:set-reserve", { chargePercentage: 40 })
      expect(yield* Effect.flip(reserve)).toMatchObject({
        failure: "refused",
        commandReason: "precondition_storm_mode",
        intervention: "storm_mode"
      })
      yield* simulator.simulation!.clearFaults("storm", { kind: "storm_mode" })
      expect(yield* reserve).toMatchObject({ status: "accepted" })
      expect((yield* account.read).alerts).toMatchObject([{ externalId: "storm:sim-storm-battery", resolved: true }])
      expect((yield* account.read).alerts).toEqual([])
    })
  )

  it.effect.each([
    ["read-only", "scope_missing", "scope_missing"],
    ["plan-required", "plan_required", null]
  ] as const)("%s: is read, and its commands fail as %s", ([id, failure, commandReason]) =>
    Effect.gen(function* () {
      const account = yield* link(yield* startSimulator(), id)
      expect(observation(yield* account.read, `sim-${id}-battery`).interventions).toMatchObject([{ code: failure }])
      const reserve = account.send(`sim-${id}-battery`, "battery:set-reserve", { chargePercentage: 40 })
      expect(yield* Effect.flip(reserve)).toMatchObject({ failure, commandReason, intervention: failure })
    })
  )

  it.effect("terms: neither readings nor commands pass until the terms are accepted", () =>
    Effect.gen(function* () {
      const simulator = yield* startSimulator()
      const account = yield* link(simulator, "terms")
      expect((yield* account.discover).length).toBe(3)
      expect(yield* Effect.flip(account.read)).toMatchObject({
        failure: "terms_not_accepted",
        intervention: "terms_not_accepted"
      })
      yield* simulator.simulation!.clearFaults("terms", {})
      yield* account.read
    })
  )

  it.effect("counter-reset: the lifetime counters begin again two minutes after the sign-in, and energies go on", () =>
    Effect.gen(function* () {
      const account = yield* link(yield* startSimulator(), "counter-reset")
      const before = observation(yield* account.read, "sim-counter-reset-inverter").state!
      yield* TestClock.adjust("3 minutes")
      const after = observation(yield* account.read, "sim-counter-reset-inverter").state!
      expect(after["lifetimeEnergyGenerated"]).toBeLessThan(before["lifetimeEnergyGenerated"])
      expect(after["generatedEnergy"]).toBeGreaterThan(0)
    })
  )

  it.effect("offline: the devices have no state, and an alert each that ends with their return", () =>
    Effect.gen(function* () {
      const simulator = yield* startSimulator()
      const account = yield* link(simulator, "offline")
      const report = yield* account.read
      expect(report.observations.map(({ state }) => state)).toEqual([null, null, null])
      expect(report.observations.every(({ observedAt }) => observedAt < noon)).toBe(true)
      expect(report.alerts.map(({ type }) => type)).toEqual(["COMMUNICATIONS", "COMMUNICATIONS", "COMMUNICATIONS"])
      const reserve = account.send("sim-offline-battery", "battery:set-reserve", { chargePercentage: 40 })
      expect(yield* Effect.flip(reserve)).toMatchObject({ failure: "unreachable", commandReason: "unreachable" })
      yield* simulator.simulation!.clearFaults("offline", { kind: "offline" })
      yield* TestClock.adjust("1 minute")
      const after = yield* account.read
      expect(after.observations.every(({ state }) => state !== null)).toBe(true)
      expect(after.alerts.map(({ resolved }) => resolved)).toEqual([true, true, true])
    })
  )

  it.effect("partial: a reading without a needed field is none, and a problem names the field", () =>
    Effect.gen(function* () {
      const account = yield* link(yield* startSimulator(), "partial")
      expect(observation(yield* account.read, "sim-partial-battery")).toMatchObject({
        state: null,
        problems: ["battery: chargePercentage missing in the reading"]
      })
    })
  )
})

it.effect("each test account is described in each language and listed on the page", () =>
  Effect.gen(function* () {
    const simulator = yield* startSimulator()
    for (const language of languages) {
      const response = yield* send(simulator, yield* authorizationUrl(simulator, "state", language))
      const page = yield* Effect.promise(() => response.text())
      for (const { description, id } of testAccounts) {
        expect(page).toContain(`value="${id}"`)
        expect(page).toContain(description[language]!.replaceAll("'", "&#39;"))
      }
    }
  })
)
