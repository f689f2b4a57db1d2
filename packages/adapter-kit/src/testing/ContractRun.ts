import { ok } from "node:assert/strict"
import { readingSchemas } from "@edp/domain/devices/DeviceState"
import { staticStateSchemas } from "@edp/domain/devices/StaticState"
import type { Account, AccountReport, DiscoveredDevice, LinkedDevice } from "../Account.ts"
import { type AdapterError, isTransient } from "../AdapterError.ts"
import type { AdapterInstance, AnyManufacturerAdapter, CommandRequest, LinkedAccount } from "../ManufacturerAdapter.ts"
import { Cause, Effect, Exit, Fiber, Logger, References, Schema, Scope } from "effect"
import type { ContractCase } from "./ContractCase.ts"
import { testAccount, testHost } from "./TestHost.ts"

const PATIENCE = "100 seconds"

/** Asks until there is a value. */
const eventually = <A>(what: string, ask: () => A | undefined | Promise<A | undefined>): Promise<A> =>
  Effect.runPromise(
    Effect.gen(function* () {
      for (;;) {
        const found = yield* Effect.promise(async () => ask())
        if (found !== undefined) return found
        yield* Effect.sleep("20 millis")
      }
    }).pipe(
      Effect.timeoutOrElse({
        duration: PATIENCE,
        orElse: () => Effect.die(new Error(`Waited ${PATIENCE} in vain for ${what}`))
      })
    )
  )

const withoutRedaction = (value: unknown) => JSON.stringify(value) ?? ""

/** A discovered device as the platform has stored it. */
export const asLinked = ({ manufacturerDeviceId, type }: DiscoveredDevice): LinkedDevice => ({
  id: `id-${manufacturerDeviceId}`,
  manufacturerDeviceId,
  type
})

/** An adapter at work against its peer, with everything that it logged, reported and failed with. */
export const startContractRun = async (adapter: AnyManufacturerAdapter, contractCase: ContractCase) => {
  const peer = await contractCase.start()
  const output: Array<string> = []
  const logger = Logger.make<unknown, void>((entry) => {
    output.push(withoutRedaction([entry.message, Cause.pretty(entry.cause)]))
  })
  const scope = Scope.makeUnsafe()
  const platform = testHost({
    ...(peer.http !== undefined && { http: peer.http }),
    ...(peer.publicUrl !== undefined && { publicUrl: peer.publicUrl })
  })

  /** Runs an effect of the adapter. Defects fail the test; what it fails with is kept. */
  const run = async <A>(effect: Effect.Effect<A, AdapterError>): Promise<Exit.Exit<A, AdapterError>> => {
    const exit = await Effect.runPromiseExit(
      effect.pipe(Effect.provide(Logger.layer([logger])), Effect.provideService(References.MinimumLogLevel, "All"))
    )
    if (Exit.isFailure(exit)) {
      output.push(withoutRedaction(exit.cause), Cause.pretty(exit.cause), String(Cause.squash(exit.cause)))
      ok(!Cause.hasDies(exit.cause), Cause.pretty(exit.cause))
    }
    return exit
  }
  const done = async <A>(effect: Effect.Effect<A, AdapterError>): Promise<A> => {
    const exit = await run(effect)
    if (Exit.isFailure(exit)) throw new Error(Cause.pretty(exit.cause))
    return exit.value
  }
  const failure = async (effect: Effect.Effect<unknown, AdapterError>): Promise<AdapterError> =>
    done(Effect.flip(effect) as Effect.Effect<AdapterError, never>)

  /** The result of a call that the platform repeats while it fails for a while. */
  const doneInTime = <A>(effect: Effect.Effect<A, AdapterError>): Promise<A> =>
    eventually("a result", async () => {
      const exit = await run(effect)
      if (Exit.isSuccess(exit)) return exit.value
      const error = Cause.squash(exit.cause) as AdapterError
      if (isTransient(error)) return undefined
      throw error
    })

  const settings = await Effect.runPromise(
    Schema.decodeUnknownEffect(adapter.settings)({ ...contractCase.settings, ...peer.settings })
  )
  const instance: AdapterInstance<any> = await done(
    Effect.provideService(adapter.create(settings, platform.host), Scope.Scope, scope)
  )

  /** The credentials as the platform gives them to the adapter: stored and read again. */
  const stored = (linked: LinkedAccount<any>): Account<any> => {
    const text = JSON.stringify(Schema.encodeSync(adapter.credentials)(linked.credentials))
    const credentials = Schema.decodeUnknownSync(adapter.credentials)(JSON.parse(text))
    return testAccount(linked.externalId, credentials, peer.http === undefined ? {} : { http: peer.http })
  }

  const keep = (report: AccountReport) => {
    output.push(withoutRedaction({ ...report, memory: undefined }))
    return report
  }

  const memories = new Map<string, unknown>()

  /** The devices of an account; of one with an inbound connection, those that it has reported. */
  const discover = async (account: Account<any>): Promise<ReadonlyArray<DiscoveredDevice>> =>
    instance.discoverDevices === undefined
      ? (platform.reports.findLast(({ accountId, report }) => accountId === account.id && report.devices !== null)
          ?.report.devices ?? [])
      : done(instance.discoverDevices(account))

  /** Reports of an account until each of some devices had a reading, by whatever way the adapter reads. */
  const readOnce = async (account: Account<any>): Promise<ReadonlyArray<AccountReport>> => {
    const { readDevices, subscribe } = instance
    if (readDevices !== undefined) {
      const devices = (await discover(account)).map(asLinked)
      const report = keep(await done(readDevices({ ...account, memory: memories.get(account.id) ?? null }, devices)))
      if (report.memory !== undefined) memories.set(account.id, JSON.parse(JSON.stringify(report.memory)))
      return [report]
    }
    const reports: Array<AccountReport> = []
    const own = () => platform.reports.filter(({ accountId }) => accountId === account.id).map(({ report }) => report)
    const before = own().length
    const fiber =
      subscribe === undefined
        ? undefined
        : Effect.runFork(subscribe(account, (report) => Effect.sync(() => void reports.push(report))))
    const seen = () => [...reports, ...own().slice(before)]
    if (subscribe !== undefined) await eventually("the first report", () => (seen().length > 0 ? true : undefined))
    await peer.report!(platform, account)
    await eventually("a reading", () =>
      seen().some(({ observations }) =>
        observations.some(({ problems, state }) => state !== null || problems.length > 0)
      )
        ? true
        : undefined
    )
    if (fiber !== undefined) await Effect.runPromise(Fiber.interrupt(fiber))
    return seen().map(keep)
  }

  /** The settings of a device that its readings show; null for one that reports by itself. */
  const readSettings = async (account: Account<any>, device: DiscoveredDevice) => {
    if (instance.readDevices === undefined) return null
    const observations = (await readOnce(account)).flatMap((report) => report.observations)
    const own = observations.findLast((one) => one.manufacturerDeviceId === device.manufacturerDeviceId)
    const { backupReserve, chargeLimit, strategy } = (own?.state ?? {}) as Readonly<Record<string, unknown>>
    return { backupReserve, chargeLimit, strategy }
  }

  let commands = 0
  const sending = (
    account: Account<any>,
    device: DiscoveredDevice,
    type: CommandRequest["type"],
    input: CommandRequest["input"],
    more: Partial<CommandRequest> = {}
  ) =>
    instance.sendCommand!(account, {
      id: `command-${++commands}`,
      device: asLinked(device),
      type,
      input,
      revertAfter: null,
      state: null,
      snapshot: null,
      takenSince: [],
      saveSnapshot: () => Effect.void,
      ...more
    })
  const send = (...request: Parameters<typeof sending>) => run(sending(...request))
  /** Sends a command, as often as it takes, and expects that it is taken. */
  const sendInTime = (...request: Parameters<typeof sending>) => doneInTime(sending(...request))

  /** The settings that the platform keeps of a device while a mode is forced on it. */
  const storedSettings = () => {
    const saved: Array<unknown> = []
    return {
      saved,
      request: (): Pick<CommandRequest, "snapshot" | "saveSnapshot"> => ({
        snapshot: saved[0] ?? null,
        saveSnapshot: (snapshot) => Effect.sync(() => void saved.push(JSON.parse(JSON.stringify(snapshot))))
      })
    }
  }

  return {
    peer,
    instance,
    run,
    done,
    failure,
    stored,
    discover,
    readOnce,
    send,
    sendInTime,
    storedSettings,
    readSettings,
    doneInTime,
    output: () => output.join("\n"),
    link: () => done(peer.link(instance, platform)),
    linkThrottled: () => done(peer.linkThrottled!(instance, platform)),
    close: async () => {
      await Effect.runPromise(Scope.close(scope, Exit.void))
      await peer.close()
    }
  }
}
export type ContractRun = Awaited<ReturnType<typeof startContractRun>>

/** Everything in a report is what the contract allows. */
export const checkReport = (report: AccountReport, devices: ReadonlyArray<DiscoveredDevice>, now: number) => {
  const types = new Map([...devices, ...(report.devices ?? [])].map((one) => [one.manufacturerDeviceId, one.type]))
  for (const { manufacturerDeviceId, observedAt, state, staticState } of report.observations) {
    const type = types.get(manufacturerDeviceId)
    ok(type !== undefined, `${manufacturerDeviceId} was not discovered`)
    ok(Number.isFinite(observedAt) && observedAt > 0 && observedAt <= now + 60_000, `observed at ${observedAt}`)
    const decode = (schema: Schema.Top, value: unknown) =>
      Schema.decodeUnknownSync(schema as Schema.Codec<unknown>)(value)
    if (state !== null) decode(readingSchemas[type], JSON.parse(JSON.stringify(state)))
    if (staticState !== null) decode(staticStateSchemas[type], JSON.parse(JSON.stringify(staticState)))
  }
  for (const { at, manufacturerDeviceId, state } of report.history ?? []) {
    const type = types.get(manufacturerDeviceId)
    ok(type !== undefined, `${manufacturerDeviceId} was not discovered`)
    ok(Number.isFinite(at) && at > 0 && at <= now, `measured at ${at}`)
    Schema.decodeUnknownSync(readingSchemas[type] as Schema.Codec<unknown>)(JSON.parse(JSON.stringify(state)))
  }
}
