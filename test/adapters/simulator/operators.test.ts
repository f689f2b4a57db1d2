import { expect, it } from "@effect/vitest"
import type { AccountReport } from "@edp/adapter-kit/Account"
import type { AccountRecord } from "@edp/adapter-simulator/cloud/AccountRecord"
import { beginning } from "@edp/adapter-simulator/cloud/Accounts"
import { readDevices } from "@edp/adapter-simulator/physics/devices"
import { advance, beginSite } from "@edp/adapter-simulator/physics/simulate"
import { townHome } from "@edp/adapter-simulator/physics/town"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { memoryRecords } from "@edp/adapter-kit/testing/TestHost"
import { link, noon, observation, startAnother, startSimulator } from "./simulator.ts"

const HOUR = 3_600_000

it.effect("a town has the same homes in every installation, an account each, and grows", () =>
  Effect.gen(function* () {
    const [one, two] = [yield* startSimulator(), yield* startSimulator()]
    const ids = yield* one.simulation!.growTown({ homes: 3 })
    expect(ids).toEqual(["town-1-1", "town-1-2", "town-1-3"])
    yield* two.simulation!.growTown({ homes: 2 })
    expect(yield* two.simulation!.get("town-1-2")).toEqual(yield* one.simulation!.get("town-1-2"))
    expect(yield* two.simulation!.growTown({ homes: 4 })).toHaveLength(4)
    const { data, totalItems } = yield* two.simulation!.list({ page: 1, perPage: 100 })
    expect(data).toHaveLength(totalItems)
    expect(data.filter(({ isTestAccount }) => !isTestAccount).map(({ id }) => id)).toEqual([
      "town-1-1",
      "town-1-2",
      "town-1-3",
      "town-1-4"
    ])
    const linked = yield* link(two, "town-1-3")
    expect(linked.linked).toMatchObject({ externalId: "town-1-3" })
    expect(
      (yield* linked.discover).every(({ manufacturerDeviceId }) => manufacturerDeviceId.startsWith("sim-1-3-"))
    ).toBe(true)
  })
)

it.effect("a town of homes with a battery has the same homes as the whole town, without the others", () =>
  Effect.gen(function* () {
    const simulator = yield* startSimulator()
    const all = yield* simulator.simulation!.growTown({ homes: 12 })
    const some = yield* simulator.simulation!.growTown({ homes: 4, withDevice: "battery" })
    const withBattery: Array<string> = []
    for (const id of all) {
      const { sites } = yield* simulator.simulation!.get(id)
      if (sites[0]!.devices.some(({ type }) => type === "battery")) withBattery.push(id)
    }
    expect(withBattery.length).toBeLessThan(all.length)
    expect(some).toEqual(withBattery.slice(0, 4))
  })
)

it.effect("the first report of a new home has its past, by the hour and by the quarters of the last day", () =>
  Effect.gen(function* () {
    const { records } = memoryRecords()
    const simulator = yield* startSimulator(records)
    const [id] = yield* simulator.simulation!.growTown({ homes: 1, withDevice: "battery", past: 3 * 86_400 })
    const home = yield* link(simulator, id!)
    const seen = (report: AccountReport) =>
      report.observations.filter(({ manufacturerDeviceId }) => manufacturerDeviceId === "sim-1-1-battery")
    // A platform that crashes before it has stored the report gets the same one again.
    const lost = yield* simulator.readDevices!(home.account(), [])
    const report = yield* home.read
    expect(report.observations).toEqual(lost.observations)
    const hours = Array.from({ length: 48 }, (_, hour) => noon + (hour - 71) * HOUR)
    const quarters = Array.from({ length: 96 }, (_, quarter) => noon - 24 * HOUR + ((quarter + 1) * HOUR) / 4)
    expect(seen(report).map(({ observedAt }) => observedAt)).toEqual([...hours, ...quarters])

    const profile = townHome(1, 0, beginning(noon - 3 * 24 * HOUR))
    let state = beginSite(profile)
    for (const observation of seen(report)) {
      state = advance(profile, state, [], observation.observedAt)
      const battery = readDevices(profile, state, null).find(({ type }) => type === "battery")!
      // The energies since the previous reading depend on when that was.
      const { gridEnergy: _, loadEnergy: __, whConsumed: ___, ...expected } = battery.state as Record<string, unknown>
      expect(observation.state).toMatchObject(expected)
    }

    yield* TestClock.adjust("1 minute")
    expect(seen(yield* home.read)).toHaveLength(1)
    // The past was stored with the first report, so that it is not kept any more.
    const stored = (yield* records.get(`account/${id}`))!.value as AccountRecord
    expect(stored.past).toBeUndefined()
    expect(stored.sites[0]!.state.asOf).toBe(noon + 60_000 - 24 * HOUR)
    const again = yield* link(yield* startAnother(records), id!)
    expect(seen(yield* again.read)).toHaveLength(1)
  })
)

it.effect("a home that is added later has devices of its own, and one that is removed has none", () =>
  Effect.gen(function* () {
    const simulator = yield* startSimulator()
    const [sunny, second] = [yield* link(simulator, "sunny"), yield* link(simulator, "second")]
    const { sites } = yield* simulator.simulation!.addHome("sunny", {})
    yield* simulator.simulation!.addHome("second", {})
    expect(sites).toHaveLength(2)
    const [one, two] = [yield* sunny.discover, yield* second.discover].map((devices) =>
      devices.map(({ manufacturerDeviceId }) => manufacturerDeviceId)
    )
    expect(one!.length).toBeGreaterThan(7)
    expect(one!.filter((id) => two!.includes(id))).toEqual([])
    yield* simulator.simulation!.removeHome("sunny", sites[1]!.id)
    expect(yield* sunny.discover).toHaveLength(7)
  })
)

it.effect("a fault begins and ends when the script says, on every instance", () =>
  Effect.gen(function* () {
    const { records } = memoryRecords()
    const one = yield* startSimulator(records)
    const sunny = yield* link(one, "sunny")
    yield* sunny.read
    const at = (minutes: number) => new Date(noon + minutes * 60_000).toISOString()
    yield* (yield* startAnother(records)).simulation!.scriptFault("sunny", {
      kind: "offline",
      deviceId: "sim-sunny-meter",
      from: at(10),
      until: at(20)
    })
    expect((yield* one.simulation!.get("sunny")).faults).toEqual([
      { kind: "offline", deviceId: "sim-sunny-meter", from: at(10), until: at(20) }
    ])
    const seen: Array<boolean> = []
    for (let minutes = 0; minutes < 25; minutes += 5) {
      const report = yield* sunny.read
      seen.push(observation(report, "sim-sunny-meter").state !== null)
      expect(observation(report, "sim-sunny-battery").state).not.toBeNull()
      yield* TestClock.adjust("5 minutes")
    }
    expect(seen).toEqual([true, true, false, false, true])
    expect((yield* one.simulation!.get("sunny")).faults).toEqual([])
  })
)

it.effect("a fault of the account can be scripted and cleared by its kind", () =>
  Effect.gen(function* () {
    const simulator = yield* startSimulator()
    const sunny = yield* link(simulator, "sunny")
    yield* simulator.simulation!.scriptFault("sunny", { kind: "unavailable" })
    yield* simulator.simulation!.scriptFault("sunny", { kind: "rate_limited", seconds: 30 })
    expect(yield* Effect.flip(sunny.read)).toMatchObject({ failure: "vendor_fault" })
    yield* simulator.simulation!.clearFaults("sunny", { kind: "unavailable" })
    expect(yield* Effect.flip(sunny.read)).toMatchObject({ failure: "throttled", retryAt: noon + 30_000 })
    yield* simulator.simulation!.clearFaults("sunny", {})
    yield* sunny.read
  })
)

it.effect("a script that is not possible names its field", () =>
  Effect.gen(function* () {
    const { scriptFault, setClock } = (yield* startSimulator()).simulation!
    const details = (call: Effect.Effect<unknown, unknown>) =>
      Effect.map(Effect.flip(call), (error) => Object.keys((error as { details?: object }).details ?? {}))
    expect(yield* details(scriptFault("sunny", { kind: "offline", deviceId: "unknown" }))).toEqual(["deviceId"])
    expect(yield* details(scriptFault("sunny", { kind: "rate_limited", deviceId: "sim-sunny-meter" }))).toEqual([
      "deviceId"
    ])
    expect(yield* details(scriptFault("sunny", { kind: "partial_fields" }))).toEqual(["fields"])
    expect(yield* details(scriptFault("sunny", { kind: "offline", until: "2020-01-01T00:00:00Z" }))).toEqual(["until"])
    expect(yield* Effect.flip(setClock("nobody", { speed: 1 }))).toMatchObject({ code: "NOT_FOUND" })
  })
)

it.effect("an account that is removed loses its tokens; a test account begins anew", () =>
  Effect.gen(function* () {
    const simulator = yield* startSimulator()
    yield* simulator.simulation!.growTown({ homes: 1 })
    const [home, sunny] = [yield* link(simulator, "town-1-1"), yield* link(simulator, "sunny")]
    yield* simulator.simulation!.remove("town-1-1")
    expect(yield* Effect.flip(home.read)).toMatchObject({ failure: "token_refused" })
    expect(yield* Effect.flip(simulator.simulation!.get("town-1-1"))).toMatchObject({ code: "NOT_FOUND" })
    yield* sunny.send("sim-sunny-battery", "battery:set-reserve", { chargePercentage: 77 })
    yield* simulator.simulation!.remove("sunny")
    expect(yield* Effect.flip(sunny.refresh)).toMatchObject({ failure: "grant_lost" })
    const again = yield* link(simulator, "sunny")
    expect(observation(yield* again.read, "sim-sunny-battery").state!["backupReserve"]).toBe(20)
  })
)
