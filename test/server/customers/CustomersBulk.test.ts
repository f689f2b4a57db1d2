import { describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeCustomers, nobody } from "./arrangeCustomers.ts"

const app = useTestApp()

describeKeyChecks(app, [{ method: "POST", path: "/v1/customers/bulk", allowed: ["SERVER", "API"] }])

const arrange = async (organizationId?: string) => {
  const place = await arrangeCustomers(app, organizationId)
  const bulk = (customers: unknown) => place.call("POST", "/v1/customers/bulk", { customers })
  const total = async () => (await place.call("GET", "/v1/customers")).body.totalItems
  return { ...place, bulk, total }
}

const refused = (index: number, code: string, details?: object) => ({
  index,
  status: "error",
  code,
  message: expect.stringMatching(/./),
  ...(details === undefined ? {} : { details })
})
const taken = { referenceId: expect.any(String) }

describe("POST /v1/customers/bulk", () => {
  test("200 creates or rejects each item by itself, like a single request", async () => {
    const { bulk, create, get, site, total, organizationId } = await arrange()
    const home = await site()
    const foreign = await (await arrange(organizationId)).site()
    await create({ referenceId: "before" })
    const { status, body } = await bulk([
      { referenceId: "user-1", firstName: "Ada", siteIds: [home.id] },
      { referenceId: "before" },
      { email: "ada", phone: "1" },
      "ada",
      null,
      { referenceId: "user-1" },
      { referenceId: "user-2", siteIds: [nobody] },
      { referenceId: "user-2", siteIds: [foreign.id] },
      { referenceId: "user-2", lastName: "Obi" },
      {}
    ])
    expect(status).toBe(200)
    const created = body.results.filter(({ status }: any) => status === "created")
    expect(body).toEqual({
      created: 3,
      failed: 7,
      results: [
        { index: 0, status: "created", customer: await get(created[0].customer.id) },
        refused(1, "VALIDATION_ERROR", taken),
        refused(2, "VALIDATION_ERROR", { email: expect.any(String), phone: expect.any(String) }),
        refused(3, "VALIDATION_ERROR", { body: "Must be a JSON object" }),
        refused(4, "VALIDATION_ERROR", { body: "Must be a JSON object" }),
        refused(5, "VALIDATION_ERROR", taken),
        refused(6, "SITE_NOT_FOUND"),
        refused(7, "SITE_NOT_IN_WORKSPACE"),
        { index: 8, status: "created", customer: await get(created[1].customer.id) },
        { index: 9, status: "created", customer: await get(created[2].customer.id) }
      ]
    })
    expect(created[0].customer).toMatchObject({ referenceId: "user-1", connectedSiteIds: [home.id] })
    expect(created[1].customer).toMatchObject({ referenceId: "user-2", lastName: "Obi" })
    expect(await total()).toBe(4)
  })

  test("200 accepts 500 items, the last one newest, and rejects every fifth", async () => {
    const { bulk, call, site } = await arrange()
    const home = await site()
    const { status, body } = await bulk(
      Array.from({ length: 500 }, (_, n) => ({
        referenceId: n % 5 === 4 ? `user-${n - 1}` : `user-${n}`,
        siteIds: [home.id]
      }))
    )
    expect([status, body.created, body.failed]).toEqual([200, 400, 100])
    expect(body.results.map(({ index }: any) => index)).toEqual(Array.from({ length: 500 }, (_, n) => n))
    for (const { index, status } of body.results) expect(status).toBe(index % 5 === 4 ? "error" : "created")
    const newest = (await call("GET", "/v1/customers?perPage=2")).body
    expect(newest).toMatchObject({ totalItems: 400, data: [{ referenceId: "user-498" }, { referenceId: "user-497" }] })
    expect((await call("GET", `/v1/customers?siteId=${home.id}`)).body.totalItems).toBe(400)
  })

  test("200 concurrent requests with the same references in any order create each once", async () => {
    const { bulk, total } = await arrange()
    const references = Array.from({ length: 60 }, (_, n) => ({ referenceId: `user-${n}` }))
    const responses = await Promise.all(
      [references, references.toReversed(), references, references.toReversed()].map(bulk)
    )
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(responses.reduce((sum, { body }) => sum + body.created, 0)).toBe(60)
    expect(await total()).toBe(60)
  })

  test("200 stores values that look like SQL or JSON unchanged", async () => {
    const { bulk } = await arrange()
    const names = ["'; DROP TABLE customers; --", '{"a": [1]}', '\\u0000 \\ "', "naïve 🙂", "a\tb\nc"]
    const { body } = await bulk(names.map((lastName) => ({ lastName })))
    expect(body.results.map(({ customer }: any) => customer?.lastName)).toEqual(names)
  })

  test.each([[[]], [Array.from({ length: 501 }, () => ({}))], ["all"], [undefined]])(
    "400 VALIDATION_ERROR unless there are 1 to 500 items (%#)",
    async (customers) => {
      const { bulk, total } = await arrange()
      expectError(await bulk(customers), 400, "VALIDATION_ERROR", { customers: expect.any(String) })
      expect(await total()).toBe(0)
    }
  )

  test("200 counts only in the bulk rate class", async () => {
    const place = await arrange()
    const { id, key } = await app.key(place, "SERVER")
    await app.sql((sql) => sql`UPDATE api_keys SET rate_limits = '{"write": 1, "bulk": 7}' WHERE id = ${id}`)
    const response = await app.call("POST", "/v1/customers/bulk", { key, body: { customers: [{}] } })
    expect(response.headers.get("x-ratelimit-limit")).toBe("7")
    expect((await app.call("POST", "/v1/customers", { key, body: {} })).status).toBe(201)
  })
})
