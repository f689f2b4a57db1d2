import { greenButtonAdapter } from "@edp/adapter-green-button/greenButtonAdapter"
import type { GreenButtonCredentials } from "@edp/adapter-green-button/credentials"
import type { Account, AccountReport, LinkedDevice } from "@edp/adapter-kit/Account"
import type { AdapterError } from "@edp/adapter-kit/AdapterError"
import { testAccount, testHost } from "@edp/adapter-kit/testing/TestHost"
import { Effect, Redacted, Schema, Scope } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { UtilityServer } from "../../support/peers/UtilityServer.ts"
import { signIn } from "./contractCase.ts"
import { DAY, electric, gasMeter, HOUR, meterIds, midnight, run } from "./utilityMeters.ts"

const utility = new UtilityServer()
beforeAll(() => utility.start())
afterAll(() => utility.stop())

const today = midnight(Date.now())
const from = today - 10 * DAY
const intervals = run(from, HOUR, Array<number>(240).fill(500))

beforeEach(() => {
  utility.calls.length = 0
  utility.faults.clear()
  utility.hasList = true
  utility.meters.clear()
  for (const [id, title] of [
    [meterIds.kitchen, "Kitchen"],
    [meterIds.barn, "Barn"]
  ] as const)
    utility.meters.set(id, electric(id, title, { intervals }))
})

const create = async (changes: Readonly<Record<string, string>> = {}) => {
  const settings = Schema.decodeUnknownSync(greenButtonAdapter.settings)({
    ...utility.settings(),
    historyDays: "10",
    ...changes
  })
  return Effect.runPromise(
    Effect.provideService(greenButtonAdapter.create(settings, testHost().host), Scope.Scope, Scope.makeUnsafe())
  )
}
const link = async (instance: Awaited<ReturnType<typeof create>>) => {
  const linked = await Effect.runPromise(signIn(instance))
  return testAccount<GreenButtonCredentials>("account", linked.credentials)
}
const linkedDevice = (manufacturerDeviceId: string): LinkedDevice => ({
  id: `id-${manufacturerDeviceId}`,
  manufacturerDeviceId,
  type: "meter"
})
const both = [linkedDevice(meterIds.kitchen), linkedDevice(meterIds.barn)]

const read = async (changes: Readonly<Record<string, string>> = {}, devices = [both[0]!]) => {
  const instance = await create(changes)
  const account = await link(instance)
  return Effect.runPromise(instance.readDevices!(account, devices))
}
const readFailure = async () => {
  const instance = await create()
  const account = await link(instance)
  return Effect.runPromise(Effect.flip(instance.readDevices!(account, [both[0]!])) as Effect.Effect<AdapterError>)
}
const again = (account: Account<GreenButtonCredentials>, { memory }: AccountReport) => ({ ...account, memory })

describe("a sign-in", () => {
  test("keeps the addresses of the token response, also through a refresh that has none", async () => {
    const instance = await create()
    const { credentials } = await link(instance)
    const addresses = {
      resourceURI: expect.stringContaining("/Batch/Subscription/"),
      authorizationURI: expect.stringContaining("/Authorization/"),
      customerResourceURI: `${utility.resource()}/Batch/RetailCustomer/7`
    }
    expect(credentials).toMatchObject(addresses)
    const renewed = await Effect.runPromise(instance.refresh!(testAccount("account", credentials)))
    expect(renewed.credentials).toMatchObject(addresses)
    expect(Redacted.value(renewed.credentials.accessToken)).not.toBe(Redacted.value(credentials.accessToken))
  })

  test.each([
    ["without a resourceURI", {}],
    ["whose resourceURI names no subscription", { resourceURI: "https://utility.example.com/resource/*" }],
    ["whose resourceURI is no text", { resourceURI: 5 }]
  ])("fails with a token response %s", async (_, fields) => {
    const { tokenFields } = utility
    utility.tokenFields = () => fields
    const error = await Effect.runPromise(Effect.flip(signIn(await create())))
    utility.tokenFields = tokenFields
    expect(error).toMatchObject({ failure: "contract", message: expect.stringContaining("resourceURI") })
  })

  test("sends the token to the operator's address alone, whatever the token response names", async () => {
    const { tokenFields } = utility
    utility.tokenFields = (id) => ({ resourceURI: `http://127.0.0.1:1/espi/1_1/resource/Batch/Subscription/${id}` })
    const { history = [] } = await read()
    utility.tokenFields = tokenFields
    expect(history).toHaveLength(480)
  })

  test("has the same identity after another authorization, as long as it has the same meters", async () => {
    const instance = await create()
    const [one, other] = [await Effect.runPromise(signIn(instance)), await Effect.runPromise(signIn(instance))]
    expect(one.credentials.resourceURI).not.toBe(other.credentials.resourceURI)
    expect(one.externalId).toBe(other.externalId)
    expect(one.name).toBe("Lakeside Power")
  })
})

describe("a reading", () => {
  test("usage points that are no electricity meters are listed with the reason", async () => {
    utility.meters.set(gasMeter.id, gasMeter)
    const instance = await create()
    const found = await Effect.runPromise(instance.discoverDevices!(await link(instance)))
    expect(found.map(({ incompatible, name }) => [name, incompatible])).toEqual([
      ["Kitchen", null],
      ["Barn", null],
      ["Gas", "A usage point of gas. The platform reads those of electricity."]
    ])
  })

  test.each(["subscription", "usage-point"])("of %s batches has the same history", async (batch) => {
    const { history = [], problems } = { problems: [], ...(await read({ batch }, both)) }
    expect([history.length, problems]).toEqual([960, []])
    expect(new Set(history.map(({ manufacturerDeviceId }) => manufacturerDeviceId))).toEqual(
      new Set([meterIds.kitchen, meterIds.barn])
    )
    expect(history[0]).toEqual({
      manufacturerDeviceId: meterIds.kitchen,
      at: from * 1000,
      state: { power: 500 }
    })
    expect(utility.calls.filter(({ path }) => path.includes("/Batch/"))).toHaveLength(batch === "subscription" ? 1 : 2)
  })

  test("a utility without a list of usage points is read by its batches", async () => {
    utility.hasList = false
    const instance = await create()
    const account = await link(instance)
    expect(await Effect.runPromise(instance.discoverDevices!(account))).toHaveLength(2)
    const report = await Effect.runPromise(instance.readDevices!(account, both))
    expect(report.history).toHaveLength(960)
  })

  test("nothing that was reported is reported again", async () => {
    const instance = await create()
    const account = await link(instance)
    const first = await Effect.runPromise(instance.readDevices!(account, both))
    utility.givesValidators = false
    const second = await Effect.runPromise(instance.readDevices!(again(account, first), both))
    utility.givesValidators = true
    expect([first.activity, second.history, second.activity]).toEqual(["idle", [], "idle"])
  })

  test.each([
    [{ uom: 38 }, 500],
    [{ powerOfTenMultiplier: 3, uom: 72 }, 500_000],
    [{ flowDirection: 19 }, -500],
    [{ flowDirection: 4 }, 500],
    [{ accumulationBehaviour: 4 }, 500]
  ])("the ReadingType %j gives %i W", async (type, power) => {
    utility.meters.get(meterIds.kitchen)!.series = [{ type, intervals }]
    const { history = [] } = await read()
    expect(new Set(history.map(({ state }) => (state as { readonly power: number }).power))).toEqual(new Set([power]))
  })

  test("a meter whose series cannot be used says why", async () => {
    utility.meters.get(meterIds.kitchen)!.series = [{ type: { uom: 9999 }, intervals }]
    const { history, observations } = await read()
    expect(history).toEqual([])
    expect(observations[0]!.problems).toEqual([expect.stringContaining("uom 9999 is neither Wh (72) nor W (38)")])
  })

  test("an interval of the future is left out and said", async () => {
    utility.meters.get(meterIds.kitchen)!.series = [
      { intervals: [...intervals, { start: today + 23 * HOUR, duration: 3 * HOUR, value: 1 }] }
    ]
    const { history = [], observations } = await read()
    expect(history).toHaveLength(480)
    expect(observations[0]!.problems[0]).toContain("takes an interval that ends by")
  })
})

describe("a hostile or broken feed fails with its reason, and nothing of it is taken", () => {
  const atom = 'xmlns="http://www.w3.org/2005/Atom"'
  const bomb = `<?xml version="1.0"?><!DOCTYPE feed [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "${"&a;".repeat(50)}">]><feed ${atom}><title>&b;</title></feed>`
  const external = `<?xml version="1.0"?><!DOCTYPE feed SYSTEM "file:///etc/passwd"><feed ${atom}/>`
  test.each([
    ["entities", bomb, "DOCTYPE is refused"],
    ["an external entity", external, "DOCTYPE is refused"],
    ["an undefined entity", `<feed ${atom}><title>&passwd;</title></feed>`, "not well-formed"],
    ["a million levels", `<feed ${atom}>${"<a>".repeat(1_000_000)}`, "at most 64 levels"],
    ["a text of two megabytes", `<feed ${atom}><title>${"x".repeat(2_097_152)}</title></feed>`, "longer than"],
    ["another namespace", '<feed xmlns="https://example.com/feed"/>', "takes feed of the namespace"],
    ["a web page", "<!DOCTYPE html><html><body>Maintenance</body></html>", "web page"],
    ["JSON", '{"error":"maintenance"}', "JSON"],
    ["nothing", "", "empty"],
    ["half of itself", `<feed ${atom}><entry><id>urn:uuid:1</id>`, "incomplete"]
  ])("%s", async (_, body, reason) => {
    utility.respondOnce("/Batch/", { status: 200, body })
    const error = await readFailure()
    expect(error).toMatchObject({ failure: "contract", message: expect.stringContaining(reason) })
    expect(error.message.length).toBeLessThan(1000)
  })
})

describe("a status", () => {
  test.each([
    [401, "token_refused", null],
    [403, "scope_missing", "scope_missing"],
    [404, "refused", null],
    [410, "grant_lost", "sign_in_again"],
    [429, "throttled", null],
    [500, "vendor_fault", null],
    [503, "vendor_fault", null],
    [302, "contract", null]
  ])("%i means %s", async (status, failure, intervention) => {
    utility.respondOnce("/Batch/", { status })
    expect(await readFailure()).toMatchObject({ failure, intervention, upstream: { statusCode: status } })
  })

  test.each([
    ["fails", meterIds.kitchen, meterIds.barn, 500, ["The utility answered the batch with status 500"]],
    ["asks for a pause after another was read", meterIds.barn, meterIds.kitchen, 429, []]
  ])(
    "is one of a usage point alone: one that %s leaves the other as it is, and is read again",
    async (_, bad, good, status, problems) => {
      const instance = await create({ batch: "usage-point" })
      const account = await link(instance)
      utility.respondOnce(`/UsagePoint/${bad}`, { status })
      const first = await Effect.runPromise(instance.readDevices!(account, both))
      const ids = ({ history = [] }: AccountReport) => new Set(history.map((reading) => reading.manufacturerDeviceId))
      expect([ids(first), first.activity]).toEqual([new Set([good]), "normal"])
      expect(first.observations.find(({ manufacturerDeviceId }) => manufacturerDeviceId === bad)!.problems).toEqual(
        problems
      )
      const second = await Effect.runPromise(instance.readDevices!(again(account, first), both))
      expect([ids(second), second.activity]).toEqual([new Set([bad]), "idle"])
    }
  )
})
