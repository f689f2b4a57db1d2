import type { LinkedDevice } from "@edp/adapter-kit/Account"
import { teslaAdapter } from "@edp/adapter-tesla/teslaAdapter"
import { Effect, Redacted, Schema } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { memoryRecords, testAccount, testHost } from "@edp/adapter-kit/testing/TestHost"
import { type TeslaCall, TeslaServer } from "../../support/peers/TeslaServer.ts"
import { UserAgent } from "../../support/UserAgent.ts"
import { type CuttableDevice, dieAtEachWrite, type ForcedStep } from "@edp/adapter-kit/testing/cutWrites"

const SITE = "2251799813"
const VIN = "5YJ3E1EA7KF000001"

const tesla = new TeslaServer()
beforeAll(() => tesla.start())
beforeEach(() => tesla.reset())
afterAll(() => tesla.stop())

const redirectUri = "http://127.0.0.1:9/oauth/callback"
const codeVerifier = Redacted.make("v".repeat(64))
const settings = () => Schema.decodeUnknownSync(teslaAdapter.settings)(tesla.settings())

const link = () =>
  Effect.gen(function* () {
    const { authorization } = yield* teslaAdapter.create(settings(), testHost().host)
    if (authorization.kind !== "oauth2") return yield* Effect.die("Tesla has OAuth")
    const url = yield* authorization.authorizationUrl({ state: "s", redirectUri, codeVerifier, language: "en" })
    const agent = new UserAgent((one) => one.startsWith(redirectUri))
    const page = yield* Effect.promise(() => agent.open(url))
    const parameters = Object.fromEntries(new URL(page.url).searchParams)
    return yield* authorization.exchange({ parameters, redirectUri, codeVerifier })
  }).pipe(Effect.scoped, Effect.runPromise)

/** A device of an account whose calls that change something can be cut. */
const cuttable = async (device: LinkedDevice, shown: () => unknown): Promise<CuttableDevice> => {
  const { credentials, externalId } = await link()
  const { host } = testHost({ records: memoryRecords().records })
  return {
    start: Effect.map(teslaAdapter.create(settings(), host), (instance) => ({
      instance,
      account: testAccount(externalId, credentials),
      device
    })),
    cutAt: (write, arrives) => {
      let left = write
      return new Promise((reached) => {
        const cut = async ({ method, path }: TeslaCall) => {
          const changes = method === "POST" && !path.endsWith("fleet_status")
          if (!changes || (left -= 1) !== 0) return
          reached()
          await new Promise(() => {})
        }
        tesla.beforeResponse = arrives ? () => Promise.resolve() : cut
        tesla.beforeSending = arrives ? cut : () => Promise.resolve()
      })
    },
    settings: () => Promise.resolve(structuredClone(shown()))
  }
}

describe("a process that dies between two calls of Tesla", () => {
  test("leaves a site as it was, whichever call is cut", async () => {
    const mode = (input: object): ForcedStep => ({
      type: "battery:set-operating-mode",
      input: { enableGridInteraction: true, ...input }
    })
    const battery = { id: "d1", manufacturerDeviceId: `${SITE}:battery`, type: "battery" } as const
    const device = await cuttable(battery, () => tesla.sites.get(SITE)!.info)
    const writes = await dieAtEachWrite(device, [
      mode({ operatingMode: "charge", maximumBatteryReserve: 90 }),
      mode({ operatingMode: "idle" }),
      mode({ operatingMode: "discharge", minimumBatteryReserve: 30 })
    ])
    expect(writes).toBeGreaterThanOrEqual(10)
  })

  test("leaves a vehicle charging or not, as it was", async () => {
    const car = { id: "d4", manufacturerDeviceId: VIN, type: "vehicle" } as const
    const device = await cuttable(car, () => tesla.vehicles.get(VIN)!.data["charge_state"].charging_state)
    const mode = (operatingMode: string): ForcedStep => ({
      type: "vehicle:set-operating-mode",
      input: { operatingMode },
      revertAfter: 600
    })
    expect(await dieAtEachWrite(device, [mode("start-charging"), mode("stop-charging"), mode("start-charging")])).toBe(
      4
    )
  })
})
