import { describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { eventually } from "../../support/eventually.ts"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"

const app = useTestApp({ env: { EDP_RATE_LIMIT_AUTH_FAILURES: "1000000" } })

describeKeyChecks(app, [{ method: "GET", path: "/v1/audit-logs", allowed: ["MANAGEMENT"] }])

const arrange = async (organizationId?: string) => {
  const place = await app.workspace(organizationId)
  const call = (method: string, path: string, body?: unknown) =>
    app.call(method, path, { key: place.keys.MANAGEMENT, ...(body === undefined ? {} : { body }) })
  const read = (query = "") => call("GET", `/v1/audit-logs?${query}`)
  const actions = async (query: string) => (await read(query)).body.data.map(({ action }: any) => action)
  const createKey = async (name: string, fields: object = {}) =>
    (await call("POST", "/v1/api-keys", { name, type: "SERVER", ...fields })).body
  return { ...place, call, read, actions, createKey }
}

/** A key that is made and renamed, a workspace that is made and deleted, a collection, and a new name for it all. */
const busy = async () => {
  const place = await arrange()
  const { call, createKey, organizationId, workspaceId } = place
  const key = await createKey("One")
  await call("PATCH", `/v1/api-keys/${key.id}`, { name: "Two" })
  const { body: workspace } = await call("POST", "/v1/workspaces", { name: "Passing" })
  const fields = { name: "Mine", collectionType: "SITE", criteria: {}, workspaceId: workspace.id }
  const { body: collection } = await call("POST", "/v1/collections", fields)
  await call("DELETE", `/v1/workspaces/${workspace.id}`)
  await call("PATCH", `/v1/organizations/${organizationId}`, { name: "Renamed" })
  return { ...place, keyId: key.id, passingId: workspace.id, collectionId: collection.id, ownId: workspaceId }
}

const newestFirst = [
  "organization.update",
  "workspace.delete",
  "collection.create",
  "workspace.create",
  "api-key.update",
  "api-key.create"
]

describe("GET /v1/audit-logs", () => {
  test("200 is empty without any writes", async () => {
    const { read } = await arrange()
    expect((await read()).body).toEqual({ data: [], page: 1, perPage: 10, totalItems: 0, totalPages: 0 })
  })

  test("200 lists newest first, including deleted resources, page by page", async () => {
    const { actions, read } = await busy()
    expect(await actions("")).toEqual(newestFirst)
    const { body } = await read("perPage=4&page=2")
    expect(body).toMatchObject({ page: 2, perPage: 4, totalItems: 6, totalPages: 2 })
    expect(body.data.map(({ action }: any) => action)).toEqual(newestFirst.slice(4))
  })

  test("200 filters by each field, by several values, and by combined filters", async () => {
    const { actions, collectionId, keyId, organizationId, ownId, passingId, read } = await busy()
    const [{ actorId }] = (await read()).body.data
    const expected: ReadonlyArray<readonly [query: string, expected: ReadonlyArray<string>]> = [
      ["action=api-key.create", ["api-key.create"]],
      ["action=api-key.create&action=workspace.create", ["workspace.create", "api-key.create"]],
      ["action=api-key.create,workspace.create", ["workspace.create", "api-key.create"]],
      ["action=manufacturer.create", []],
      ["resourceType=api-key", ["api-key.update", "api-key.create"]],
      ["resourceType=workspace,organization", ["organization.update", "workspace.delete", "workspace.create"]],
      ["resourceType=endpoint", []],
      ["resourceType=api-key&action=workspace.create", []],
      [`resourceId=${keyId}`, ["api-key.update", "api-key.create"]],
      [`resourceId=${collectionId},${organizationId}`, ["organization.update", "collection.create"]],
      [`resourceId=${keyId}&action=api-key.update`, ["api-key.update"]],
      [`resourceId=${keyId}&resourceType=workspace`, []],
      [`actorId=${actorId}`, newestFirst],
      [`actorId=${actorId},${keyId}&resourceType=workspace`, ["workspace.delete", "workspace.create"]],
      [`actorId=${keyId}`, []],
      [`workspaceId=${passingId}`, ["workspace.delete", "collection.create", "workspace.create"]],
      [`workspaceId=${passingId}&resourceType=collection`, ["collection.create"]],
      [`workspaceId=${ownId}&actorId=${actorId}`, ["api-key.update", "api-key.create"]],
      [`workspaceId=${passingId}&resourceId=${keyId}`, []],
      ["from=2020-01-01T00:00:00Z&to=2100-01-01T00:00:00%2B02:00", newestFirst],
      ["to=2020-01-01T00:00:00Z", []],
      ["from=2100-01-01T00:00:00Z", []]
    ]
    for (const [query, response] of expected) {
      expect([query, await actions(query)]).toEqual([query, response])
      expect([query, (await read(query)).body.totalItems]).toEqual([query, response.length])
    }
  })

  test("200 from is included, to is excluded", async () => {
    const { actions, createKey, read } = await arrange()
    await createKey("One")
    const { createdAt } = (await read()).body.data[0]
    expect(await actions(`from=${createdAt}`)).toEqual(["api-key.create"])
    expect(await actions(`to=${createdAt}`)).toEqual([])
  })

  test("200 cursors visit every record once while others are added", async () => {
    const { createKey, read } = await arrange()
    for (let n = 0; n < 7; n++) await createKey(`Key ${n}`)
    const names: Array<string> = []
    let response = await read("perPage=3")
    expect(response.body.totalItems).toBe(7)
    for (;;) {
      names.push(...response.body.data.map(({ after }: any) => after.name))
      const cursor = response.headers.get("x-next-cursor")
      if (cursor === null) break
      await createKey("Meanwhile")
      response = await read(`perPage=3&action=api-key.create&cursor=${cursor}`)
      expect(Object.keys(response.body).sort()).toEqual(["data", "perPage"])
    }
    expect(names).toEqual([6, 5, 4, 3, 2, 1, 0].map((n) => `Key ${n}`))
  })

  test("200 covers the whole organization, and nothing else", async () => {
    const { createKey, organizationId, workspaceId } = await arrange()
    const sibling = await arrange(organizationId)
    const stranger = await arrange()
    for (const [n, one] of [{ createKey }, sibling, stranger].entries()) await one.createKey(`Key ${n}`)
    const listNames = async (query: string, place: typeof sibling) =>
      (await place.read(query)).body.data.map(({ after }: any) => after.name)
    expect(await listNames("", sibling)).toEqual(["Key 1", "Key 0"])
    expect(await listNames(`workspaceId=${workspaceId}`, sibling)).toEqual(["Key 0"])
    expect(await listNames("", stranger)).toEqual(["Key 2"])
    expect(await listNames(`workspaceId=${workspaceId}`, stranger)).toEqual([])
    const cursor = (await sibling.read("perPage=1")).headers.get("x-next-cursor")
    expect(await listNames(`cursor=${cursor}`, stranger)).toEqual([])
  })

  test("200 shows changes of the catalogue only to the organization that made them", async () => {
    const one = await arrange()
    const other = await arrange()
    const maker = { slug: "audited-maker", name: "Maker", deviceTypes: ["meter"] }
    expect((await one.call("POST", "/v1/manufacturers", maker)).status).toBe(201)
    const { body } = await one.read("resourceId=audited-maker")
    expect(body.data).toMatchObject([{ workspaceId: null, after: { name: "Maker", deviceTypes: ["meter"] } }])
    expect((await other.read()).body.totalItems).toBe(0)
  })

  test.each([
    ["acton=api-key.create", "acton"],
    ["action=api-key.destroy", "action.0"],
    ["resourceType=key", "resourceType.0"],
    ["from=yesterday", "from"],
    ["to=2026-13-01T00:00:00Z", "to"],
    ["from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "from"],
    ["resourceId=", "resourceId.0"],
    ["perPage=101", "perPage"],
    ["page=0", "page"],
    ["page=1&cursor=abc", "page"],
    ["cursor=abc", "cursor"],
    [`cursor=${Buffer.from(`["x"]`).toString("base64url")}`, "cursor"]
  ])("400 VALIDATION_ERROR for ?%s", async (query, field) => {
    const { read } = await arrange()
    expectError(await read(query), 400, "VALIDATION_ERROR", { [field]: expect.any(String) })
  })
})

describe("a record", () => {
  test("contains no key, neither of a name nor of the request", async () => {
    const { call, keys, read } = await arrange()
    await app.call("POST", "/v1/api-keys", {
      key: keys.MANAGEMENT,
      body: { name: `was ${keys.SERVER}`, type: "SERVER" },
      headers: { "X-Request-Id": keys.SERVER }
    })
    await call("PATCH", "/v1/organizations/none", { name: keys.SERVER })
    const { body, text } = await read()
    expect(body.data).toHaveLength(1)
    expect(text).not.toContain(keys.SERVER.slice(12))
  })

  test("has the connection's address, and ignores headers that no trusted proxy sent", async () => {
    const { keys, read } = await arrange()
    await app.call("POST", "/v1/workspaces", {
      key: keys.MANAGEMENT,
      body: { name: "Proxied" },
      headers: { "X-Forwarded-For": "203.0.113.7" }
    })
    expect((await read()).body.data[0].address).toMatch(/^(127\.0\.0\.1|::1)$/)
  })

  test("shows the beginning of a long value", async () => {
    const { call, read } = await arrange()
    const body = { manufacturer: "generic", name: "Long", type: "other", staticState: { note: "x".repeat(5000) } }
    expect((await call("POST", "/v1/device-models", body)).status).toBe(201)
    const [{ after }] = (await read()).body.data
    expect(after.staticState).toMatch(/^\{"note":"x+… \(5011 characters\)$/)
    expect(after.name).toBe("Long")
  })
})

describe("a refused use", () => {
  const refusals = async (place: Awaited<ReturnType<typeof arrange>>, query = "") =>
    eventually("it is recorded", async () => {
      const { data } = (await place.read(`action=access.refused&${query}`)).body
      return data.length > 0 ? (data as ReadonlyArray<any>) : undefined
    })

  test("by a revoked or an expired key is recorded", async () => {
    const place = await arrange()
    const { id, key } = await place.createKey("Leaked")
    await place.call("POST", `/v1/api-keys/${id}/revoke`)
    expectError(await app.call("GET", "/v1/sites", { key }), 401, "UNAUTHENTICATED")
    const [revoked] = await refusals(place, `actorId=${id}`)
    expect(revoked).toMatchObject({
      actorType: "SERVER",
      resourceId: "GET /v1/sites",
      refusal: { reason: "KEY_REVOKED" }
    })

    const past = await app.key(place, "API", { expiresAt: new Date(Date.now() - 1) })
    expectError(await app.call("POST", "/v1/alerts", { key: past.key, body: {} }), 401, "UNAUTHENTICATED")
    const [expired] = await refusals(place, `actorId=${past.id}`)
    expect(expired).toMatchObject({ resourceId: "POST /v1/alerts", refusal: { reason: "KEY_EXPIRED", count: 1 } })
  })

  test("is found by its endpoint", async () => {
    const place = await arrange()
    await app.call("PATCH", "/v1/api-keys/any", { key: place.keys.SERVER, body: {} })
    const [record] = await refusals(place, "resourceId=PATCH%20%2Fv1%2Fapi-keys%2F%3Aid")
    expect(record.refusal).toMatchObject({ method: "PATCH", route: "/v1/api-keys/:id", reason: "WRONG_KEY_TYPE" })
    expect((await place.read("resourceId=GET%20%2Fv1%2Fsites")).body.data).toEqual([])
    expect((await place.read("resourceType=endpoint&resourceId=x")).body.data).toEqual([])
  })

  test("at /metrics is recorded", async () => {
    const place = await arrange()
    expectError(await app.call("GET", "/metrics", { key: place.keys.SERVER }), 401, "UNAUTHENTICATED")
    expect(await refusals(place)).toMatchObject([{ resourceId: "GET /metrics", workspaceId: place.workspaceId }])
  })

  test("by an unknown key is counted only in the metrics", async () => {
    const { keys, read } = await arrange()
    const counted = async () => {
      const { text } = await app.call("GET", "/metrics", { key: keys.MANAGEMENT })
      return Number(/^edp_refused_uses_total\{reason="UNKNOWN_KEY"\} (\d+)/m.exec(text)?.[1] ?? 0)
    }
    const before = await counted()
    await app.call("GET", "/v1/sites")
    await app.call("GET", "/v1/sites", { key: "server_unknown" })
    expect(await counted()).toBe(before + 2)
    expect((await read()).body.totalItems).toBe(0)
  })

  test("in a HEAD request is recorded for the GET endpoint, and the second path of an endpoint by its own name", async () => {
    const place = await arrange()
    await app.call("HEAD", "/v1/api-keys", { key: place.keys.SERVER })
    await app.call("POST", "/v1/devices", { key: place.keys.SERVER, body: {} })
    const records = await eventually("both are recorded", async () => {
      const { data } = (await place.read("resourceType=endpoint")).body
      return data.length > 1 ? (data as ReadonlyArray<any>) : undefined
    })
    expect(records.map(({ resourceId }) => resourceId)).toEqual(["POST /v1/devices", "GET /v1/api-keys"])
  })
})
