import { describe, expect, test } from "vitest"
import { useTestApp } from "../../../support/TestApp.ts"
import { makeVtn, names, type VtnClient } from "../VtnWorld.ts"

const app = useTestApp()
const LONG = "x".repeat(129)
const attributes = [{ type: "LOCATION", values: [{ x: 38.58, y: -121.49 }] }]

const asVen = (fields: object = {}) => ({ objectType: "VEN_VEN_REQUEST", venName: "mine", ...fields })
const asBl = (clientID: string, fields: object = {}) => ({
  objectType: "BL_VEN_REQUEST",
  clientID,
  venName: "theirs",
  ...fields
})
const venResource = (venID: string, fields: object = {}) => ({
  objectType: "VEN_RESOURCE_REQUEST",
  resourceName: "battery",
  venID,
  ...fields
})
const blResource = (clientID: string, venID: string, fields: object = {}) => ({
  objectType: "BL_RESOURCE_REQUEST",
  clientID,
  resourceName: "battery",
  venID,
  ...fields
})

describe("a ven of its own client", () => {
  test("is created with the client's id, read, replaced and deleted", async () => {
    const { newVen } = await makeVtn(app)
    const ven = await newVen()
    const { body: made, status } = await ven.call("POST", "/vens", asVen({ attributes }))
    expect(status).toBe(201)
    expect(made).toMatchObject({ objectType: "VEN", clientID: ven.clientId, venName: "mine", attributes })
    expect(made).not.toHaveProperty("targets")
    expect(await ven.ok("GET", "/vens")).toEqual([made])
    expect(await ven.ok("GET", `/vens/${made.id}`)).toEqual(made)
    const replaced = await ven.ok("PUT", `/vens/${made.id}`, asVen({ venName: "renamed" }))
    expect(replaced).toMatchObject({ venName: "renamed", clientID: ven.clientId })
    expect(replaced).not.toHaveProperty("attributes")
    expect(await ven.ok("DELETE", `/vens/${made.id}`)).toEqual(replaced)
    expect(await ven.ok("GET", "/vens")).toEqual([])
  })

  test("is the only one", async () => {
    const { newVen } = await makeVtn(app)
    const ven = await newVen()
    await ven.ok("POST", "/vens", asVen())
    const refused = await ven.call("POST", "/vens", asVen({ venName: "second" }))
    expect(refused).toMatchObject({ status: 409 })
    expect(refused.body.detail).toContain("clientID")
  })

  test("gets no targets from its client, neither at first nor later", async () => {
    const { bl, enrolled, newVen } = await makeVtn(app)
    const other = await newVen()
    const made = await other.ok("POST", "/vens", asVen({ targets: ["group-1"] }))
    expect(made).not.toHaveProperty("targets")

    const ven = await enrolled(["granted"])
    const changed = await ven.ok(
      "PUT",
      `/vens/${ven.ven.id}`,
      asVen({ venName: ven.ven.venName, targets: ["granted", "taken"] })
    )
    expect(changed.targets).toEqual(["granted"])
    expect((await bl.ok("GET", `/vens/${ven.ven.id}`)).targets).toEqual(["granted"])
  })

  test("is not claimed for another client", async () => {
    const { newVen } = await makeVtn(app)
    const [ven, other] = [await newVen(), await newVen()]
    const made = await ven.ok("POST", "/vens", asVen({ clientID: other.clientId }))
    expect(made.clientID).toBe(ven.clientId)
    expect((await ven.call("POST", "/vens", asBl(other.clientId))).status).toBe(403)
    expect((await ven.call("PUT", `/vens/${made.id}`, asBl(other.clientId, { targets: ["x"] }))).status).toBe(403)
  })

  test("is seen, changed and deleted by no other VEN", async () => {
    const { newVen } = await makeVtn(app)
    const [ven, other] = [await newVen(), await newVen()]
    const made = await ven.ok("POST", "/vens", asVen())
    expect(await other.ok("GET", "/vens")).toEqual([])
    expect((await other.call("GET", `/vens/${made.id}`)).status).toBe(404)
    expect((await other.call("PUT", `/vens/${made.id}`, asVen({ venName: "taken over" }))).status).toBe(404)
    expect((await other.call("DELETE", `/vens/${made.id}`)).status).toBe(404)
    expect(await ven.ok("GET", `/vens/${made.id}`)).toEqual(made)
  })

  test("may send back what it has read", async () => {
    const { enrolled } = await makeVtn(app)
    const ven = await enrolled(["granted"])
    const read = await ven.ok("GET", `/vens/${ven.ven.id}`)
    const written = await ven.ok("PUT", `/vens/${ven.ven.id}`, read)
    expect({ ...written, modificationDateTime: null }).toEqual({ ...read, modificationDateTime: null })
  })
})

describe("a ven by business logic", () => {
  test("is created for a client with targets, read, replaced and deleted", async () => {
    const { bl, newVen } = await makeVtn(app)
    const { clientId } = await newVen()
    const { body: made, status } = await bl.call("POST", "/vens", asBl(clientId, { targets: ["a", "b"], attributes }))
    expect(status).toBe(201)
    expect(made).toMatchObject({ objectType: "VEN", clientID: clientId, targets: ["a", "b"], attributes })
    const replaced = await bl.ok("PUT", `/vens/${made.id}`, asBl(clientId, { targets: ["c"] }))
    expect(replaced.targets).toEqual(["c"])
    expect(await bl.ok("GET", `/vens/${made.id}`)).toEqual(replaced)
    expect(await bl.ok("DELETE", `/vens/${made.id}`)).toEqual(replaced)
    expect((await bl.call("GET", `/vens/${made.id}`)).status).toBe(404)
  })

  test("needs the id of the client, and the form of business logic", async () => {
    const { bl } = await makeVtn(app)
    const { body, status } = await bl.call("POST", "/vens", { objectType: "BL_VEN_REQUEST", venName: "ven" })
    expect(status).toBe(400)
    expect(body.detail).toContain("clientID: Is required")
    const made = await bl.ok("POST", "/vens", asBl("client-1"))
    expect((await bl.call("PUT", `/vens/${made.id}`, asVen())).status).toBe(400)
    const wrong = await bl.call("POST", "/vens", asVen())
    expect(wrong).toMatchObject({ status: 400 })
    expect(wrong.body.detail).toContain("BL_VEN_REQUEST")
  })

  test("has a name and a client of its own", async () => {
    const { bl } = await makeVtn(app)
    const one = await bl.ok("POST", "/vens", asBl("client-1", { venName: "one" }))
    const two = await bl.ok("POST", "/vens", asBl("client-2", { venName: "two" }))
    for (const [fields, field] of [
      [asBl("client-3", { venName: "one" }), "venName"],
      [asBl("client-1", { venName: "three" }), "clientID"]
    ] as const) {
      const refused = await bl.call("POST", "/vens", fields)
      expect(refused).toMatchObject({ status: 409 })
      expect(refused.body.detail).toContain(field)
    }
    expect((await bl.call("PUT", `/vens/${two.id}`, asBl("client-2", { venName: "one" }))).status).toBe(409)
    expect((await bl.call("PUT", `/vens/${two.id}`, asBl("client-1", { venName: "two" }))).status).toBe(409)
    expect(await bl.ok("GET", `/vens/${one.id}`)).toEqual(one)
  })

  test.each([
    ["venName", { venName: "" }],
    ["venName", { venName: LONG }],
    ["clientID", { clientID: "" }],
    ["clientID", { clientID: LONG }],
    ["attributes.0.values", { attributes: [{ type: "AREA" }] }],
    ["targets", { targets: "group-1" }]
  ])("is refused with a wrong %s", async (field, fields) => {
    const { bl } = await makeVtn(app)
    const { body, status } = await bl.call("POST", "/vens", asBl("client", fields))
    expect(status).toBe(400)
    expect(body.detail).toContain(`${field}: `)
  })

  test("is moved to another client with its resources", async () => {
    const { bl, enrolled, newVen } = await makeVtn(app)
    const [old, next] = [await enrolled(["t"]), await newVen()]
    const resource = await bl.ok("POST", "/resources", blResource(old.clientId, old.ven.id))
    await bl.ok("PUT", `/vens/${old.ven.id}`, asBl(next.clientId, { targets: ["t"] }))
    expect(await old.ok("GET", "/vens")).toEqual([])
    expect(await old.ok("GET", "/resources")).toEqual([])
    expect(names(await next.ok("GET", "/vens"), "id")).toEqual([old.ven.id])
    expect(await next.ok("GET", `/resources/${resource.id}`)).toMatchObject({ clientID: next.clientId })
  })

  test("with resources is not deleted before them", async () => {
    const { bl, enrolled } = await makeVtn(app)
    const ven = await enrolled()
    const resource = await ven.ok("POST", "/resources", venResource(ven.ven.id))
    expect((await bl.call("DELETE", `/vens/${ven.ven.id}`)).status).toBe(409)
    expect((await ven.call("DELETE", `/vens/${ven.ven.id}`)).status).toBe(409)
    await bl.ok("DELETE", `/resources/${resource.id}`)
    await bl.ok("DELETE", `/vens/${ven.ven.id}`)
  })
})

describe("the list of vens", () => {
  test("has all for business logic, by name and by targets", async () => {
    const { bl, enrolled, newVen } = await makeVtn(app)
    const [one, two] = [await enrolled(["a", "b"]), await enrolled(["b"])]
    await (await newVen()).ok("POST", "/vens", asVen({ venName: "own" }))
    const listed = async (query: string) => names(await bl.ok("GET", `/vens${query}`), "id")
    expect(await listed("")).toHaveLength(3)
    expect(await listed(`?venName=${one.ven.venName}`)).toEqual([one.ven.id])
    expect(await listed("?targets=b")).toEqual([one.ven.id, two.ven.id])
    expect(await listed("?targets=a&targets=b")).toEqual([one.ven.id])
    expect(await listed(`?targets=a&venName=${two.ven.venName}`)).toEqual([])
    expect(await listed("?skip=1&limit=1")).toEqual([two.ven.id])
    expect((await bl.call("GET", "/vens?limit=51")).status).toBe(400)
    expect((await bl.call("GET", "/vens?venName=")).status).toBe(400)
  })

  test("has its own ven alone for a VEN, whatever it filters by", async () => {
    const { enrolled } = await makeVtn(app)
    const [one, two] = [await enrolled(["a"]), await enrolled(["a"])]
    expect(names(await one.ok("GET", "/vens"), "id")).toEqual([one.ven.id])
    expect(names(await one.ok("GET", "/vens?targets=a"), "id")).toEqual([one.ven.id])
    expect(await one.ok("GET", `/vens?venName=${two.ven.venName}`)).toEqual([])
  })
})

describe("a resource of its own client", () => {
  test("is created in the client's ven, read, replaced and deleted", async () => {
    const { enrolled } = await makeVtn(app)
    const ven = await enrolled()
    const { body: made, status } = await ven.call("POST", "/resources", venResource(ven.ven.id, { attributes }))
    expect(status).toBe(201)
    expect(made).toMatchObject({ objectType: "RESOURCE", clientID: ven.clientId, venID: ven.ven.id, attributes })
    expect(await ven.ok("GET", `/resources/${made.id}`)).toEqual(made)
    const replaced = await ven.ok("PUT", `/resources/${made.id}`, venResource(ven.ven.id, { resourceName: "renamed" }))
    expect(replaced).toMatchObject({ resourceName: "renamed" })
    expect(replaced).not.toHaveProperty("attributes")
    expect(await ven.ok("DELETE", `/resources/${made.id}`)).toEqual(replaced)
    expect((await ven.call("GET", `/resources/${made.id}`)).status).toBe(404)
  })

  test("has no targets of its client's choice", async () => {
    const { bl, enrolled } = await makeVtn(app)
    const ven = await enrolled()
    const made = await ven.ok("POST", "/resources", venResource(ven.ven.id, { targets: ["x"] }))
    expect(made).not.toHaveProperty("targets")
    await bl.ok("PUT", `/resources/${made.id}`, blResource(ven.clientId, ven.ven.id, { targets: ["granted"] }))
    const changed = await ven.ok("PUT", `/resources/${made.id}`, venResource(ven.ven.id, { targets: ["x"] }))
    expect(changed.targets).toEqual(["granted"])
  })

  test("is not moved to another client's ven", async () => {
    const { enrolled } = await makeVtn(app)
    const [ven, other] = [await enrolled(), await enrolled()]
    const made = await ven.ok("POST", "/resources", venResource(ven.ven.id))
    for (const venID of [other.ven.id, "missing"]) {
      const refused = await ven.call("PUT", `/resources/${made.id}`, venResource(venID))
      expect(refused).toMatchObject({ status: 409 })
      expect(refused.body.detail).toContain("venID")
      expect((await ven.call("POST", "/resources", venResource(venID, { resourceName: "b" }))).status).toBe(409)
    }
    expect(await ven.ok("GET", `/resources/${made.id}`)).toEqual(made)
  })

  test("is not written in the form of business logic", async () => {
    const { enrolled } = await makeVtn(app)
    const ven = await enrolled()
    expect((await ven.call("POST", "/resources", blResource(ven.clientId, ven.ven.id))).status).toBe(403)
    const made = await ven.ok("POST", "/resources", venResource(ven.ven.id))
    const changed = blResource(ven.clientId, ven.ven.id, { targets: ["taken"] })
    expect((await ven.call("PUT", `/resources/${made.id}`, changed)).status).toBe(403)
    expect(await ven.ok("GET", `/resources/${made.id}`)).toEqual(made)
  })

  test("needs a ven of the client", async () => {
    const { enrolled, newVen } = await makeVtn(app)
    const [stranger, ven] = [await newVen(), await enrolled()]
    const made = await ven.ok("POST", "/resources", venResource(ven.ven.id))
    expect((await stranger.call("POST", "/resources", venResource(ven.ven.id))).status).toBe(409)
    expect((await stranger.call("PUT", `/resources/${made.id}`, venResource(ven.ven.id))).status).toBe(404)
    expect(await stranger.ok("GET", "/resources")).toEqual([])
  })

  test("is listed by name, and by targets, among the client's own", async () => {
    const { bl, enrolled } = await makeVtn(app)
    const [ven, other] = [await enrolled(), await enrolled()]
    const make = (owner: VtnClient & { ven: any }, resourceName: string, targets: ReadonlyArray<string>) =>
      bl.ok("POST", "/resources", blResource(owner.clientId, owner.ven.id, { resourceName, targets }))
    const [a, b] = [await make(ven, "a", ["t"]), await make(ven, "b", [])]
    await make(other, "a", ["t"])
    const listed = async (query: string) => names(await ven.ok("GET", `/resources${query}`), "id")
    expect(await listed("")).toEqual([a.id, b.id])
    expect(await listed("?resourceName=a")).toEqual([a.id])
    expect(await listed("?targets=t")).toEqual([a.id])
    expect(await listed(`?venID=${other.ven.id}`)).toEqual([])
  })

  test("is seen, changed and deleted by no other VEN", async () => {
    const { enrolled } = await makeVtn(app)
    const [ven, other] = [await enrolled(), await enrolled()]
    const made = await ven.ok("POST", "/resources", venResource(ven.ven.id))
    expect(await other.ok("GET", "/resources")).toEqual([])
    expect(await other.ok("GET", `/resources?venID=${ven.ven.id}`)).toEqual([])
    expect((await other.call("GET", `/resources/${made.id}`)).status).toBe(404)
    expect((await other.call("PUT", `/resources/${made.id}`, venResource(other.ven.id))).status).toBe(404)
    expect((await other.call("DELETE", `/resources/${made.id}`)).status).toBe(404)
  })
})

describe("a resource by business logic", () => {
  test("is not written in the form of VENs", async () => {
    const { bl, enrolled } = await makeVtn(app)
    const ven = await enrolled()
    const refused = await bl.call("POST", "/resources", venResource(ven.ven.id))
    expect(refused).toMatchObject({ status: 400 })
    expect(refused.body.detail).toContain("BL_RESOURCE_REQUEST")
    const made = await bl.ok("POST", "/resources", blResource(ven.clientId, ven.ven.id))
    expect((await bl.call("PUT", `/resources/${made.id}`, venResource(ven.ven.id))).status).toBe(400)
    expect(await bl.ok("GET", `/resources/${made.id}`)).toEqual(made)
  })

  test("is created in a ven with its client's id and targets, replaced and deleted", async () => {
    const { bl, enrolled } = await makeVtn(app)
    const ven = await enrolled()
    const made = await bl.ok("POST", "/resources", blResource(ven.clientId, ven.ven.id, { targets: ["a"] }))
    expect(made).toMatchObject({ objectType: "RESOURCE", clientID: ven.clientId, targets: ["a"] })
    expect(await ven.ok("GET", "/resources")).toEqual([made])
    const replaced = await bl.ok("PUT", `/resources/${made.id}`, blResource(ven.clientId, ven.ven.id))
    expect(replaced).not.toHaveProperty("targets")
    expect(await bl.ok("DELETE", `/resources/${made.id}`)).toEqual(replaced)
  })

  test("has the client of its ven", async () => {
    const { bl, enrolled } = await makeVtn(app)
    const [ven, other] = [await enrolled(), await enrolled()]
    const refused = await bl.call("POST", "/resources", blResource(other.clientId, ven.ven.id))
    expect(refused).toMatchObject({ status: 400 })
    expect(refused.body.detail).toContain("clientID")
  })

  test("is moved to another ven with that ven's client", async () => {
    const { bl, enrolled } = await makeVtn(app)
    const [ven, other] = [await enrolled(), await enrolled()]
    const made = await bl.ok("POST", "/resources", blResource(ven.clientId, ven.ven.id))
    await bl.ok("PUT", `/resources/${made.id}`, blResource(other.clientId, other.ven.id))
    expect(await ven.ok("GET", "/resources")).toEqual([])
    expect(names(await other.ok("GET", "/resources"), "id")).toEqual([made.id])
  })

  test("has a name that no other resource of the ven has", async () => {
    const { bl, enrolled } = await makeVtn(app)
    const [ven, other] = [await enrolled(), await enrolled()]
    await bl.ok("POST", "/resources", blResource(ven.clientId, ven.ven.id))
    expect((await bl.call("POST", "/resources", blResource(ven.clientId, ven.ven.id))).status).toBe(409)
    await bl.ok("POST", "/resources", blResource(other.clientId, other.ven.id))
  })

  test.each([
    ["resourceName", { resourceName: "" }],
    ["resourceName", { resourceName: LONG }],
    ["venID", { venID: undefined }],
    ["clientID", { clientID: undefined }]
  ])("is refused with a wrong %s", async (field, fields) => {
    const { bl, enrolled } = await makeVtn(app)
    const ven = await enrolled()
    const { body, status } = await bl.call("POST", "/resources", blResource(ven.clientId, ven.ven.id, fields))
    expect(status).toBe(400)
    expect(body.detail).toContain(`${field}: `)
  })

  test("is listed by name, by ven and by targets", async () => {
    const { bl, enrolled } = await makeVtn(app)
    const [one, two] = [await enrolled(), await enrolled()]
    const make = (ven: VtnClient & { ven: any }, resourceName: string, targets: ReadonlyArray<string>) =>
      bl.ok("POST", "/resources", blResource(ven.clientId, ven.ven.id, { resourceName, targets }))
    const a = await make(one, "a", ["t", "u"])
    const b = await make(one, "b", ["t"])
    const c = await make(two, "a", [])
    const listed = async (query: string) => names(await bl.ok("GET", `/resources?${query}`), "id")
    expect(await listed("")).toEqual([a.id, b.id, c.id])
    expect(await listed("resourceName=a")).toEqual([a.id, c.id])
    expect(await listed(`venID=${one.ven.id}`)).toEqual([a.id, b.id])
    expect(await listed(`venID=${one.ven.id}&resourceName=a&targets=u`)).toEqual([a.id])
    expect(await listed("targets=t&targets=u")).toEqual([a.id])
    expect(await listed("skip=1&limit=1")).toEqual([b.id])
  })
})
