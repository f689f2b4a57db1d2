import type { Language } from "@edp/domain/shared/Language"
import { randomUUID } from "node:crypto"
import type { AccountReport } from "@edp/adapter-kit/Account"
import type { AdapterRecords } from "@edp/adapter-kit/AdapterHost"
import type { AdapterInstance, CommandRequest } from "@edp/adapter-kit/ManufacturerAdapter"
import type { OAuthTokens } from "@edp/adapter-kit/oauth/OAuthTokens"
import { simulatorAdapter } from "@edp/adapter-simulator/simulatorAdapter"
import { Clock, Effect, Fiber, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { memoryRecords, testAccount, testHost } from "@edp/adapter-kit/testing/TestHost"

export const PUBLIC_URL = "https://energy.example.com"
export const REDIRECT_URI = `${PUBLIC_URL}/oauth/callback`
export const VERIFIER = "a".repeat(43)

/** Noon of a June day at the homes. */
export const noon = Date.UTC(2026, 5, 17, 20)

export type Instance = AdapterInstance<OAuthTokens>

/** An instance of the adapter at noon. Two over the same records are two instances of the platform. */
export const startSimulator = Effect.fnUntraced(function* (records: AdapterRecords = memoryRecords().records) {
  yield* TestClock.setTime(noon)
  return yield* startAnother(records)
})

/** A further instance, without a change of the time. */
export const startAnother = (records: AdapterRecords) =>
  simulatorAdapter.create({}, testHost({ records, publicUrl: PUBLIC_URL }).host)

/** Sends a request to the simulator's routes. */
export const send = Effect.fnUntraced(function* (
  { routes = [] }: Instance,
  url: string,
  options: {
    readonly form?: Readonly<Record<string, string>>
    readonly headers?: Readonly<Record<string, string>>
  } = {}
) {
  const { form, headers = {} } = options
  const method = form === undefined ? "GET" : "POST"
  const route = routes.find((one) => one.method === method && one.path === new URL(url).pathname)
  if (route === undefined) return yield* Effect.die(new Error(`No route for ${method} ${url}`))
  const request = new Request(url, { method, headers, ...(form && { body: new URLSearchParams(form) }) })
  return yield* route.handle.pipe(
    Effect.provideService(HttpServerRequest.HttpServerRequest, HttpServerRequest.fromWeb(request)),
    Effect.scoped,
    Effect.map((response) => HttpServerResponse.toWeb(response))
  )
})

export const authorization = ({ authorization: found }: Instance) => {
  if (found.kind !== "oauth2") throw new Error("The simulator links accounts by OAuth")
  return found
}

/** The address to which the platform sends a person. */
export const authorizationUrl = (simulator: Instance, state = "state-1", language: Language = "en") =>
  authorization(simulator).authorizationUrl({
    state,
    redirectUri: REDIRECT_URI,
    codeVerifier: Redacted.make(VERIFIER),
    language
  })

/** A person chooses an account and decides. Returns the parameters of the callback. */
export const decide = Effect.fnUntraced(function* (simulator: Instance, account: string, decision = "approve") {
  const url = new URL(yield* authorizationUrl(simulator))
  const form = { ...Object.fromEntries(url.searchParams), account, decision }
  const response = yield* send(simulator, url.href, { form })
  const location = new URL(response.headers.get("location") ?? "about:blank")
  return { location, parameters: Object.fromEntries(location.searchParams) }
})

export const exchange = (simulator: Instance, parameters: Readonly<Record<string, string>>, verifier = VERIFIER) =>
  authorization(simulator).exchange({ parameters, redirectUri: REDIRECT_URI, codeVerifier: Redacted.make(verifier) })

/** A linked account, with calls that remember as the platform does. */
export const link = Effect.fnUntraced(function* (simulator: Instance, id: string) {
  const { parameters } = yield* decide(simulator, id)
  const linked = yield* exchange(simulator, parameters)
  let credentials = linked.credentials
  let memory: unknown = null
  const account = () => testAccount(linked.externalId, credentials, { memory })
  const snapshots: Array<unknown> = []
  return {
    linked,
    account,
    snapshots,
    discover: Effect.suspend(() => simulator.discoverDevices!(account())),
    read: Effect.suspend(() => simulator.readDevices!(account(), [])).pipe(
      Effect.tap((report) => Effect.sync(() => (memory = JSON.parse(JSON.stringify(report.memory)))))
    ),
    refresh: Effect.suspend(() => simulator.refresh!(account())).pipe(
      Effect.tap((renewed) => Effect.sync(() => (credentials = renewed.credentials)))
    ),
    send: (
      deviceId: string,
      type: CommandRequest["type"],
      input: Readonly<Record<string, unknown>> = {},
      more: Partial<CommandRequest> = {}
    ) =>
      Effect.suspend(() =>
        simulator.sendCommand!(account(), {
          id: randomUUID(),
          device: { id: "device", manufacturerDeviceId: deviceId, type: type.split(":")[0] as "battery" },
          type,
          input,
          revertAfter: null,
          state: null,
          snapshot: null,
          takenSince: [],
          saveSnapshot: (snapshot) => Effect.sync(() => void snapshots.push(JSON.parse(JSON.stringify(snapshot)))),
          ...more
        })
      ),
    restore: (deviceId: string, snapshot: unknown, takenSince: CommandRequest["takenSince"] = []) =>
      Effect.suspend(() =>
        simulator.restore!(account(), {
          device: { id: "device", manufacturerDeviceId: deviceId, type: "battery" },
          snapshot,
          takenSince
        })
      )
  }
})

/** Runs a call that takes simulated time, and tells how many seconds. */
export const timed = Effect.fnUntraced(function* <A, E>(call: Effect.Effect<A, E>) {
  const begun = yield* Clock.currentTimeMillis
  const fiber = yield* Effect.forkChild(call)
  const turn = Effect.promise(() => new Promise((done) => setImmediate(done)))
  for (let turns = 0; turns < 20; turns += 1) yield* turn
  while (fiber.pollUnsafe() === undefined) {
    yield* TestClock.adjust("1 second")
    for (let turns = 0; turns < 20; turns += 1) yield* turn
  }
  return { value: yield* Fiber.join(fiber), seconds: ((yield* Clock.currentTimeMillis) - begun) / 1000 }
})

/** The newest observation of a device. */
export const observation = (report: AccountReport, deviceId: string) => {
  const found = report.observations.findLast(({ manufacturerDeviceId }) => manufacturerDeviceId === deviceId)
  if (found === undefined) throw new Error(`No observation of ${deviceId}`)
  return { ...found, state: found.state as Readonly<Record<string, any>> | null }
}
