import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { expectError } from "../../support/expectError.ts"
import { someAddress } from "../../support/Seed.ts"
import { type TestApp, useTestApp } from "../../support/TestApp.ts"
import { arrangeCustomers, nobody } from "../customers/arrangeCustomers.ts"
import { StubGeocoder } from "../../support/peers/stubGeocoder.ts"

const offline = useTestApp()

describeKeyChecks(offline, [{ method: "POST", path: "/v1/sites/bulk", allowed: ["SERVER", "API"] }])

const arrange = async (app: TestApp = offline, organizationId?: string) => {
  const place = await arrangeCustomers(app, organizationId)
  const bulk = (sites: unknown) => place.call("POST", "/v1/sites/bulk", { sites })
  const total = async () => (await place.call("GET", "/v1/sites")).body.totalItems
  return { ...place, bulk, total }
}

const refused = (index: number, code: string, details?: object) => ({
  index,
  status: "error",
  code,
  message: expect.stringMatching(/./),
  ...(details === undefined ? {} : { details })
})

describe("POST /v1/sites/bulk", () => {
  test("200 creates or rejects each item by itself, like a single request", async () => {
    const { bulk, create, call, site, total, organizationId } = await arrange()
    const before = await site()
    const customer = await create()
    const foreign = await (await arrange(offline, organizationId)).create()
    const [first, second] = [someAddress(), someAddress()]
    const { status, body } = await bulk([
      { name: "Home", referenceId: "home-1", address: first, tags: ["pilot", "pilot"], customerId: customer.id },
      { address: { ...before.address, streetOne: before.address.streetOne.toUpperCase() } },
      { address: { ...someAddress(), city: " " } },
      { name: "No address" },
      { address: { ...someAddress(), state: "NY" } },
      { address: someAddress(), location: { latitude: 91, longitude: 0 } },
      { address: { ...first, country: "US" } },
      { address: someAddress(), customerId: nobody },
      { address: someAddress(), customerId: foreign.id },
      { address: { ...second, postalCode: "95899" } },
      { address: second, location: { latitude: 1, longitude: 2 }, timezone: "America/Los_Angeles" },
      7
    ])
    expect(status).toBe(200)
    const ids = body.results.flatMap(({ site }: any) => site?.id ?? [])
    const shown = await Promise.all(ids.map(async (id: string) => (await call("GET", `/v1/sites/${id}`)).body))
    expect(body).toEqual({
      created: 2,
      failed: 10,
      results: [
        { index: 0, status: "created", site: shown[0] },
        refused(1, "SITE_ALREADY_EXISTS"),
        refused(2, "VALIDATION_ERROR", { "address.city": expect.any(String) }),
        refused(3, "VALIDATION_ERROR", { address: expect.any(String) }),
        refused(4, "INVALID_LOCATION"),
        refused(5, "INVALID_LOCATION"),
        refused(6, "SITE_ALREADY_EXISTS"),
        refused(7, "CUSTOMER_NOT_FOUND"),
        refused(8, "CUSTOMER_NOT_FOUND"),
        refused(9, "INVALID_LOCATION"),
        { index: 10, status: "created", site: shown[1] },
        refused(11, "VALIDATION_ERROR", { body: "Must be a JSON object" })
      ]
    })
    expect(shown[0]).toMatchObject({
      name: "Home",
      referenceId: "home-1",
      tags: ["pilot"],
      customerIds: [customer.id],
      location: { latitude: 38.580568, longitude: -121.49559 }
    })
    expect(shown[1]).toMatchObject({ location: { latitude: 1, longitude: 2 }, timezone: "America/Los_Angeles" })
    expect(await total()).toBe(3)
  })

  test("200 creates an item with coordinates whose address an earlier item could not locate", async () => {
    const { bulk } = await arrange()
    const address = { ...someAddress(), state: "NY" }
    const { body } = await bulk([{ address }, { address, location: { latitude: 1, longitude: 2 } }])
    expect(body.results).toMatchObject([refused(0, "INVALID_LOCATION"), { index: 1, status: "created" }])
  })

  test("200 accepts 500 items, in their order", async () => {
    const { bulk, call } = await arrange()
    const { status, body } = await bulk(
      Array.from({ length: 500 }, (_, n) => ({ name: `${n}`, address: someAddress() }))
    )
    expect([status, body.created, body.failed]).toEqual([200, 500, 0])
    expect(body.results.map(({ site }: any) => site.name)).toEqual(Array.from({ length: 500 }, (_, n) => `${n}`))
    expect((await call("GET", "/v1/sites?perPage=1")).body).toMatchObject({ totalItems: 500, data: [{ name: "499" }] })
  })

  test("200 concurrent requests with the same addresses create each once", async () => {
    const { bulk, total } = await arrange()
    const sites = Array.from({ length: 40 }, () => ({ address: someAddress() }))
    const replies = await Promise.all([sites, sites.toReversed(), sites].map(bulk))
    expect(replies.reduce((sum, { body }) => sum + body.created, 0)).toBe(40)
    expect(await total()).toBe(40)
  })

  test.each([[[]], [Array.from({ length: 501 }, () => ({}))], ["all"], [undefined]])(
    "400 VALIDATION_ERROR unless there are 1 to 500 items (%#)",
    async (sites) => {
      const { bulk } = await arrange()
      expectError(await bulk(sites), 400, "VALIDATION_ERROR", { sites: expect.any(String) })
    }
  )
})

describe("with an online geocoder", () => {
  const geocoder = new StubGeocoder()
  beforeAll(() => geocoder.start())
  afterAll(() => geocoder.stop())
  const online = useTestApp({
    env: {
      get GEOCODER() {
        return geocoder.url
      }
    }
  })
  beforeEach(() => {
    geocoder.asked.length = 0
  })

  test("200 looks up only valid items, and its failures affect only their items", async () => {
    const { bulk, site, total } = await arrange(online)
    const { address: taken } = await site()
    geocoder.asked.length = 0
    const [good, failing, lost] = [someAddress(), someAddress(), someAddress()]
    geocoder.respond = (response, street) => {
      if (street === good.streetOne) return geocoder.found(response)
      if (street === lost.streetOne) response.end("[]")
      else response.writeHead(500).end()
    }
    const { body } = await bulk([
      { address: failing },
      { address: taken },
      { address: good },
      { address: lost },
      { address: someAddress(), customerId: nobody },
      { address: someAddress(), location: { latitude: 1, longitude: 2 } }
    ])
    expect(body.results).toEqual([
      refused(0, "LOCATION_SERVICE_ERROR"),
      refused(1, "SITE_ALREADY_EXISTS"),
      {
        index: 2,
        status: "created",
        site: expect.objectContaining({ location: { latitude: 38.5, longitude: -121.5 } })
      },
      refused(3, "INVALID_LOCATION"),
      refused(4, "CUSTOMER_NOT_FOUND"),
      { index: 5, status: "created", site: expect.objectContaining({ location: { latitude: 1, longitude: 2 } }) }
    ])
    expect(geocoder.asked.toSorted()).toEqual([good, failing, lost].map(({ streetOne }) => streetOne).toSorted())
    expect(await total()).toBe(3)
  })
})
