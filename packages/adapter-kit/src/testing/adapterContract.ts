import { deepEqual, equal, fail, match, notEqual, ok } from "node:assert/strict"
import { Clock, Effect, Schema } from "effect"
import type { AnyManufacturerAdapter } from "../ManufacturerAdapter.ts"
import { testCommands } from "./commandContract.ts"
import type { ContractCase } from "./ContractCase.ts"
import { asLinked, checkReport, type ContractRun, startContractRun } from "./ContractRun.ts"
import { testManifest } from "./manifestContract.ts"
import type { TestRunner } from "./TestRunner.ts"
import { validInputs } from "./validInputs.ts"

const now = () => Effect.runSync(Clock.currentTimeMillis)

/**
 * Declares the contract test of an adapter, in the suite that surrounds the call: the same tests hold for every adapter that comes with
 * the platform. The adapter works against the peer of its case, without the platform and its database.
 */
export const testAdapterContract = (
  adapter: AnyManufacturerAdapter,
  contractCase: ContractCase,
  runner: TestRunner
): void => {
  const { credentials, manifest } = adapter
  const { afterAll, beforeAll, it } = runner
  let started: ContractRun | undefined
  const run = () => started ?? fail("The adapter did not start")
  beforeAll(async () => {
    started = await startContractRun(adapter, contractCase)
  })
  afterAll(async () => started?.close())

  testManifest(adapter, contractCase, runner)
  testCommands(manifest, run, runner)

  it("links as its manifest says, with labels", () => {
    const { authorization } = run().instance
    equal(authorization.kind, manifest.authorization)
    const fields = "fields" in authorization ? authorization.fields : []
    for (const { choices = [], help, initial, kind, label, maximum, minimum, name } of fields) {
      for (const text of [label, ...(help === undefined ? [] : [help]), ...choices.map((choice) => choice.label)]) {
        for (const each of Object.values(text)) notEqual(each, "", name)
      }
      equal(kind === "choice", choices.length > 0, name)
      if (kind === "choice" && initial !== undefined)
        ok(
          choices.some(({ value }) => value === initial),
          name
        )
      if (kind === "integer" && initial !== undefined) {
        ok(Number(initial) >= (minimum ?? -Infinity), name)
        ok(Number(initial) <= (maximum ?? Infinity), name)
      }
    }
    equal(new Set(fields.map(({ name }) => name)).size, fields.length)
  })

  it("has the capabilities that its manifest names, and no others", () => {
    const { discoverDevices, readDevices, routes = [], sendCommand, subscribe } = run().instance
    equal(sendCommand !== undefined, manifest.commands.length > 0)
    ok(manifest.polling === null || readDevices !== undefined)
    if (readDevices === undefined) ok(run().peer.report !== undefined)
    if (manifest.authorization !== "inbound") {
      ok(discoverDevices !== undefined)
      ok(readDevices !== undefined || subscribe !== undefined)
    }
    for (const { path } of routes) match(path, /^\/(adapters\/|\.well-known\/)/)
  })

  it("identifies an account the same way each time, and its credentials survive storage", async () => {
    const first = await run().link()
    const second = await run().link()
    notEqual(first.externalId, "")
    ok(first.externalId.length <= 255)
    notEqual(first.name, "")
    if (manifest.authorization !== "inbound") equal(second.externalId, first.externalId)
    const encoded = Schema.encodeSync(credentials)(first.credentials)
    const decoded = Schema.decodeUnknownSync(credentials)(JSON.parse(JSON.stringify(encoded)))
    deepEqual(Schema.encodeSync(credentials)(decoded), encoded)
  })

  it("discovers the same devices each time, within its manifest", async () => {
    const account = run().stored(await run().link())
    const { discoverDevices } = run().instance
    if (discoverDevices === undefined) return
    const first = await run().done(discoverDevices(account))
    deepEqual(await run().done(discoverDevices(account)), first)
    ok(first.length > 0)
    equal(new Set(first.map(({ manufacturerDeviceId }) => manufacturerDeviceId)).size, first.length)
    for (const device of first) {
      ok(manifest.deviceTypes.includes(device.type), device.type)
      ok(device.manufacturerDeviceId.length > 0)
      ok(device.manufacturerDeviceId.length <= 255)
      for (const text of [device.name, device.model]) {
        notEqual(text.trim(), "")
        ok(text.length <= 255)
      }
      for (const command of device.commands) {
        ok(manifest.commands.includes(command), command)
        equal(command.split(":")[0], device.type)
      }
    }
  })

  it("reads states of the contract, whose times never go back", async () => {
    const account = run().stored(await run().link())
    const times = new Map<string, number>()
    let states = 0
    for (let round = 0; round < 3; round++) {
      const reports = await run().readOnce(account)
      const devices = await run().discover(account)
      for (const report of reports) {
        checkReport(report, devices, now())
        for (const { manufacturerDeviceId, observedAt, state } of report.observations) {
          ok(observedAt >= (times.get(manufacturerDeviceId) ?? 0), manufacturerDeviceId)
          times.set(manufacturerDeviceId, observedAt)
          if (state !== null) states += 1
        }
        states += report.history?.length ?? 0
      }
    }
    ok(states > 0)
  })

  it("says when it may call again after too many calls", async () => {
    if (run().peer.linkThrottled === undefined) {
      deepEqual(manifest.quotas, [])
      return
    }
    const devices = (await run().discover(run().stored(await run().link()))).map(asLinked)
    const account = run().stored(await run().linkThrottled())
    const start = now()
    const error = await run().failure(run().instance.readDevices!(account, devices))
    equal(error.failure, "throttled")
    ok(error.retryAt !== null && error.retryAt > start && error.retryAt < start + 86_400_000)
  })

  it("goes on with values that it does not know", async () => {
    const { sendUnknownValues } = run().peer
    if (sendUnknownValues === undefined) return
    const account = run().stored(await run().link())
    await run().readOnce(account)
    await sendUnknownValues()
    const reports = await run().readOnce(account)
    const devices = await run().discover(account)
    for (const report of reports) checkReport(report, devices, now())
  })

  it("keeps secrets out of everything that it logs, reports and fails with", async () => {
    const account = run().stored(await run().link())
    await run().readOnce(account)
    const devices = await run().discover(account)
    await run().peer.refuse?.()
    const { readDevices, sendCommand, subscribe } = run().instance
    if (run().peer.refuse !== undefined) {
      if (readDevices !== undefined) await run().failure(readDevices(account, devices.map(asLinked)))
      else if (subscribe !== undefined)
        await run().failure(subscribe(account, () => fail("An account that is refused reports")))
      const device = devices.find(({ commands }) => commands.length > 0)
      if (sendCommand !== undefined && device !== undefined) {
        const [command] = device.commands
        await run().send(account, device, command!, validInputs(command!, device.staticState)[0] ?? {})
      }
    }
    const secrets = run().peer.secrets()
    ok(secrets.every((secret) => secret.length >= 8))
    const output = run().output()
    for (const secret of secrets) ok(!output.includes(secret), "a secret")
  })
}
