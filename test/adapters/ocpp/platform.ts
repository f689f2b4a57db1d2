import { randomUUID } from "node:crypto"
import type { Account, AccountReport } from "@edp/adapter-kit/Account"
import type { AdapterRecords } from "@edp/adapter-kit/AdapterHost"
import type { CommandRequest } from "@edp/adapter-kit/ManufacturerAdapter"
import type { StationCredentials } from "@edp/adapter-ocpp/invitation"
import { makeOcppAdapter } from "@edp/adapter-ocpp/ocppAdapter"
import { stationTimes, type StationTimes } from "@edp/adapter-ocpp/stationTimes"
import { Effect, Exit, Logger, Schema, Scope } from "effect"
import { RPCClient } from "ocpp-rpc"
import WebSocket from "ws"
import { memoryRecords, testAccount, testHost, type TestHost } from "@edp/adapter-kit/testing/TestHost"
import { inboundServer } from "../../support/inboundServer.ts"
import { eventually } from "../../support/eventually.ts"

const closing: Array<() => Promise<unknown>> = []

/** Ends everything that a test has opened, the newest first. */
export const closeAll = async () => {
  for (const close of closing.splice(0).toReversed()) await close()
}

export const atEnd = (close: () => Promise<unknown> | unknown) => void closing.push(async () => close())

const quick: Partial<StationTimes> = { announce: 50, farewell: 500 }

export interface PlatformOptions {
  readonly times?: Partial<StationTimes>
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
  const adapter = makeOcppAdapter({ ...stationTimes, ...quick, ...times })
  const scope = Scope.makeUnsafe()
  const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(Effect.provide(effect, Logger.layer([])))
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

  /** Links a station: the account waits for it. */
  const link = async (stationId = "CP-1", options: { readonly pending?: boolean } = {}) => {
    const { authorization } = instance
    if (authorization.kind !== "inbound") throw new Error("Stations open the connection")
    const { account, instructions } = await run(authorization.invite({ stationId }))
    const { pending = false } = options
    accounts.set(account.externalId, { ...testAccount(account.externalId, account.credentials), pending })
    return { stationId: account.externalId, password: instructions.at(-1)!.value! }
  }

  const said = <A>(pick: (report: AccountReport) => ReadonlyArray<A> | null) =>
    reports.flatMap(({ report }) => pick(report) ?? [])
  return {
    url: `ws://127.0.0.1:${server.port}`,
    http: `http://127.0.0.1:${server.port}`,
    records,
    accounts,
    reports,
    instance,
    run,
    link,
    stop,
    observations: () => said(({ observations }) => observations),
    alerts: () => said(({ alerts }) => alerts),
    /** The devices of the newest report that lists them. */
    devices: () => reports.findLast(({ report }) => report.devices !== null)?.report.devices ?? [],
    /** The newest state of a connector. */
    state: (connector = 1, stationId = "CP-1") =>
      said(({ observations }) => observations)
        .filter(({ manufacturerDeviceId }) => manufacturerDeviceId === `${stationId}/${connector}`)
        .reduce<{ readonly observedAt: number; readonly state: any } | undefined>(
          (newest, one) => (newest === undefined || one.observedAt >= newest.observedAt ? one : newest),
          undefined
        )?.state
  }
}

export type Platform = Awaited<ReturnType<typeof startPlatform>>

/** A charging command for a connector, as the platform gives it to the adapter. */
export const sendCommand = (
  { accounts, instance, run }: Platform,
  stationId: string,
  operatingMode: "start-charging" | "stop-charging",
  more: Partial<CommandRequest> = {}
) =>
  run(
    Effect.result(
      instance.sendCommand!(accounts.get(stationId) as Account<StationCredentials>, {
        id: randomUUID(),
        device: { id: "device-1", manufacturerDeviceId: `${stationId}/1`, type: "charger" },
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

export interface Login {
  readonly stationId: string
  readonly password: string
}

/** A station on the client of `ocpp-rpc`, which checks every message of both sides against the schemas of the standard. */
export const rpcStation = async (
  { url }: { readonly url: string },
  { password, stationId }: Login,
  protocol: "ocpp1.6" | "ocpp2.0.1",
  responses: Readonly<Record<string, (params: any) => unknown>> = {}
) => {
  const client = new RPCClient({
    endpoint: `${url}/ocpp`,
    identity: stationId,
    password,
    protocols: [protocol],
    strictMode: true,
    reconnect: false,
    callConcurrency: 8
  } as ConstructorParameters<typeof RPCClient>[0])
  const heard: Array<{ readonly method: string; readonly params: any }> = []
  const failures: Array<unknown> = []
  client.on("strictValidationFailure", (failure: unknown) => failures.push(failure))
  client.on("badMessage", (failure: unknown) => failures.push(failure))
  client.handle(async ({ method, params }: { method?: string; params?: any }) => {
    heard.push({ method: method!, params })
    const respond = responses[method!]
    const plain = method === "GetConfiguration" ? {} : { status: "Accepted" }
    return (respond === undefined ? plain : respond(params)) as Record<string, unknown>
  })
  await client.connect()
  atEnd(() => client.close({ force: true }))
  return {
    client,
    /** Our requests, in their order. */
    heard,
    /** Messages that break the standard. */
    failures,
    call: (method: string, params: unknown) => client.call(method, params) as Promise<any>,
    asked: (method: string) => heard.filter((one) => one.method === method).map(({ params }) => params),
    /** Loses the connection as a cut cable does. */
    cut: () => client.close({ force: true })
  }
}
export type RpcStation = Awaited<ReturnType<typeof rpcStation>>

export interface Line {
  readonly socket: WebSocket
  readonly received: Array<any>
  readonly say: (frame: unknown) => void
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
}

/** A socket without any manners. */
export const openLine = (
  { url }: { readonly url: string },
  { password, stationId }: Login,
  protocols: ReadonlyArray<string> = ["ocpp1.6"]
): Promise<Line> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url}/ocpp/${encodeURIComponent(stationId)}`, [...protocols], {
      auth: `${stationId}:${password}`
    })
    const received: Array<any> = []
    const closed = new Promise<{ readonly code: number; readonly reason: string }>((ended) =>
      socket.on("close", (code, reason) => ended({ code, reason: reason.toString() }))
    )
    atEnd(() => socket.terminate())
    socket
      .on("message", (data) => received.push(JSON.parse(String(data))))
      .on("open", () =>
        resolve({
          socket,
          received,
          closed,
          say: (frame) => socket.send(typeof frame === "string" ? frame : JSON.stringify(frame))
        })
      )
      .on("unexpected-response", (_, { statusCode }) => reject(new Error(`HTTP ${statusCode}`)))
      .on("error", reject)
  })

export const boot16 = {
  chargePointVendor: "Vendor",
  chargePointModel: "Wallbox 11",
  chargePointSerialNumber: "SN-1",
  firmwareVersion: "1.2.3"
}

export const boot201 = {
  reason: "PowerUp",
  chargingStation: { vendorName: "Vendor", model: "Wallbox 22", serialNumber: "SN-2", firmwareVersion: "2.0" }
}
