import { expect, test } from "vitest"
import { rounds, testSeed as seed } from "../../support/rounds.ts"
import { movableClock } from "../../support/movableClock.ts"
import { Random } from "../../support/Random.ts"
import { scriptedAdapter } from "../../support/scriptedAdapter.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { batteryCommands } from "../commands/arrangeCommands.ts"
import { original } from "../commands/ModelBattery.ts"
import { MINUTE } from "./arrangeDispatches.ts"
import { DispatchWorld } from "./DispatchWorld.ts"

const RUNS = rounds(4)
const HOMES = 5
const STEPS = 120

const scripted = scriptedAdapter({ commands: batteryCommands })
const clock = movableClock(Date.now())
const app = useTestApp({ own: true, adapters: [scripted.adapter], clock })

const anyStep = async (world: DispatchWorld, random: Random) => {
  const home = random.pick(world.homes)
  const some = world.dispatches.length === 0 ? undefined : random.pick(world.dispatches.slice(-6))
  const kind = random.below(100)
  if (kind < 12) return world.create()
  if (kind < 37) return world.run()
  if (kind < 57) return world.work()
  if (kind < 60) return some && world.patch(some)
  if (kind < 62) return some && world.announce(some)
  if (kind < 65) return some && world.cancel(some)
  if (kind < 70) return some && world.optOut(some, home)
  if (kind < 72) return world.unenroll(home.siteId)
  if (kind < 75) return world.enroll(home.siteId, random.pick(world.instances))
  if (kind < 77) return world.command(random.pick(home.devices))
  if (kind < 82) return world.die()
  if (kind < 86) return world.expireLeases()
  if (kind < 88) return world.timeOut()
  world.move(random.pick([1, 1000, 20_000, MINUTE, 3 * MINUTE, 3 * MINUTE, 10 * MINUTE]))
}

const runRandomSequence = async (random: Random) => {
  const world = await DispatchWorld.make(app, clock, scripted, random, HOMES)
  for (let step = 0; step < STEPS; step++) {
    await anyStep(world, random)
    await world.look()
  }
  for (const { battery } of world.devices) battery.isTroubled = false
  for (let rounds = 0; ; rounds++) {
    expect(rounds).toBeLessThan(1000)
    await world.expireLeases()
    await world.run()
    await world.work()
    await world.timeOut()
    await world.look()
    const next = await world.next()
    if (next === undefined) break
    world.move(Math.max(1, next - world.now))
  }
  return world
}

test.each(Array.from({ length: RUNS }, (_, run) => seed + run))(
  "any sequence of dispatches keeps to the rules, ends, and leaves every device with its settings (seed %i)",
  async (each) => {
    const world = await runRandomSequence(new Random(each))
    expect(world.dispatches.length).toBeGreaterThan(1)
    expect(world.dispatches.filter(({ dueAt }) => dueAt !== null)).toEqual([])
    expect(await world.forced()).toEqual([])
    for (const { battery } of world.devices) {
      expect(battery.settings).toEqual(original)
      expect(battery.overlaps).toBe(0)
    }
  }
)
