import { describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeCustomers, nobody } from "./arrangeCustomers.ts"
import { atOnce } from "../../support/races.ts"

const app = useTestApp()
const workspaceKeys = ["SERVER", "API"] as const

describeKeyChecks(app, [
  { method: "PUT", path: "/v1/sites/any/customers/any", allowed: workspaceKeys },
  { method: "DELETE", path: "/v1/sites/any/customers/any", allowed: workspaceKeys }
])

const arrange = async (organizationId?: string) => {
  const place = await arrangeCustomers(app, organizationId)
  const link = (siteId: string, id: string) => place.call("PUT", `/v1/sites/${siteId}/customers/${id}`)
  const unlink = (siteId: string, id: string) => place.call("DELETE", `/v1/sites/${siteId}/customers/${id}`)
  const readCustomers = async (siteId: string) => (await place.call("GET", `/v1/sites/${siteId}`)).body.customerIds
  return { ...place, link, unlink, readCustomers }
}

describe("PUT /v1/sites/:id/customers/:customerId", () => {
  test("200 returns the customer with the site and its devices, and both list each other", async () => {
    const { create, site, device, link, get, readCustomers } = await arrange()
    const [home, customer] = [await site(), await create()]
    const id = await device({ siteId: home.id })
    const { status, body } = await link(home.id, customer.id)
    expect(status).toBe(200)
    expect(body).toEqual({ ...customer, connectedSiteIds: [home.id], connectedDeviceIds: [id] })
    expect(await get(customer.id)).toEqual(body)
    expect(await readCustomers(home.id)).toEqual([customer.id])
  })

  test("200 repeated and concurrent requests create no second link", async () => {
    const { create, site, link, readCustomers } = await arrange()
    const [home, customer] = [await site(), await create()]
    const responses = await atOnce(5, () => link(home.id, customer.id))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(await readCustomers(home.id)).toEqual([customer.id])
  })

  test("200 a site may have several customers, and a customer several sites", async () => {
    const { create, site, link, readCustomers, get } = await arrange()
    const [home, cabin, ada, eve] = [await site(), await site(), await create(), await create()]
    await link(home.id, ada.id)
    await link(home.id, eve.id)
    await link(cabin.id, ada.id)
    expect(await readCustomers(home.id)).toEqual([eve.id, ada.id])
    expect((await get(ada.id)).connectedSiteIds).toEqual([cabin.id, home.id])
  })

  test("404 SITE_NOT_FOUND, also for a site of another workspace", async () => {
    const { create, link, organizationId } = await arrange()
    const customer = await create()
    const foreign = await (await arrange(organizationId)).site()
    for (const id of [nobody, foreign.id, "home"]) expectError(await link(id, customer.id), 404, "SITE_NOT_FOUND")
  })

  test("404 CUSTOMER_NOT_FOUND, also for a customer of another workspace", async () => {
    const { site, link, organizationId, readCustomers } = await arrange()
    const home = await site()
    const foreign = await (await arrange(organizationId)).create()
    for (const id of [nobody, foreign.id, "ada"]) expectError(await link(home.id, id), 404, "CUSTOMER_NOT_FOUND")
    expect(await readCustomers(home.id)).toEqual([])
  })
})

describe("DELETE /v1/sites/:id/customers/:customerId", () => {
  test("204 keeps both records without the link, and repeating it is 404 CUSTOMER_NOT_FOUND", async () => {
    const { create, site, device, unlink, get, readCustomers } = await arrange()
    const home = await site()
    const customer = await create({ siteIds: [home.id] })
    await device({ siteId: home.id })
    expect((await unlink(home.id, customer.id)).status).toBe(204)
    expect(await get(customer.id)).toEqual({ ...customer, connectedSiteIds: [], connectedDeviceIds: [] })
    expect(await readCustomers(home.id)).toEqual([])
    expectError(await unlink(home.id, customer.id), 404, "CUSTOMER_NOT_FOUND")
  })

  test("404 SITE_NOT_FOUND and CUSTOMER_NOT_FOUND for another workspace's, which stay linked", async () => {
    const { create, site, unlink, organizationId } = await arrange()
    const other = await arrange(organizationId)
    const theirHome = await other.site()
    const theirs = await other.create({ siteIds: [theirHome.id] })
    const [home, customer] = [await site(), await create()]
    expectError(await unlink(theirHome.id, theirs.id), 404, "SITE_NOT_FOUND")
    expectError(await unlink(theirHome.id, customer.id), 404, "SITE_NOT_FOUND")
    expectError(await unlink(home.id, theirs.id), 404, "CUSTOMER_NOT_FOUND")
    expect(await other.readCustomers(theirHome.id)).toEqual([theirs.id])
  })
})

describe("a site that is deleted", () => {
  test("is removed from its customers, which are kept", async () => {
    const { create, site, call, get } = await arrange()
    const home = await site()
    const customer = await create({ siteIds: [home.id] })
    expect((await call("DELETE", `/v1/sites/${home.id}`)).status).toBe(204)
    expect(await get(customer.id)).toEqual({ ...customer, connectedSiteIds: [] })
  })
})
