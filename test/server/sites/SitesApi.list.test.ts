import { describe, expect, test } from "vitest"
import { expectError } from "../../support/expectError.ts"
import { seedDevice, seedSite, someAddress } from "../../support/Seed.ts"
import { useTestApp } from "../../support/TestApp.ts"

const app = useTestApp()

const arrange = async () => {
  const place = await app.workspace()
  const get = (path: string) => app.call("GET", path, { key: place.keys.SERVER })
  const listNames = async (query: string): Promise<ReadonlyArray<string | null>> => {
    const { status, body } = await get(`/v1/sites?${query}`)
    expect(status).toBe(200)
    expect(body.totalItems).toBe(body.data.length)
    return body.data.map((site: { name: string | null }) => site.name)
  }
  return { ...place, get, listNames, create: (fields: object) => seedSite(app, place.keys.SERVER, fields) }
}

const at = (change: object) => ({ address: { ...someAddress(), ...change } })

describe("GET /v1/sites", () => {
  test("200 newest first, page by page, with exact totals", async () => {
    const { create, get } = await arrange()
    for (const name of ["a", "b", "c", "d", "e"]) await create({ name })
    const { body } = await get("/v1/sites?page=2&perPage=2")
    expect(body).toMatchObject({ page: 2, perPage: 2, totalItems: 5, totalPages: 3 })
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(["c", "b"])
    expect((await get("/v1/sites?page=1000&perPage=100")).body).toMatchObject({ data: [], totalItems: 5 })
  })

  test("200 has ten sites per page by default", async () => {
    const { create, get } = await arrange()
    for (let n = 0; n < 11; n++) await create({})
    const { body } = await get("/v1/sites")
    expect(body).toMatchObject({ page: 1, perPage: 10, totalItems: 11, totalPages: 2 })
    expect(body.data).toHaveLength(10)
  })

  test("200 returns each site as GET by id does, with the number of its own devices", async () => {
    const { create, get, workspaceId } = await arrange()
    const [empty, full] = [await create({}), await create({ name: "Home", tags: ["pilot"] })]
    for (let n = 0; n < 3; n++) await seedDevice(app, workspaceId, { siteId: full.id })
    expect((await get("/v1/sites")).body.data).toEqual([{ ...full, deviceCount: 3 }, empty])
  })

  test("200 does not count a device that was removed from the workspace", async () => {
    const { create, get, workspaceId } = await arrange()
    const { id } = await create({})
    const device = await seedDevice(app, workspaceId, { siteId: id })
    await app.sql((sql) => sql`UPDATE devices SET workspace_id = NULL WHERE id = ${device}`)
    expect((await get("/v1/sites")).body.data[0].deviceCount).toBe(0)
  })

  test("200 lists only the workspace's own sites, with any filter", async () => {
    const { listNames } = await arrange()
    await (await arrange()).create({ name: "Foreign", referenceId: "home-1", tags: ["pilot"] })
    for (const filter of ["", "referenceId=home-1", "state=CA", "postalCode=95814", "tag=pilot", "q=foreign"]) {
      expect(await listNames(filter)).toEqual([])
    }
  })

  test("200 filters by exact referenceId", async () => {
    const { create, listNames } = await arrange()
    await create({ name: "one", referenceId: "home-1" })
    await create({ name: "two", referenceId: "home-2" })
    await create({ name: "both", referenceId: "home-1" })
    expect(await listNames("referenceId=home-1")).toEqual(["both", "one"])
    expect(await listNames("referenceId=HOME-1")).toEqual([])
    expect(await listNames("referenceId=home")).toEqual([])
  })

  test("200 distinguishes referenceIds of 1000 characters of any script that begin alike", async () => {
    const { create, listNames } = await arrange()
    // Different ideographs of 3 bytes each: nothing to compress.
    const long = Array.from({ length: 1000 }, (_, n) => String.fromCharCode(0x4e00 + ((n * 7919) % 20_902))).join("")
    await create({ name: "long", referenceId: long })
    await create({ name: "other", referenceId: `${long.slice(0, 999)}x` })
    expect(await listNames(`referenceId=${encodeURIComponent(long)}`)).toEqual(["long"])
  })

  test("200 customerId is empty for an unknown customer", async () => {
    const { create, get } = await arrange()
    await create({})
    const { body } = await get(`/v1/sites?customerId=c${"0".repeat(24)}`)
    expect(body).toEqual({ data: [], page: 1, perPage: 10, totalItems: 0, totalPages: 0 })
  })

  test("200 state matches codes or names in the USA, and names elsewhere", async () => {
    const { create, listNames } = await arrange()
    await create({ name: "by code", ...at({}) })
    await create({ name: "by name", ...at({ state: "california" }) })
    await create({ name: "in New York", ...at({ state: "NY", postalCode: "10001" }) })
    await create({ name: "in Georgia, USA", ...at({ state: "GA", postalCode: "30303" }) })
    await create({ name: "in Georgia, abroad", ...at({ state: "Georgia", postalCode: "0100", country: "Elsewhere" }) })
    for (const state of ["CA", "ca", "California", "CALIFORNIA"]) {
      expect(await listNames(`state=${state}`)).toEqual(["by name", "by code"])
    }
    expect(await listNames("state=new%20york")).toEqual(["in New York"])
    expect(await listNames("state=Georgia")).toEqual(["in Georgia, abroad", "in Georgia, USA"])
    expect(await listNames("state=GA")).toEqual(["in Georgia, USA"])
    expect(await listNames("state=C")).toEqual([])
  })

  test("200 postalCode matches ZIP or ZIP+4 in the USA, ignoring spaces and case elsewhere", async () => {
    const { create, listNames } = await arrange()
    await create({ name: "short", ...at({}) })
    await create({ name: "long", ...at({ postalCode: "95814-1234" }) })
    await create({ name: "next", ...at({ postalCode: "95816" }) })
    await create({ name: "abroad", ...at({ postalCode: "K1A 0B1", country: "Canada" }) })
    for (const postalCode of ["95814", "95814-1234", "95814-9999"]) {
      expect(await listNames(`postalCode=${postalCode}`)).toEqual(["long", "short"])
    }
    expect(await listNames("postalCode=k1a0b1")).toEqual(["abroad"])
    expect(await listNames("postalCode=9581")).toEqual([])
  })

  test("200 tag matches any of several, exactly", async () => {
    const { create, listNames } = await arrange()
    await create({ name: "none" })
    await create({ name: "pilot", tags: ["pilot"] })
    await create({ name: "roof and pilot", tags: ["roof", "pilot"] })
    await create({ name: "roof", tags: ["roof"] })
    expect(await listNames("tag=pilot")).toEqual(["roof and pilot", "pilot"])
    expect(await listNames("tag=pilot,roof")).toEqual(["roof", "roof and pilot", "pilot"])
    expect(await listNames("tag=pilot&tag=other")).toEqual(["roof and pilot", "pilot"])
    expect(await listNames("tag=Pilot")).toEqual([])
  })

  test("200 q matches prefixes of the name or of the street, in any case", async () => {
    const { create, listNames } = await arrange()
    await create({ name: "Solar Farm", ...at({ streetOne: "1 Hill Road" }) })
    await create({ name: null, ...at({ streetOne: "12 Solar Street" }) })
    await create({ name: "Home", ...at({ streetOne: "12 Main Street" }) })
    expect(await listNames("q=solar")).toEqual(["Solar Farm"])
    expect(await listNames("q=SOLAR%20F")).toEqual(["Solar Farm"])
    expect(await listNames("q=12%20")).toEqual(["Home", null])
    expect(await listNames("q=12%20S")).toEqual([null])
    expect(await listNames("q=farm")).toEqual([])
  })

  test("200 q matches %, _ and \\ literally", async () => {
    const { create, listNames } = await arrange()
    for (const name of ["100% sun", "1000 suns", "a_b", "axb", "a\\b", "a\\%"]) await create({ name })
    expect(await listNames("q=100%25")).toEqual(["100% sun"])
    expect(await listNames("q=a_")).toEqual(["a_b"])
    expect(await listNames("q=a%5C")).toEqual(["a\\%", "a\\b"])
    expect(await listNames("q=a%5C%25")).toEqual(["a\\%"])
    expect(await listNames("q=%25")).toEqual([])
    expect(await listNames(`q=${encodeURIComponent("' OR '1'='1")}`)).toEqual([])
  })

  test("200 combined filters must all match", async () => {
    const { create, listNames } = await arrange()
    await create({ name: "Home one", tags: ["pilot"] })
    await create({ name: "Home two", tags: ["pilot"], ...at({ state: "NY", postalCode: "10001" }) })
    await create({ name: "Cabin", tags: ["pilot"], ...at({ state: "NY", postalCode: "10001" }) })
    expect(await listNames("q=home&tag=pilot&state=NY")).toEqual(["Home two"])
  })

  test.each([
    ["page=0", "page"],
    ["page=1001", "page"],
    ["perPage=0", "perPage"],
    ["perPage=101", "perPage"],
    ["perPage=ten", "perPage"],
    ["tag=", "tag.0"],
    ["q=", "q"],
    ["city=Sacramento", "city"],
    ["sort=name", "sort"]
  ])("400 VALIDATION_ERROR for ?%s", async (query, field) => {
    const { get } = await arrange()
    expectError(await get(`/v1/sites?${query}`), 400, "VALIDATION_ERROR", { [field]: expect.any(String) })
  })
})
