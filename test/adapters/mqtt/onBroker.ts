import type { Account, AccountReport, DeviceObservation } from "@edp/adapter-kit/Account"
import type { AdapterError } from "@edp/adapter-kit/AdapterError"
import type {
  AdapterInstance,
  AnyManufacturerAdapter,
  CommandRequest,
  LinkedAccount
} from "@edp/adapter-kit/ManufacturerAdapter"
import { Effect, Exit, Fiber, Scope } from "effect"
import { testAccount, testHost } from "@edp/adapter-kit/testing/TestHost"
import { eventually } from "../../support/eventually.ts"

export interface Subscription {
  readonly reports: ReadonlyArray<AccountReport>
  /** Resolves with the first observation after the given number that fits. */
  readonly observed: (what: string, fits: (observation: DeviceObservation) => boolean) => Promise<DeviceObservation>
  readonly observations: () => ReadonlyArray<DeviceObservation>
  /** The error with which the subscription ended. */
  readonly failed: () => Promise<AdapterError>
  readonly end: () => Promise<void>
}

/** An instance of an adapter with accounts on a broker, for as long as the test needs it. */
export const startAdapter = async (
  adapter: AnyManufacturerAdapter,
  settings: object = {},
  options: Parameters<typeof testHost>[0] = {}
) => {
  const scope = Scope.makeUnsafe()
  const { accounts, host } = testHost(options)
  const instance: AdapterInstance<any> = await Effect.runPromise(
    Effect.provideService(adapter.create(settings, host), Scope.Scope, scope)
  )
  const { authorization } = instance
  if (authorization.kind !== "form") throw new Error("The adapter has no form")
  const connect = (values: Readonly<Record<string, string>>): Promise<LinkedAccount<any>> =>
    Effect.runPromise(authorization.connect(values))
  const running: Array<Subscription> = []
  return {
    host,
    instance,
    connect,
    /** The error of a form. */
    refused: (values: Readonly<Record<string, string>>): Promise<AdapterError> =>
      Effect.runPromise(Effect.flip(authorization.connect(values))),
    link: async (values: Readonly<Record<string, string>>) => {
      const linked = await connect(values)
      return testAccount(linked.externalId, linked.credentials)
    },
    /** The platform knows the account from now on. */
    own: (account: Account<any>) => void accounts.set(account.externalId, { ...account, pending: false }),
    discover: (account: Account<any>) => Effect.runPromise(instance.discoverDevices!(account)),
    subscribe: (account: Account<any>): Subscription => {
      const reports: Array<AccountReport> = []
      const fiber = Effect.runFork(
        Effect.flip(instance.subscribe!(account, (report) => Effect.sync(() => void reports.push(report))))
      )
      const observations = () => reports.flatMap((report) => report.observations)
      const subscription: Subscription = {
        reports,
        observations,
        observed: (what, fits) => eventually(what, () => observations().find(fits)),
        failed: () => Effect.runPromise(Fiber.join(fiber)),
        end: () => Effect.runPromise(Fiber.interrupt(fiber))
      }
      running.push(subscription)
      return subscription
    },
    send: (account: Account<any>, request: CommandRequest) =>
      Effect.runPromise(Effect.result(instance.sendCommand!(account, request))),
    close: async () => {
      for (const one of running) await one.end()
      await Effect.runPromise(Scope.close(scope, Exit.void))
    }
  }
}

export const commandTo = (
  manufacturerDeviceId: string,
  type: CommandRequest["type"],
  input: CommandRequest["input"]
): CommandRequest => ({
  id: "c1",
  device: { id: "d1", manufacturerDeviceId, type: type.split(":")[0] as "charger" },
  type,
  input,
  revertAfter: null,
  state: null,
  snapshot: null,
  takenSince: [],
  saveSnapshot: () => Effect.void
})
