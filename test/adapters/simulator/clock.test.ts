import { expect, it } from "@effect/vitest"
import { setClock, timeOn, type VirtualClock } from "@edp/adapter-simulator/cloud/virtualClock"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe } from "vitest"
import { memoryRecords } from "@edp/adapter-kit/testing/TestHost"
import { Random } from "../../support/Random.ts"
import { link, noon, observation, startAnother, startSimulator } from "./simulator.ts"

const HOUR = 3_600_000
const battery = "sim-sunny-battery"

describe("a clock", () => {
  it("never goes ahead of the present and never goes back, whatever is set", () => {
    const random = new Random(7)
    for (let run = 0; run < 200; run += 1) {
      let now = noon
      let clock: VirtualClock = null
      let shown = timeOn(clock, now)
      for (let change = 0; change < 20; change += 1) {
        now += random.below(HOUR)
        expect(timeOn(clock, now)).toBeGreaterThanOrEqual(shown)
        shown = timeOn(clock, now)
        expect(shown).toBeLessThanOrEqual(now)
        clock = setClock(
          clock,
          {
            ...(random.chance(0.5) && { speed: random.pick([0, 1, 60, 1440]) }),
            ...(random.chance(0.3) && { advance: random.below(7200) })
          },
          now
        )
        expect(timeOn(clock, now)).toBeGreaterThanOrEqual(shown)
        shown = timeOn(clock, now)
      }
    }
  })

  it.effect("that is set back lets the homes begin in the past, and catches up at its speed", () =>
    Effect.gen(function* () {
      const simulator = yield* startSimulator()
      yield* simulator.simulation!.setClock("sunny", { behind: 6 * 3600, speed: 60 })
      const sunny = yield* link(simulator, "sunny")
      expect(observation(yield* sunny.read, battery).observedAt).toBe(noon - 6 * HOUR)
      yield* TestClock.adjust("2 minutes")
      const report = yield* sunny.read
      expect(observation(report, battery).observedAt).toBe(noon - 4 * HOUR)
      const times = report.observations
        .filter(({ manufacturerDeviceId }) => manufacturerDeviceId === battery)
        .map(({ observedAt }) => observedAt)
      expect(times).toEqual(Array.from({ length: 8 }, (_, quarter) => noon - 6 * HOUR + ((quarter + 1) * HOUR) / 4))
      yield* TestClock.adjust("10 minutes")
      yield* sunny.read
      const present = yield* Clock.currentTimeMillis
      expect((yield* simulator.simulation!.get("sunny")).clock).toEqual({
        time: new Date(present).toISOString(),
        speed: 1,
        behind: 0
      })
    })
  )

  it.effect("that stands gives the same reading, and goes on where it stood", () =>
    Effect.gen(function* () {
      const simulator = yield* startSimulator()
      const sunny = yield* link(simulator, "sunny")
      yield* simulator.simulation!.setClock("sunny", { speed: 0 })
      const before = observation(yield* sunny.read, battery)
      yield* TestClock.adjust("30 minutes")
      const during = observation(yield* sunny.read, battery)
      expect(during.observedAt).toBe(before.observedAt)
      yield* simulator.simulation!.setClock("sunny", { advance: 600 })
      expect(observation(yield* sunny.read, battery).observedAt).toBe(noon + 600_000)
      yield* simulator.simulation!.setClock("sunny", { advance: 86_400, speed: 1 })
      expect(observation(yield* sunny.read, battery).observedAt).toBe(noon + HOUR / 2)
    })
  )

  it.effect("is not set back under a linked account", () =>
    Effect.gen(function* () {
      const simulator = yield* startSimulator()
      yield* link(simulator, "sunny")
      expect(yield* Effect.flip(simulator.simulation!.setClock("sunny", { behind: 60 }))).toMatchObject({
        details: { behind: expect.any(String) }
      })
    })
  )
})

describe("after a gap", () => {
  it.effect("a report has the quarters of an hour of the last day, whose energies add up", () =>
    Effect.gen(function* () {
      const sunny = yield* link(yield* startSimulator(), "sunny")
      const first = observation(yield* sunny.read, "sim-sunny-inverter").state!
      yield* TestClock.adjust("3 days")
      yield* sunny.refresh
      const { observations } = yield* sunny.read
      const inverter = observations.filter(({ manufacturerDeviceId }) => manufacturerDeviceId === "sim-sunny-inverter")
      expect(inverter).toHaveLength(96)
      const energies = inverter.map(({ state }) => (state as Record<string, number>)["generatedEnergy"]!)
      const last = inverter.at(-1)!.state as Record<string, number>
      expect(energies.reduce((sum, energy) => sum + energy, 0)).toBeCloseTo(
        last["lifetimeEnergyGenerated"]! - first["lifetimeEnergyGenerated"],
        0
      )
      expect(observations.every(({ observedAt }) => observedAt <= noon + 72 * HOUR)).toBe(true)
    })
  )

  it.effect("an instance without anything in memory reports the same as one that has read all along", () =>
    Effect.gen(function* () {
      const { records } = memoryRecords()
      const one = yield* startSimulator(records)
      const first = yield* link(one, "sunny")
      const started = yield* first.read
      for (let hour = 0; hour < 80; hour += 1) {
        yield* TestClock.adjust("1 hour")
        yield* first.refresh
        yield* first.read
      }
      const { memory: _, ...known } = yield* one.readDevices!({ ...first.account(), memory: started.memory }, [])
      const two = yield* startAnother(records)
      const { memory: __, ...fresh } = yield* two.readDevices!({ ...first.account(), memory: started.memory }, [])
      expect(JSON.stringify(fresh)).toBe(JSON.stringify(known))
    })
  )
})

describe("the records", () => {
  it.effect("are not written while an account is only read, and once a day to keep the state near", () =>
    Effect.gen(function* () {
      const { records, writes } = memoryRecords()
      const sunny = yield* link(yield* startSimulator(records), "sunny")
      yield* sunny.read
      const before = writes()
      for (let minute = 0; minute < 59; minute += 1) {
        yield* TestClock.adjust("1 minute")
        yield* sunny.read
      }
      expect(writes()).toBe(before)
      let refreshes = 0
      for (let hour = 0; hour < 96; hour += 1) {
        yield* TestClock.adjust("1 hour")
        yield* sunny.refresh
        refreshes += 1
        yield* sunny.read
      }
      expect(writes() - before - refreshes).toBeLessThanOrEqual(4)
    })
  )
})
