import { describe, expect, test } from "vitest"
import { expectError } from "../../support/expectError.ts"
import { someAddress } from "../../support/Seed.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeCustomers, nobody } from "../customers/arrangeCustomers.ts"

const app = useTestApp()
const arrange = (organizationId?: string) => arrangeCustomers(app, organizationId)

describe("POST /v1/sites with customerId", () => {
  test("201 links the site and the customer, and both list each other", async () => {
    const { create, call, get } = await arrange()
    const { id } = await create()
    const { status, body } = await call("POST", "/v1/sites", { address: someAddress(), customerId: id })
    expect([status, body.customerIds]).toEqual([201, [id]])
    expect((await call("GET", `/v1/sites/${body.id}`)).body).toEqual(body)
    expect((await get(id)).connectedSiteIds).toEqual([body.id])
  })

  test("404 CUSTOMER_NOT_FOUND, also for a customer of another workspace, and no site is created", async () => {
    const { call, organizationId } = await arrange()
    const foreign = await (await arrange(organizationId)).create()
    for (const customerId of [nobody, foreign.id, "ada"]) {
      const response = await call("POST", "/v1/sites", { address: someAddress(), customerId })
      expectError(response, 404, "CUSTOMER_NOT_FOUND")
    }
    expect((await call("GET", "/v1/sites")).body.totalItems).toBe(0)
  })

  test("400 SITE_ALREADY_EXISTS leaves the customer without the site", async () => {
    const { create, call, get, site } = await arrange()
    const { id } = await create()
    const { address } = await site()
    const location = { latitude: 1, longitude: 2 }
    const response = await call("POST", "/v1/sites", { address, location, customerId: id })
    expectError(response, 400, "SITE_ALREADY_EXISTS")
    expect((await get(id)).connectedSiteIds).toEqual([])
  })
})

describe("GET /v1/sites", () => {
  test("200 customerId lists the customer's sites, newest first, each with all its customers", async () => {
    const { create, call, site } = await arrange()
    const [home, , cabin] = [await site(), await site(), await site()]
    const ada = await create({ siteIds: [home.id, cabin.id] })
    const eve = await create({ siteIds: [home.id] })
    const { body } = await call("GET", `/v1/sites?customerId=${ada.id}`)
    expect(body).toMatchObject({ totalItems: 2, data: [{ id: cabin.id }, { id: home.id }] })
    expect(body.data.map(({ customerIds }: any) => customerIds)).toEqual([[ada.id], [eve.id, ada.id]])
  })
})
