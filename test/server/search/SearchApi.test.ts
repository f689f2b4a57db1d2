import { beforeAll, describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeDevices } from "../devices/arrangeDevices.ts"

const app = useTestApp()

describeKeyChecks(app, [{ method: "GET", path: "/v1/search", allowed: ["SERVER", "API"] }])

let place: Awaited<ReturnType<typeof arrangeDevices>>
let other: typeof place
const ids: Record<string, string> = {}

const arrange = async () => {
  place = await arrangeDevices(app)
  const address = (streetOne: string) => ({ streetOne, city: "Sacramento", state: "CA", postalCode: "95814" })
  const alder = await place.site({ address: address("15 Alder Street"), referenceId: "home-15" })
  const barn = await place.site({ address: address("7 Mill Road"), name: "Alderman's barn" })
  ids["alder"] = alder.id
  ids["barn"] = barn.id
  ids["battery"] = await place.device({ name: "Garage battery", siteId: alder.id, serialNumber: "SN-1042_A" })
  ids["meter"] = await place.device({
    name: "Alder",
    siteId: barn.id,
    manufacturerDeviceId: "1x42",
    serialNumber: "SN-10420A"
  })
  ids["gone"] = await place.device({ name: "Alder gone" })
  await app.sql((sql) => sql`UPDATE devices SET workspace_id = NULL WHERE id = ${ids["gone"]!}`)
  const created = await place.call("POST", "/v1/customers", {
    firstName: "Änne",
    lastName: "Johnson",
    email: "anne@example.org",
    phone: "+1 916 555 0142",
    siteIds: [alder.id]
  })
  ids["customer"] = created.body.id
  const account = `c${"5".repeat(24)}`
  ids["account"] = account
  for (const [id, status, name] of [
    [account, "connected", "anne-home"],
    [`c${"6".repeat(24)}`, "pending", "anne-pending"]
  ] as const) {
    await app.sql(
      (sql) => sql`INSERT INTO accounts (id, workspace_id, manufacturer, external_id, name, reference_id, tags, status,
          created_at, updated_at)
        VALUES (${id}, ${place.workspaceId}, 'simulator', ${id}, ${name}, 'user-9', '{}', ${status}, now(), now())`
    )
  }
}

const found = async (query: string, more = "", of = place): Promise<ReadonlyArray<any>> => {
  const response = await of.get(`/v1/search?query=${encodeURIComponent(query)}${more}`)
  expect(response.status, response.text).toBe(200)
  return response.body.data
}
const foundIds = async (query: string, more = "") => (await found(query, more)).map(({ id }) => id)

beforeAll(async () => {
  await arrange()
  other = await arrangeDevices(app)
})

describe("GET /v1/search", () => {
  test("200 finds a device, a site and what is at the site by a part of a street, the best first", async () => {
    const response = await place.get("/v1/search?query=alder")
    expect(response.body).toEqual({
      data: [
        {
          type: "device",
          id: ids["meter"],
          name: "Alder",
          detail: "generic, SN-10420A, 7 Mill Road, Sacramento, CA 95814",
          field: "name"
        },
        {
          type: "site",
          id: ids["barn"],
          name: "Alderman's barn",
          detail: "7 Mill Road, Sacramento, CA 95814",
          field: "name"
        },
        {
          type: "site",
          id: ids["alder"],
          name: "15 Alder Street",
          detail: "15 Alder Street, Sacramento, CA 95814",
          field: "address"
        },
        {
          type: "device",
          id: ids["battery"],
          name: "Garage battery",
          detail: "generic, SN-1042_A, 15 Alder Street, Sacramento, CA 95814",
          field: "address"
        }
      ],
      similar: false
    })
  })

  test("200 finds words in any order and case, and short ones at the beginning of words alone", async () => {
    expect(await foundIds("STREET alder 15")).toEqual([ids["alder"], ids["battery"]])
    expect(await foundIds("15 sacramento")).toEqual([ids["alder"], ids["battery"]])
    expect(await foundIds("5 sacramento")).toEqual([])
    expect(await foundIds("johnson änne")).toEqual([ids["customer"]])
    expect(await foundIds("er", "&types=device")).toEqual([])
  })

  test.each([
    ["serial number", "sn-1042_a", "battery", "serialNumber"],
    ["part of the manufacturer's number", "1x4", "meter", "manufacturerDeviceId"],
    ["e-mail address", "anne@example", "customer", "email"],
    ["phone number", "555 0142", "customer", "phone"],
    ["reference", "home-15", "alder", "referenceId"],
    ["name of an account", "anne-h", "account", "name"]
  ])("200 finds a record by its %s", async (_, query, name, field) => {
    const [first] = await found(query)
    expect([first.id, first.field]).toEqual([ids[name], field])
  })

  test("200 finds each kind of record by its id", async () => {
    for (const name of ["battery", "alder", "customer", "account"]) {
      const [first] = await found(ids[name]!)
      expect([first.id, first.field]).toEqual([ids[name], "id"])
    }
  })

  test("200 takes the wildcards of SQL as text", async () => {
    expect(await foundIds("SN-1042_")).toEqual([ids["battery"]])
    for (const query of ["%%", "__", "a%r", "\\\\", "'; --"]) expect(await foundIds(query)).toEqual([])
  })

  test("200 forgives letters where nothing contains the words, and says so", async () => {
    for (const [query, name] of [
      ["Aldr street", "alder"],
      ["jonson", "customer"],
      ["garge batery", "battery"]
    ] as const) {
      const response = await place.get(`/v1/search?query=${encodeURIComponent(query)}`)
      expect([response.body.data[0]?.id, response.body.similar], query).toEqual([ids[name], true])
    }
    expect((await place.get("/v1/search?query=zzyzx")).body).toEqual({ data: [], similar: false })
  })

  test("200 returns neither removed devices nor accounts that are not connected yet", async () => {
    expect(await foundIds("gone")).toEqual([])
    expect(await foundIds("pending")).toEqual([])
  })

  test("200 returns at most `limit` results of the kinds in `types`", async () => {
    const [first] = await found("alder")
    expect(await found("alder", "&limit=1")).toEqual([first])
    expect(await foundIds("alder", "&types=site")).toEqual([ids["barn"], ids["alder"]])
    expect(await foundIds("street", "&types=device&limit=1")).toEqual([ids["battery"]])
    expect(await foundIds("alder", "&types=customer,account")).toEqual([])
  })

  test("200 returns nothing of another workspace", async () => {
    for (const query of ["alder", "Aldr street", "sn-1042_a", "johnson", "anne-home", ...Object.values(ids)]) {
      expect(await found(query, "", other), query).toEqual([])
    }
  })

  test("400 VALIDATION_ERROR names what is wrong", async () => {
    const length = "Must be a string of 2 to 100 characters"
    for (const [query, details] of [
      ["", { query: expect.stringMatching(/./) }],
      ["query=a", { query: length }],
      [`query=${"a".repeat(101)}`, { query: length }],
      ["query=%20a%20", { query: expect.stringContaining("at least 2 characters") }],
      ["query=alder&limit=51", { limit: "Must be an integer from 1 to 50" }],
      [
        "query=alder&types=planet",
        { types: expect.stringContaining("device, site, customer, account, programInstance") }
      ]
    ] as const) {
      const response = await app.call("GET", `/v1/search?${query}`, { key: place.keys.SERVER })
      expect(response.status, query).toBe(400)
      expect([response.body.code, response.body.details], query).toEqual([
        "VALIDATION_ERROR",
        Object.fromEntries(Object.entries(details).map(([name, text]) => [expectedName(response.body, name), text]))
      ])
    }
  })

  test("200 finds the best match among more records than are ranked", async () => {
    const many = await arrangeDevices(app)
    const best = await many.device({ name: "Battery" })
    await app.sql(
      (
        sql
      ) => sql`INSERT INTO devices (id, workspace_id, origin_workspace_id, name, manufacturer, manufacturer_device_id,
          reference_id, model, type, commands, tags, direct, created_at, updated_at)
        SELECT 'cz' || lpad(n::text, 23, '0'), workspace_id, origin_workspace_id, 'Large battery ' || n, manufacturer, 'LB-' || n,
          reference_id, model, type, commands, tags, direct, created_at, updated_at
        FROM devices d, generate_series(1, 3000) n WHERE d.id = ${best}`
    )
    const results = await found("battery", "", many)
    expect(results).toHaveLength(20)
    expect(results[0].id).toBe(best)
    expect((await found("LB-17", "&limit=1", many))[0].name).toBe("Large battery 17")
    // No name of the newest rows has it: the index leads to it.
    expect((await found("battery 9", "&limit=1", many))[0].name).toMatch(/^Large battery 9/)
  }, 60_000)
})

/** The name of a detail: that of an element of a list has its place. */
const expectedName = (body: any, name: string) =>
  Object.keys(body.details ?? {}).find((each) => each === name || each.startsWith(`${name}.`)) ?? name
