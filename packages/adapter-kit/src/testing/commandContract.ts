import { deepEqual, doesNotMatch, equal, fail, ok } from "node:assert/strict"
import { commandReasons } from "@edp/domain/commands/CommandReason"
import { type CommandSlug, commandSlugs } from "@edp/domain/devices/DeviceType"
import { Cause, Exit } from "effect"
import { type AdapterError, isTransient } from "../AdapterError.ts"
import type { CommandResult, Manifest } from "../ManufacturerAdapter.ts"
import { asLinked, type ContractRun } from "./ContractRun.ts"
import type { TestRunner } from "./TestRunner.ts"
import { validInputs } from "./validInputs.ts"

/** Commands whose modes end, with the settings from before. */
const isForcing = (slug: CommandSlug) => /^(?:battery|charger|vehicle):set-operating-mode$/.test(slug)

/** Sentences with which adapters refuse what they do not know at all. */
const unknownCommand = /unknown command|not a command|does not support|not supported/i

/** Declares the tests of an adapter's commands. */
export const testCommands = (manifest: Manifest, run: () => ContractRun, { it }: TestRunner): void => {
  it("has a plan for each command that it lists, with each valid input", async () => {
    if (run().instance.sendCommand === undefined) return
    const account = run().stored(await run().link())
    const listed = new Set<string>()
    const statics = new Map<string, object>()
    const reports = await run().readOnce(account)
    const devices = await run().discover(account)
    for (const { manufacturerDeviceId, staticState } of reports.flatMap(({ observations }) => observations)) {
      if (staticState !== null) statics.set(manufacturerDeviceId, staticState)
    }
    for (const device of devices) {
      const staticState = statics.get(device.manufacturerDeviceId) ?? device.staticState
      for (const command of device.commands) {
        listed.add(command)
        for (const input of validInputs(command, staticState)) {
          const exit = await run().send(account, device, command, input)
          if (Exit.isSuccess(exit)) {
            ok(["accepted", "completed"].includes(exit.value.status))
            continue
          }
          const error = Cause.squash(exit.cause) as { readonly failure: string; readonly message: string }
          const what: string = `${command} ${JSON.stringify(input)}: ${error.failure}: ${error.message}`
          ok(!["contract", "misconfigured", "grant_lost", "vendor_fault"].includes(error.failure), what)
          doesNotMatch(error.message, unknownCommand, what)
        }
      }
    }
    ok(listed.size > 0)
  }, 120_000)

  it("stores the settings from before a forced mode once, and restores them as often as it is asked to", async () => {
    const { restore } = run().instance
    if (!manifest.commands.some(isForcing)) return
    if (restore === undefined) return fail("It forces modes and restores nothing")
    const account = run().stored(await run().link())
    await run().readOnce(account)
    for (const device of await run().discover(account)) {
      const command = device.commands.find(isForcing)
      if (command === undefined) continue
      const before = await run().readSettings(account, device)
      const { request, saved } = run().storedSettings()
      for (const input of validInputs(command, device.staticState)) {
        if (input["operatingMode"] === "reset") continue
        const count = saved.length
        const exit = await run().send(account, device, command, input, { ...request(), revertAfter: 600 })
        const isSent = Exit.isSuccess(exit) && exit.value.reason === null
        const what: string = `${command} ${JSON.stringify(input)}`
        if (count > 0) equal(saved.length, 1, what)
        else if (isSent) equal(saved.length, 1, what)
        else if (Exit.isSuccess(exit)) equal(saved.length, 0, what)
      }
      if (saved.length > 0) {
        for (let repetition = 0; repetition < 2; repetition++) {
          const result: CommandResult = await run().doneInTime(
            restore(account, { device: asLinked(device), snapshot: saved[0], takenSince: [] })
          )
          ok(["accepted", "completed"].includes(result.status))
        }
        deepEqual(await run().readSettings(account, device), before)
      }
      const foreign = await run().failure(
        restore(account, { device: asLinked(device), snapshot: { of: "another adapter" }, takenSince: [] })
      )
      equal(foreign.failure, "contract")
    }
  }, 120_000)

  it("leaves a reserve that was set during a forced mode as it was set, however often it restores", async () => {
    const { restore } = run().instance
    if (restore === undefined || !manifest.commands.includes("battery:set-reserve")) return
    const account = run().stored(await run().link())
    for (const device of await run().discover(account)) {
      const command = device.commands.find(isForcing)
      if (command === undefined || !device.commands.includes("battery:set-reserve")) continue
      const taken = (chargePercentage: number) => ({
        type: "battery:set-reserve" as const,
        input: { chargePercentage }
      })
      const reserve = async (percent: number) =>
        run().sendInTime(account, device, "battery:set-reserve", taken(percent).input)
      await reserve(44)
      const wanted = await run().readSettings(account, device)
      await reserve(25)
      const { request, saved } = run().storedSettings()
      const input = { operatingMode: "charge", enableGridInteraction: true }
      await run().sendInTime(account, device, command, input, { ...request(), revertAfter: 600 })
      equal(saved.length, 1)
      await reserve(44)
      const restored = { device: asLinked(device), snapshot: saved[0], takenSince: [taken(44)] }
      for (let repetition = 0; repetition < 2; repetition++) {
        await run().doneInTime(restore(account, restored))
        deepEqual(await run().readSettings(account, device), wanted)
      }
    }
  }, 120_000)

  it("sends nothing for a setting that the device holds already", async () => {
    if (run().instance.sendCommand === undefined) return
    const account = run().stored(await run().link())
    await run().readOnce(account)
    for (const device of await run().discover(account)) {
      for (const command of device.commands.filter((slug) => !isForcing(slug))) {
        for (const input of validInputs(command, device.staticState).slice(-1)) {
          const first = await run().send(account, device, command, input)
          if (Exit.isFailure(first) || first.value.output !== null) continue
          const again = await run().send(account, device, command, input)
          const what: string = `${command} ${JSON.stringify(input)}`
          ok(Exit.isSuccess(again), what)
          const { reason, status } = again.value
          if (status === "completed") equal(reason, "already_so", what)
        }
      }
    }
  }, 120_000)

  it("refuses commands that a device does not have, for good and with a reason", async () => {
    if (run().instance.sendCommand === undefined) return
    const account = run().stored(await run().link())
    await run().readOnce(account)
    for (const device of await run().discover(account)) {
      const others = commandSlugs.filter((slug) => !device.commands.includes(slug))
      const [foreign, ...own] = others.toSorted((slug) => (slug.startsWith(`${device.type}:`) ? 1 : -1))
      for (const command of [foreign!, ...own.filter((slug) => slug.startsWith(`${device.type}:`))]) {
        const input = validInputs(command, null)[0]!
        const exit = await run().send(account, device, command, input)
        ok(Exit.isFailure(exit), `${device.type} ${command}`)
        const error = Cause.squash(exit.cause) as AdapterError
        ok(!isTransient(error), `${device.type} ${command}: ${error.failure}`)
        ok(
          commandReasons.some((reason) => reason === error.commandReason),
          `${device.type} ${command}`
        )
      }
    }
  }, 120_000)
}
