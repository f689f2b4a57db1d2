import { commandReasons } from "@edp/domain/commands/CommandReason"
import { type CommandSlug, commandSlugs } from "@edp/domain/devices/DeviceType"
import { type AdapterError, isTransient } from "@edp/server/adapters/AdapterError"
import type { CommandResult } from "@edp/server/adapters/ManufacturerAdapter"
import { Cause, Exit, Schema } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { describeServer } from "../../../support/describeServer.ts"
import { asLinked, checkReport, type ContractRun, startContractRun } from "./ContractRun.ts"
import { contractAdapters, contractCases } from "./contractCases.ts"
import { validInputs } from "./validInputs.ts"

/** Commands whose modes end, with the settings from before. */
const isForcing = (slug: CommandSlug) => /^(?:battery|charger|vehicle):set-operating-mode$/.test(slug)

/** Sentences with which adapters refuse what they do not know at all. */
const unknownCommand = /unknown command|not a command|does not support|not supported/i

for (const contractCase of contractCases) {
  const adapter = contractAdapters.find(({ manifest }) => manifest.slug === contractCase.slug)
  // The test of manifests fails for a case without an adapter.
  if (adapter === undefined) continue
  const { credentials, manifest } = adapter
  const { isAvailable = true, program = "" } = contractCase.needs ?? {}

  describeServer(program, isAvailable, `the adapter ${manifest.slug}`, () => {
    let run: ContractRun
    beforeAll(async () => {
      run = await startContractRun(adapter, contractCase)
    })
    afterAll(() => run?.close())

    it("links as its manifest says, with labels in both languages", () => {
      const { authorization } = run.instance
      expect(authorization.kind).toBe(manifest.authorization)
      const fields = "fields" in authorization ? authorization.fields : []
      for (const { choices = [], help, initial, kind, label, maximum, minimum, name } of fields) {
        for (const text of [label, ...(help === undefined ? [] : [help]), ...choices.map((choice) => choice.label)]) {
          expect(text.en, name).not.toBe("")
          expect(text.es, name).not.toBe("")
        }
        expect(kind === "choice", name).toBe(choices.length > 0)
        if (kind === "choice" && initial !== undefined) expect(choices.map(({ value }) => value)).toContain(initial)
        if (kind === "integer" && initial !== undefined) {
          expect(Number(initial)).toBeGreaterThanOrEqual(minimum ?? -Infinity)
          expect(Number(initial)).toBeLessThanOrEqual(maximum ?? Infinity)
        }
      }
      expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length)
    })

    it("has the capabilities that its manifest names, and no others", () => {
      const { discoverDevices, readDevices, routes = [], sendCommand, subscribe } = run.instance
      expect(sendCommand !== undefined).toBe(manifest.commands.length > 0)
      expect(manifest.polling === null || readDevices !== undefined).toBe(true)
      if (readDevices === undefined) expect(run.peer.report).toBeDefined()
      if (manifest.authorization !== "inbound") {
        expect(discoverDevices).toBeDefined()
        expect(readDevices !== undefined || subscribe !== undefined).toBe(true)
      }
      for (const { path } of routes) expect(path).toMatch(/^\/(adapters\/|\.well-known\/)/)
    })

    it("identifies an account the same way each time, and its credentials survive storage", async () => {
      const first = await run.link()
      const second = await run.link()
      expect(first.externalId).not.toBe("")
      expect(first.externalId.length).toBeLessThanOrEqual(255)
      expect(first.name).not.toBe("")
      if (manifest.authorization !== "inbound") expect(second.externalId).toBe(first.externalId)
      const encoded = Schema.encodeSync(credentials)(first.credentials)
      const decoded = Schema.decodeUnknownSync(credentials)(JSON.parse(JSON.stringify(encoded)))
      expect(Schema.encodeSync(credentials)(decoded)).toEqual(encoded)
    })

    it("discovers the same devices each time, within its manifest", async () => {
      const account = run.stored(await run.link())
      if (run.instance.discoverDevices === undefined) return
      const first = await run.done(run.instance.discoverDevices(account))
      expect(await run.done(run.instance.discoverDevices(account))).toEqual(first)
      expect(first.length).toBeGreaterThan(0)
      expect(new Set(first.map(({ manufacturerDeviceId }) => manufacturerDeviceId)).size).toBe(first.length)
      for (const device of first) {
        expect(manifest.deviceTypes).toContain(device.type)
        expect(device.manufacturerDeviceId.length).toBeGreaterThan(0)
        expect(device.manufacturerDeviceId.length).toBeLessThanOrEqual(255)
        for (const text of [device.name, device.model]) {
          expect(text.trim()).not.toBe("")
          expect(text.length).toBeLessThanOrEqual(255)
        }
        for (const command of device.commands) {
          expect(manifest.commands).toContain(command)
          expect(command.split(":")[0]).toBe(device.type)
        }
      }
    })

    it("reads states of the contract, whose times never go back", async () => {
      const account = run.stored(await run.link())
      const times = new Map<string, number>()
      let states = 0
      for (let round = 0; round < 3; round++) {
        const reports = await run.readOnce(account)
        const devices = await run.discover(account)
        for (const report of reports) {
          checkReport(report, devices, Date.now())
          for (const { manufacturerDeviceId, observedAt, state } of report.observations) {
            expect(observedAt).toBeGreaterThanOrEqual(times.get(manufacturerDeviceId) ?? 0)
            times.set(manufacturerDeviceId, observedAt)
            if (state !== null) states += 1
          }
        }
      }
      expect(states).toBeGreaterThan(0)
    })

    it("has a plan for each command that it lists, with each valid input", async () => {
      if (run.instance.sendCommand === undefined) return
      const account = run.stored(await run.link())
      const listed = new Set<string>()
      const statics = new Map<string, object>()
      const reports = await run.readOnce(account)
      const devices = await run.discover(account)
      for (const { manufacturerDeviceId, staticState } of reports.flatMap(({ observations }) => observations)) {
        if (staticState !== null) statics.set(manufacturerDeviceId, staticState)
      }
      for (const device of devices) {
        const staticState = statics.get(device.manufacturerDeviceId) ?? device.staticState
        for (const command of device.commands) {
          listed.add(command)
          for (const input of validInputs(command, staticState)) {
            const exit = await run.send(account, device, command, input)
            if (Exit.isSuccess(exit)) {
              expect(["accepted", "completed"]).toContain(exit.value.status)
              continue
            }
            const error = Cause.squash(exit.cause) as { readonly failure: string; readonly message: string }
            const what = `${command} ${JSON.stringify(input)}: ${error.failure}: ${error.message}`
            expect(["contract", "misconfigured", "grant_lost", "vendor_fault"], what).not.toContain(error.failure)
            expect(error.message, what).not.toMatch(unknownCommand)
          }
        }
      }
      expect(listed.size).toBeGreaterThan(0)
    }, 120_000)

    it("stores the settings from before a forced mode once, and restores them as often as it is asked to", async () => {
      const { restore } = run.instance
      if (!manifest.commands.some(isForcing)) return
      if (restore === undefined) return expect.unreachable("It forces modes and restores nothing")
      const account = run.stored(await run.link())
      await run.readOnce(account)
      for (const device of await run.discover(account)) {
        const command = device.commands.find(isForcing)
        if (command === undefined) continue
        const before = await run.readSettings(account, device)
        const { request, saved } = run.storedSettings()
        for (const input of validInputs(command, device.staticState)) {
          if (input["operatingMode"] === "reset") continue
          const count = saved.length
          const exit = await run.send(account, device, command, input, { ...request(), revertAfter: 600 })
          const isSent = Exit.isSuccess(exit) && exit.value.reason === null
          const what = `${command} ${JSON.stringify(input)}`
          if (count > 0) expect(saved.length, what).toBe(1)
          else if (isSent) expect(saved.length, what).toBe(1)
          else if (Exit.isSuccess(exit)) expect(saved.length, what).toBe(0)
        }
        if (saved.length > 0) {
          for (let repetition = 0; repetition < 2; repetition++) {
            const { status } = await run.doneInTime(restore(account, asLinked(device), saved[0]))
            expect(["accepted", "completed"]).toContain(status)
          }
          expect(await run.readSettings(account, device)).toEqual(before)
        }
        const foreign = await run.failure(restore(account, asLinked(device), { of: "another adapter" }))
        expect(foreign.failure).toBe("contract")
      }
    }, 120_000)

    it("sends nothing for a setting that the device holds already", async () => {
      if (run.instance.sendCommand === undefined) return
      const account = run.stored(await run.link())
      await run.readOnce(account)
      for (const device of await run.discover(account)) {
        for (const command of device.commands.filter((slug) => !isForcing(slug))) {
          for (const input of validInputs(command, device.staticState).slice(-1)) {
            const first = await run.send(account, device, command, input)
            if (Exit.isFailure(first) || first.value.output !== null) continue
            const again = await run.send(account, device, command, input)
            const what = `${command} ${JSON.stringify(input)}`
            expect(Exit.isSuccess(again), what).toBe(true)
            const { reason, status } = (again as Exit.Success<CommandResult>).value
            if (status === "completed") expect(reason, what).toBe("already_so")
          }
        }
      }
    }, 120_000)

    it("refuses commands that a device does not have, for good and with a reason", async () => {
      if (run.instance.sendCommand === undefined) return
      const account = run.stored(await run.link())
      await run.readOnce(account)
      for (const device of await run.discover(account)) {
        const others = commandSlugs.filter((slug) => !device.commands.includes(slug))
        const [foreign, ...own] = others.toSorted((slug) => (slug.startsWith(`${device.type}:`) ? 1 : -1))
        for (const command of [foreign!, ...own.filter((slug) => slug.startsWith(`${device.type}:`))]) {
          const input = validInputs(command, null)[0]!
          const exit = await run.send(account, device, command, input)
          expect(Exit.isFailure(exit), `${device.type} ${command}`).toBe(true)
          const error = Cause.squash((exit as Exit.Failure<never, AdapterError>).cause) as AdapterError
          expect(isTransient(error), `${device.type} ${command}: ${error.failure}`).toBe(false)
          expect(commandReasons, `${device.type} ${command}`).toContain(error.commandReason)
        }
      }
    }, 120_000)

    it("says when it may call again after too many calls", async () => {
      if (run.peer.linkThrottled === undefined) {
        expect(manifest.quotas).toEqual([])
        return
      }
      const devices = (await run.discover(run.stored(await run.link()))).map(asLinked)
      const account = run.stored(await run.linkThrottled())
      const now = Date.now()
      const error = await run.failure(run.instance.readDevices!(account, devices))
      expect(error.failure).toBe("throttled")
      expect(error.retryAt).toBeGreaterThan(now)
      expect(error.retryAt).toBeLessThan(now + 86_400_000)
    })

    it("goes on with values that it does not know", async () => {
      if (run.peer.sendUnknownValues === undefined) return
      const account = run.stored(await run.link())
      await run.readOnce(account)
      await run.peer.sendUnknownValues()
      const reports = await run.readOnce(account)
      const devices = await run.discover(account)
      for (const report of reports) checkReport(report, devices, Date.now())
    })

    it("keeps secrets out of everything that it logs, reports and fails with", async () => {
      const account = run.stored(await run.link())
      await run.readOnce(account)
      const devices = await run.discover(account)
      await run.peer.refuse?.()
      const { readDevices, sendCommand, subscribe } = run.instance
      if (run.peer.refuse !== undefined) {
        if (readDevices !== undefined) await run.failure(readDevices(account, devices.map(asLinked)))
        else if (subscribe !== undefined) await run.failure(subscribe(account, () => expect.unreachable()))
        const device = devices.find(({ commands }) => commands.length > 0)
        if (sendCommand !== undefined && device !== undefined) {
          const [command] = device.commands
          await run.send(account, device, command!, validInputs(command!, device.staticState)[0] ?? {})
        }
      }
      const secrets = run.peer.secrets()
      expect(secrets.every((secret) => secret.length >= 8)).toBe(true)
      const output = run.output()
      for (const secret of secrets) expect(output.includes(secret), "a secret").toBe(false)
    })
  })
}
