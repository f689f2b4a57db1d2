import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe } from "vitest"
import { memoryRecords } from "@edp/adapter-kit/testing/TestHost"
import { link, observation, startAnother, startSimulator, timed } from "./simulator.ts"

const battery = "sim-sunny-battery"
const thermostat = "sim-sunny-thermostat"
const charger = "sim-sunny-charger"
const vehicle = "sim-sunny-vehicle"

const sunnyHome = Effect.gen(function* () {
  const simulator = yield* startSimulator()
  const account = yield* link(simulator, "sunny")
  const state = (id: string) => Effect.map(account.read, (report) => observation(report, id))
  return { ...account, simulator, state }
})

describe("a command", () => {
  it.effect("to charge raises the charge, the meter feels it, and the state confirms it", () =>
    Effect.gen(function* () {
      const { refresh, send, simulator, state } = yield* sunnyHome
      // Before the sun rises.
      yield* TestClock.setTime(Date.UTC(2026, 5, 18, 12))
      yield* refresh
      const input = { operatingMode: "charge", enableGridInteraction: true }
      const before = yield* state(battery)
      expect(yield* send(battery, "battery:set-operating-mode", input)).toMatchObject({ status: "accepted" })
      yield* TestClock.adjust("20 minutes")
      const after = yield* state(battery)
      expect(after.state!["chargeRate"]).toBeLessThan(-3000)
      expect(after.state!["chargePercentage"]).toBeGreaterThan(before.state!["chargePercentage"] + 5)
      expect(after.state!["whConsumed"]).toBeGreaterThan(1000)
      expect(simulator.confirms!({ type: "battery:set-operating-mode", input }, after, null)).toBe("met")
    })
  )

  it.effect("is given once, however often it comes with the same id", () =>
    Effect.gen(function* () {
      const { send, state } = yield* sunnyHome
      const set = (chargePercentage: number, id: string) =>
        send(battery, "battery:set-reserve", { chargePercentage }, { id })
      yield* set(30, "one")
      yield* set(60, "two")
      yield* set(30, "one")
      expect((yield* state(battery)).state!["backupReserve"]).toBe(60)
    })
  )

  it.effect("that changes nothing is completed as already so", () =>
    Effect.gen(function* () {
      const { send } = yield* sunnyHome
      expect(yield* send(battery, "battery:set-reserve", { chargePercentage: 20 })).toMatchObject({
        status: "completed",
        reason: "already_so"
      })
    })
  )

  it.effect("wakes a sleeping vehicle, which responds after half a minute", () =>
    Effect.gen(function* () {
      const { refresh, send, simulator, state } = yield* sunnyHome
      yield* TestClock.setTime(Date.UTC(2026, 5, 18, 11))
      yield* refresh
      expect((yield* state(vehicle)).asleep).toBe(true)
      const input = { chargeLimit: 60 }
      const { seconds, value } = yield* timed(send(vehicle, "vehicle:set-charge-limit", input))
      expect(seconds).toBe(30)
      expect(value).toMatchObject({ status: "accepted" })
      const after = yield* state(vehicle)
      expect(after.asleep).toBe(false)
      expect(simulator.confirms!({ type: "vehicle:set-charge-limit", input }, after, null)).toBe("met")
    })
  )

  it.effect("that a fault lets a device refuse has the fault's reason and the manufacturer's response", () =>
    Effect.gen(function* () {
      const { send, simulator } = yield* sunnyHome
      yield* simulator.simulation!.scriptFault("sunny", {
        kind: "refuses_command",
        deviceId: battery,
        reason: "contradicted_by_state"
      })
      const reserve = send(battery, "battery:set-reserve", { chargePercentage: 70 })
      expect(yield* Effect.flip(reserve)).toMatchObject({
        failure: "refused",
        commandReason: "contradicted_by_state",
        upstream: { statusCode: 409, errorCode: "contradicted_by_state", requestId: expect.any(String) }
      })
    })
  )

  it.effect("to a device of another account is refused", () =>
    Effect.gen(function* () {
      const { send, simulator } = yield* sunnyHome
      yield* link(simulator, "second")
      const reserve = send("sim-second-battery", "battery:set-reserve", { chargePercentage: 70 })
      expect(yield* Effect.flip(reserve)).toMatchObject({ failure: "refused", upstream: { statusCode: 404 } })
    })
  )

  it.effect("is accepted or refused with a reason, whatever its type", () =>
    Effect.gen(function* () {
      const { send } = yield* sunnyHome
      const results = yield* Effect.forEach(
        [
          [battery, "battery:set-reserve", { chargePercentage: 35 }],
          [battery, "battery:set-operating-mode", { operatingMode: "idle" }],
          [charger, "charger:set-operating-mode", { operatingMode: "start-charging" }],
          [vehicle, "vehicle:set-operating-mode", { operatingMode: "start-charging" }],
          [vehicle, "vehicle:set-charge-limit", { chargeLimit: 75 }],
          [vehicle, "vehicle:check-pairing-status", {}],
          [thermostat, "thermostat:set-operating-mode", { operatingMode: "cool", coolTarget: 70 }],
          [thermostat, "thermostat:set-fan-mode", { fanMode: "on" }],
          [thermostat, "thermostat:pause-schedule", {}],
          [thermostat, "thermostat:resume-schedule", {}]
        ] as const,
        Effect.fnUntraced(function* ([id, type, input]) {
          const { value: result } = yield* timed(Effect.result(send(id, type, input)))
          return [type, result._tag === "Success" ? result.success.status : result.failure.commandReason]
        })
      )
      // At noon of a workday the car is at work.
      expect(Object.fromEntries(results)).toEqual({
        "battery:set-reserve": "accepted",
        "battery:set-operating-mode": "accepted",
        "charger:set-operating-mode": "precondition_not_plugged_in",
        "vehicle:set-operating-mode": "precondition_not_plugged_in",
        "vehicle:set-charge-limit": "accepted",
        "vehicle:check-pairing-status": "completed",
        "thermostat:set-operating-mode": "accepted",
        "thermostat:set-fan-mode": "accepted",
        "thermostat:pause-schedule": "completed",
        "thermostat:resume-schedule": "completed"
      })
    })
  )
})

describe("a stop while nothing charges", () => {
  it.effect("is already so without a cable, sends nothing and stores nothing, also with an end", () =>
    Effect.gen(function* () {
      const { send, snapshots } = yield* sunnyHome
      for (const [device, type] of [
        [charger, "charger:set-operating-mode"],
        [vehicle, "vehicle:set-operating-mode"]
      ] as const)
        for (const revertAfter of [null, 600]) {
          const stop = send(device, type, { operatingMode: "stop-charging" }, { revertAfter })
          expect((yield* timed(stop)).value).toMatchObject({ status: "completed", reason: "already_so" })
        }
      expect(snapshots).toEqual([])
    })
  )
})

describe("a forced mode", () => {
  it.effect("stores the settings before its first write, and a restore writes them back, also twice", () =>
    Effect.gen(function* () {
      const { restore, send, snapshots, state } = yield* sunnyHome
      yield* send(battery, "battery:set-reserve", { chargePercentage: 25 })
      expect(snapshots).toEqual([])
      yield* send(battery, "battery:set-operating-mode", { operatingMode: "discharge", minimumBatteryReserve: 5 })
      expect(snapshots).toHaveLength(1)
      yield* send(
        battery,
        "battery:set-operating-mode",
        { operatingMode: "charge", minimumBatteryReserve: 50 },
        { snapshot: snapshots[0] }
      )
      expect(snapshots).toHaveLength(1)
      expect((yield* state(battery)).state!["backupReserve"]).toBe(50)
      yield* restore(battery, snapshots[0])
      yield* restore(battery, snapshots[0])
      expect((yield* state(battery)).state!["backupReserve"]).toBe(25)
    })
  )

  it.effect("ends by the device's own timer", () =>
    Effect.gen(function* () {
      const { send, state } = yield* sunnyHome
      const input = { operatingMode: "charge", minimumBatteryReserve: 50 }
      yield* send(battery, "battery:set-operating-mode", input, { revertAfter: 600 })
      yield* TestClock.adjust("5 minutes")
      expect((yield* state(battery)).state!["backupReserve"]).toBe(50)
      yield* TestClock.adjust("6 minutes")
      expect((yield* state(battery)).state!["backupReserve"]).toBe(20)
    })
  )

  it.effect("for charging gives the session back to its own times", () =>
    Effect.gen(function* () {
      const { refresh, restore, send, snapshots, state } = yield* sunnyHome
      while ((yield* state(charger)).state!["chargingState"] !== "charging") {
        yield* TestClock.adjust("30 minutes")
        yield* refresh
      }
      yield* send(charger, "charger:set-operating-mode", { operatingMode: "stop-charging" }, { revertAfter: 3600 })
      yield* TestClock.adjust("2 minutes")
      expect((yield* state(charger)).state!["chargingState"]).toBe("idle")
      yield* restore(charger, snapshots[0])
      yield* TestClock.adjust("2 minutes")
      expect((yield* state(charger)).state!["chargingState"]).toBe("charging")
    })
  )

  it.effect("for charging with a power gives the power from before back", () =>
    Effect.gen(function* () {
      const { refresh, restore, send, simulator, snapshots, state } = yield* sunnyHome
      while ((yield* state(charger)).state!["isPluggedIn"] !== true) {
        yield* TestClock.adjust("30 minutes")
        yield* refresh
      }
      const type = "charger:set-operating-mode"
      const input = { operatingMode: "start-charging", targetPowerW: 3000 }
      yield* send(charger, type, input)
      const less = { operatingMode: "start-charging", targetPowerW: 2000 }
      yield* TestClock.adjust("2 minutes")
      expect(simulator.confirms!({ type, input: less }, yield* state(charger), null)).toBe("contrary")
      yield* send(charger, type, less, { revertAfter: 3600 })
      yield* TestClock.adjust("2 minutes")
      const during = yield* state(charger)
      expect(during.state!["chargerWattage"]).toBe(2000)
      expect(simulator.confirms!({ type, input: less }, during, null)).toBe("met")
      yield* restore(charger, snapshots[0])
      yield* TestClock.adjust("2 minutes")
      expect((yield* state(charger)).state!["chargerWattage"]).toBe(3000)
    })
  )

  it.effect("for a thermostat gives back the mode, the targets and the schedule", () =>
    Effect.gen(function* () {
      const { restore, send, snapshots, state } = yield* sunnyHome
      const before = (yield* state(thermostat)).state!
      const input = { operatingMode: "heat", heatTarget: 80 }
      yield* send(thermostat, "thermostat:set-operating-mode", input, { revertAfter: 3600 })
      expect((yield* state(thermostat)).state).toMatchObject(input)
      yield* restore(thermostat, snapshots[0])
      const after = (yield* state(thermostat)).state!
      expect(after["operatingMode"]).toBe(before["operatingMode"])
      expect(after["heatTarget"]).toBe(before["heatTarget"])
      expect(after["coolTarget"]).toBe(before["coolTarget"])
    })
  )
})

describe("two instances over the same records", () => {
  it.effect("see the same home, whichever of them gave the commands", () =>
    Effect.gen(function* () {
      const { records } = memoryRecords()
      const [one, two] = [yield* startSimulator(records), yield* startSimulator(records)]
      const [first, second] = [yield* link(one, "sunny"), yield* link(two, "sunny")]
      yield* first.read
      yield* second.read
      yield* first.send(battery, "battery:set-operating-mode", { operatingMode: "charge", enableGridInteraction: true })
      yield* TestClock.adjust("7 minutes")
      yield* second.read
      yield* second.send(thermostat, "thermostat:set-operating-mode", { operatingMode: "heat", heatTarget: 82 })
      yield* TestClock.adjust("43 minutes")
      const states = (report: { readonly observations: ReadonlyArray<{ readonly state: object | null }> }) =>
        report.observations.slice(-7).map(({ state }) => JSON.stringify(state))
      // A third one has nothing in memory.
      const third = yield* link(yield* startAnother(records), "sunny")
      const known = states(yield* third.read)
      const withoutEnergies = (all: ReadonlyArray<string>) =>
        all.map((text) =>
          JSON.parse(text, (key, value: unknown) =>
            ["whConsumed", "generatedEnergy", "gridEnergy", "loadEnergy"].includes(key) ? undefined : value
          )
        )
      for (const account of [first, second])
        expect(withoutEnergies(states(yield* account.read))).toEqual(withoutEnergies(known))
    })
  )

  it.effect("give each of many concurrent commands, and lose none", () =>
    Effect.gen(function* () {
      const { records } = memoryRecords()
      const [one, two] = [yield* startSimulator(records), yield* startSimulator(records)]
      const [first, second] = [yield* link(one, "sunny"), yield* link(two, "sunny")]
      yield* Effect.all(
        [
          first.send(battery, "battery:set-reserve", { chargePercentage: 33 }),
          second.send(thermostat, "thermostat:set-fan-mode", { fanMode: "on" }),
          first.send(thermostat, "thermostat:pause-schedule", {}),
          second.send(vehicle, "vehicle:check-pairing-status", {})
        ],
        { concurrency: "unbounded" }
      )
      const report = yield* first.read
      expect(observation(report, battery).state!["backupReserve"]).toBe(33)
      expect(observation(report, thermostat).state!["fanMode"]).toBe("on")
    })
  )
})
