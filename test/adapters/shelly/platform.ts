import { randomUUID } from "node:crypto"
import type { Account, AccountReport } from "@edp/adapter-kit/Account"
import type { AdapterRecords } from "@edp/adapter-kit/AdapterHost"
import type { CommandRequest } from "@edp/adapter-kit/ManufacturerAdapter"
import { memoryRecords, testAccount, testHost, type TestHost } from "@edp/adapter-kit/testing/TestHost"
import type { ShellyCredentials } from "@edp/adapter-shelly/deviceAddress"
import { type DeviceTimes, deviceTimes } from "@edp/adapter-shelly/deviceTimes"
import { makeShellyAdapter } from "@edp/adapter-shelly/shellyAdapter"
import { Effect, Exit, Logger, Schema, Scope } from "effect"
import { eventually } from "../../support/eventually.ts"
import { inboundServer } from "../../support/inboundServer.ts"
import { dialShelly, type ShellyModel } from "../../support/peers/ShellyDevice.ts"

const closing: Array<() => Promise<unknown>> = []

/** Ends everything that a test has opened, the newest first. */
export const closeAll = async () => {
  for (const close of closing.splice(0).toReversed()) await close()
}

export const atEnd = (close: () => Promise<unknown> | unknown) => void closing.push(async () => close())

export const quickTimes: Partial<DeviceTimes> = {
  reportEvery: 20,
  switchEvery: 0,
  announce: 200,
  settle: 200,
  settleStep: 20,
  farewell: 500
}

export interface PlatformOptions {
  readonly times?: Partial<DeviceTimes>
  readonly settings?: Readonly<Record<string, string>>
  /** Those of another instance of the same platform. */
  readonly shared?: Pick<TestHost, "accounts" | "reports"> & { readonly records: AdapterRecords }
  readonly env?: Readonly<Record<string, string>>
}

/** One instance of the platform with the adapter alone: its port, and a host that collects what is reported. */
export const startPlatform = async ({ env, settings = {}, shared, times = {} }: PlatformOptions = {}) => {
  const records = shared?.records ?? memoryRecords().records
  const made = testHost({ records, publicUrl: "https://energy.example.com" })
  const accounts: TestHost["accounts"] = shared?.accounts ?? made.accounts
  const reports: TestHost["reports"] = shared?.reports ?? made.reports
  const logged: Array<string> = []
  const logger = Logger.make<unknown, void>(({ message }) => void logged.push(String(message)))
  const adapter = makeShellyAdapter({ ...deviceTimes, ...quickTimes, ...times })
  const scope = Scope.makeUnsafe()
  const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(Effect.provide(effect, Logger.layer([logger])))
  const instance = await run(
    adapter
      .create(Schema.decodeUnknownSync(adapter.settings)(settings), {
        ...made.host,
        findAccount: (externalId) => Effect.sync(() => accounts.get(externalId)),
        report: (accountId, report) => Effect.sync(() => void reports.push({ accountId, report }))
      })
      .pipe(Scope.provide(scope))
  )
  const server = await inboundServer([instance.inbound!], env)
  const stop = async () => {
    await server.close()
    await run(Scope.close(scope, Exit.void))
  }
  atEnd(stop)
  const url = `ws://127.0.0.1:${server.port}`

  /** Links a device: the account waits for it. Returns the path of its address. */
  const link = async (options: { readonly chargers?: string; readonly pending?: boolean } = {}) => {
    const { authorization } = instance
    if (authorization.kind !== "inbound") throw new Error("Devices open the connection")
    const { account, instructions } = await run(authorization.invite({ chargers: options.chargers ?? "" }))
    const { pending = false } = options
    accounts.set(account.externalId, { ...testAccount(account.externalId, account.credentials), pending })
    const address = instructions.find(({ value }) => value?.startsWith("wss:") === true)!.value!
    return { id: account.externalId, path: new URL(address).pathname, address, instructions, account }
  }

  const said = <A>(pick: (report: AccountReport) => ReadonlyArray<A> | null) =>
    reports.flatMap(({ report }) => pick(report) ?? [])
  const observations = () => said((report) => report.observations)
  return {
    url,
    http: `http://127.0.0.1:${server.port}`,
    records,
    accounts,
    reports,
    logged,
    instance,
    run,
    link,
    stop,
    dial: async (path: string, model: ShellyModel, options: Parameters<typeof dialShelly>[2] = {}) => {
      const peer = await dialShelly(`${url}${path}`, model, options)
      atEnd(() => peer.socket.terminate())
      return peer
    },
    observations,
    /** The devices of the newest report that lists them. */
    devices: () => reports.findLast(({ report }) => report.devices !== null)?.report.devices ?? [],
    /** The newest state of a device. */
    state: (id: string): any => observations().findLast((one) => one.manufacturerDeviceId === id)?.state
  }
}
export type Platform = Awaited<ReturnType<typeof startPlatform>>

/** A charging command for a switch, as the platform gives it to the adapter. */
export const sendCommand = (
  { accounts, instance, run }: Platform,
  id: string,
  manufacturerDeviceId: string,
  operatingMode: "start-charging" | "stop-charging",
  more: Partial<CommandRequest> = {}
) =>
  run(
    Effect.result(
      instance.sendCommand!(accounts.get(id) as Account<ShellyCredentials>, {
        id: randomUUID(),
        device: { id: "device-1", manufacturerDeviceId, type: "charger" },
        type: "charger:set-operating-mode",
        input: { operatingMode },
        revertAfter: null,
        state: null,
        snapshot: null,
        takenSince: [],
        saveSnapshot: () => Effect.void,
        ...more
      })
    )
  )

/** Waits until something is the case. */
export const until = (what: string, holds: () => boolean) => eventually(what, () => (holds() ? true : undefined))
