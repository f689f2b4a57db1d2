import { describe, expect, test } from "vitest"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeCustomers, nobody } from "./arrangeCustomers.ts"

const app = useTestApp()

const arrange = async (organizationId?: string) => {
  const place = await arrangeCustomers(app, organizationId)
  const listNames = async (query: string): Promise<ReadonlyArray<string | null>> => {
    const { status, body } = await place.call("GET", `/v1/customers?${query}`)
    expect(status).toBe(200)
    expect(body.totalItems).toBe(body.data.length)
    return body.data.map(({ lastName }: { lastName: string | null }) => lastName)
  }
  return { ...place, listNames }
}

describe("GET /v1/customers", () => {
  test("200 newest first, page by page, with exact totals, each as GET by id returns it", async () => {
    const { create, call, get } = await arrange()
    for (const lastName of ["a", "b", "c", "d", "e"]) await create({ lastName })
    const { body } = await call("GET", "/v1/customers?page=2&perPage=2")
    expect(body).toMatchObject({ page: 2, perPage: 2, totalItems: 5, totalPages: 3 })
    expect(body.data.map(({ lastName }: any) => lastName)).toEqual(["c", "b"])
    expect(body.data[0]).toEqual(await get(body.data[0].id))
    expect((await call("GET", "/v1/customers?page=1000&perPage=100")).body).toMatchObject({ data: [], totalItems: 5 })
  })

  test("200 lists only the workspace's own customers, with any filter", async () => {
    const { listNames, organizationId } = await arrange()
    const other = await arrange(organizationId)
    const site = await other.site()
    await other.create({ lastName: "Foreign", referenceId: "user-1", email: "a@example.com", siteIds: [site.id] })
    for (const filter of ["", "referenceId=user-1", "email=a@example.com", `siteId=${site.id}`, "q=foreign"]) {
      expect(await listNames(filter)).toEqual([])
    }
  })

  test("200 filters by exact referenceId, full email in any case, and siteId", async () => {
    const { create, listNames, site } = await arrange()
    const home = await site()
    await create({ lastName: "one", referenceId: "user-1", email: "Ada@Example.com" })
    await create({ lastName: "two", referenceId: "user-12", email: "ada@example.com.au", siteIds: [home.id] })
    expect(await listNames("referenceId=user-1")).toEqual(["one"])
    expect(await listNames("referenceId=USER-1")).toEqual([])
    expect(await listNames("email=aDA@example.com")).toEqual(["one"])
    expect(await listNames("email=ada@example")).toEqual([])
    expect(await listNames(`siteId=${home.id}`)).toEqual(["two"])
    expect(await listNames(`siteId=${nobody}`)).toEqual([])
    expect(await listNames("siteId=home")).toEqual([])
  })

  test("200 q matches prefixes of the first name, the last name and the e-mail, in any case", async () => {
    const { create, listNames } = await arrange()
    await create({ firstName: "Ada", lastName: "Okafor", email: "x@example.com" })
    await create({ firstName: "Ben", lastName: "Adams" })
    await create({ lastName: null, email: "adams@example.com" })
    await create({ firstName: "Eve", lastName: "Brada" })
    expect(await listNames("q=ADA")).toEqual([null, "Adams", "Okafor"])
    expect(await listNames("q=adams")).toEqual([null, "Adams"])
    expect(await listNames("q=kafor")).toEqual([])
  })

  test("200 q matches %, _ and \\ literally", async () => {
    const { create, listNames } = await arrange()
    for (const lastName of ["100% Ada", "1000 Adas", "a_b", "axb", "a\\b"]) await create({ lastName })
    expect(await listNames("q=100%25")).toEqual(["100% Ada"])
    expect(await listNames("q=a_")).toEqual(["a_b"])
    expect(await listNames("q=a%5C")).toEqual(["a\\b"])
    expect(await listNames("q=%25")).toEqual([])
    expect(await listNames(`q=${encodeURIComponent("' OR '1'='1")}`)).toEqual([])
  })

  test("200 combined filters must all match", async () => {
    const { create, listNames, site } = await arrange()
    const home = await site()
    await create({ lastName: "Okafor", siteIds: [home.id] })
    await create({ lastName: "Obi", siteIds: [home.id] })
    await create({ lastName: "Okoro" })
    expect(await listNames(`q=ok&siteId=${home.id}`)).toEqual(["Okafor"])
  })

  test.each([
    ["page=0", "page"],
    ["page=1001", "page"],
    ["perPage=101", "perPage"],
    ["q=", "q"],
    ["include=devices", "include"],
    ["lastName=Obi", "lastName"]
  ])("400 VALIDATION_ERROR for ?%s", async (query, field) => {
    const { call } = await arrange()
    expectError(await call("GET", `/v1/customers?${query}`), 400, "VALIDATION_ERROR", { [field]: expect.any(String) })
  })
})

describe("GET /v1/devices?customerId=", () => {
  test("200 lists the devices at the customer's sites and those it connected, page by page and by cursor", async () => {
    const { create, call, site, device, connectedBy } = await arrange()
    const [home, cabin, other] = [await site(), await site(), await site()]
    const { id } = await create({ siteIds: [home.id, cabin.id] })
    const ids: Array<string> = []
    for (const place of [home, cabin, home, cabin]) {
      ids.unshift(await device({ siteId: place.id }))
      ids.unshift(await connectedBy(id, { siteId: home.id }))
      ids.unshift(await connectedBy(id))
      await device({ siteId: other.id })
    }
    const list = async (query: string) => call("GET", `/v1/devices?customerId=${id}&${query}`)
    const listIds = ({ body }: any) => body.data.map((one: any) => one.id)
    expect(listIds(await list("perPage=100"))).toEqual(ids)
    const second = await list("page=2&perPage=5")
    expect(second.body).toMatchObject({ totalItems: 12, totalPages: 3 })
    expect(listIds(second)).toEqual(ids.slice(5, 10))
    const walked: Array<string> = []
    let response = await list("perPage=5")
    for (;;) {
      walked.push(...listIds(response))
      const cursor = response.headers.get("x-next-cursor")
      if (cursor === null) break
      response = await list(`perPage=5&cursor=${cursor}`)
    }
    expect(walked).toEqual(ids)
    expect((await call("GET", `/v1/customers/${id}`)).body.connectedDeviceIds).toEqual(ids)
  })

  test("200 combines with other filters", async () => {
    const { create, call, site, device, connectedBy } = await arrange()
    const home = await site()
    const { id } = await create({ siteIds: [home.id] })
    const atHome = await device({ siteId: home.id, name: "Roof", referenceId: "user-7" })
    const connected = await connectedBy(id)
    await device({ name: "Roof", referenceId: "user-7" })
    const listIds = async (query: string) => {
      const { body } = await call("GET", `/v1/devices?customerId=${id}&${query}`)
      expect(body.totalItems).toBe(body.data.length)
      return body.data.map((one: any) => one.id)
    }
    expect(await listIds("type=inverter")).toEqual([connected, atHome])
    expect(await listIds("type=battery")).toEqual([])
    expect(await listIds("referenceId=user-7")).toEqual([atHome])
    expect(await listIds(`siteId=${home.id}`)).toEqual([atHome])
    expect(await listIds("onlineStatus=unknown&q=roof")).toEqual([connected, atHome])
  })

  test("200 shows a SCOPED key only its own user's devices", async () => {
    const { create, call, site, device, keys } = await arrange()
    const home = await site()
    const { id } = await create({ siteIds: [home.id] })
    const own = await device({ siteId: home.id, referenceId: "user-1" })
    await device({ siteId: home.id, referenceId: "user-2" })
    const path = `/v1/devices?customerId=${id}`
    expect((await call("GET", path)).body.totalItems).toBe(2)
    const { body } = await app.call("GET", path, { key: keys.SCOPED })
    expect(body).toMatchObject({ totalItems: 1, data: [{ id: own }] })
  })
})
