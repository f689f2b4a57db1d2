import { expect, test } from "vitest"
import { rounds, testSeed as seed } from "../../support/rounds.ts"
import { Random } from "../../support/Random.ts"
import { scriptedAdapter } from "../../support/scriptedAdapter.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { batteryCommands } from "./arrangeCommands.ts"
import { isOpen } from "./commandRules.ts"
import { CommandWorld } from "./CommandWorld.ts"
import { original } from "./ModelBattery.ts"
import { Effect } from "effect"

const RUNS = rounds(6)
const DEVICES = 8
const STEPS = 60

const scripted = scriptedAdapter({ commands: batteryCommands })
const app = useTestApp({ own: true, adapters: [scripted.adapter] })

const anyStep = async (world: CommandWorld, random: Random) => {
  const device = random.pick(world.devices)
  const own = world.commands.filter(({ deviceId }) => deviceId === device.id).slice(-4)
  const some = own.length === 0 ? undefined : random.pick(own)
  const kind = random.below(100)
  if (kind < 35) return world.issue(device)
  if (kind < 65) return world.work()
  if (kind < 70) return some && world.cancel(some.id)
  if (kind < 77) {
    // The manufacturer tells results of commands that it has got.
    const isKnown = some !== undefined && (some.deliveredAt !== null || some.reason === "timeout")
    if (!isKnown) return
    return random.chance(0.7)
      ? world.report(some.id, "completed")
      : world.report(some.id, "failed", random.pick(["refused", "contradicted_by_state"]))
  }
  if (kind < 80) return world.orphan(device)
  if (kind < 88) return world.expireLeases()
  if (kind < 91) return void (await world.timeOut())
  if (kind < 94) return void (await world.revert())
  world.now += random.pick([-300, 1, 1000, 30_000, 60_000, 900_000])
}

/** Something happens while the manufacturer has a command and the platform does not know yet what becomes of it. */
const interfere = (world: CommandWorld, random: Random) => {
  for (const device of world.devices) {
    device.battery.during = ({ id }) =>
      Effect.promise(async () => {
        if (!random.chance(0.1)) return
        if (random.chance(0.5)) await world.report(id, random.pick(["completed", "failed"]))
        else expect((await world.tryCancel(id)).status).toBe(400)
      })
  }
}

const runRandomSequence = async (random: Random) => {
  const world = await CommandWorld.make(app, scripted, random, DEVICES)
  interfere(world, random)
  for (let step = 0; step < STEPS; step++) {
    await anyStep(world, random)
    await world.look()
  }
  for (const { battery } of world.devices) battery.isTroubled = false
  let isReverted = random.chance(0.5)
  for (;;) {
    await world.expireLeases()
    if (!isReverted) isReverted = (await world.revert()).length === 0
    await world.work()
    await world.timeOut()
    await world.look()
    const next = await world.next()
    if (next === undefined) break
    world.now = Math.max(world.now + 1, next)
  }
  expect(await world.revert()).toEqual([])
  expect(world.commands.filter(isOpen)).toEqual([])
  for (const { battery } of world.devices) expect(battery.settings).toEqual(original)
  return world
}

test.each(Array.from({ length: RUNS }, (_, run) => seed + run))(
  "any sequence of commands keeps to the rules, ends, and leaves the settings as they were (seed %i)",
  async (each) => {
    const world = await runRandomSequence(new Random(each))
    expect(world.commands.length).toBeGreaterThan(STEPS / 12)
  }
)
