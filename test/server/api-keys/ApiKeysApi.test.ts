import { describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"

const app = useTestApp({ env: { EDP_RATE_LIMIT_AUTH_FAILURES: "1000000" } })
const allowed = ["MANAGEMENT"] as const

describeKeyChecks(app, [
  { method: "GET", path: "/v1/api-keys", allowed },
  { method: "POST", path: "/v1/api-keys", allowed },
  { method: "GET", path: "/v1/api-keys/any", allowed },
  { method: "PATCH", path: "/v1/api-keys/any", allowed },
  { method: "POST", path: "/v1/api-keys/any/revoke", allowed }
])

const nobody = `c${"0".repeat(24)}`
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

const arrange = async () => {
  const place = await app.workspace()
  const call = (method: string, path: string, body?: unknown) =>
    app.call(method, path, { key: place.keys.MANAGEMENT, ...(body === undefined ? {} : { body }) })
  const create = async (fields: object = {}) =>
    (await call("POST", "/v1/api-keys", { name: "Back end", type: "SERVER", ...fields })).body
  const ownKey = async () =>
    (await call("GET", "/v1/api-keys?perPage=100")).body.data.find(
      ({ keyPrefix }: { keyPrefix: string }) => keyPrefix === place.keys.MANAGEMENT.slice(0, 12)
    )
  return { ...place, call, create, ownKey }
}

const works = async (key: string) => (await app.call("GET", "/v1/workspaces", { key })).status

describe("POST /v1/api-keys", () => {
  test("201 returns the full key, which works at once, and no field that a later read lacks", async () => {
    const { call, workspaceId } = await arrange()
    const { status, body } = await call("POST", "/v1/api-keys", { name: "Back end", type: "SERVER" })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^c[0-9a-z]{24}$/),
      name: "Back end",
      type: "SERVER",
      key: expect.stringMatching(/^server_[0-9A-Za-z]{38}$/),
      workspaceId,
      ownerId: null,
      manufacturerScope: null,
      scope: null,
      rateLimits: null,
      expiresAt: null,
      createdAt: moment
    })
    expect(await works(body.key)).toBe(200)
  })

  test.each([
    ["SERVER", "server_", {}],
    ["API", "api_", {}],
    ["CONNECT", "connect_", {}],
    ["MANUFACTURER", "mfr_", { manufacturerScope: ["generic", "not-in-the-catalogue"] }],
    ["MANAGEMENT", "mgmt_", { ownerId: "user-7" }]
  ])("201 type %s: its key begins with %s", async (type, prefix, fields) => {
    const { create } = await arrange()
    const body = await create({ type, ...fields })
    expect(body).toMatchObject({ type, ...fields })
    expect(body.key.startsWith(prefix)).toBe(true)
  })

  test("201 stores name, owner, limits and expiry", async () => {
    const { create } = await arrange()
    const given = { name: "x".repeat(255), ownerId: "user-7", rateLimits: { read: 600, write: null } }
    expect(await create({ ...given, expiresAt: "2100-01-01T02:00:00+02:00" })).toMatchObject({
      ...given,
      expiresAt: "2100-01-01T00:00:00.000Z"
    })
  })

  test("201 creates a key for another workspace of the organization", async () => {
    const { create, organizationId } = await arrange()
    const other = await app.workspace(organizationId)
    const { key, workspaceId } = await create({ workspaceId: other.workspaceId })
    expect(workspaceId).toBe(other.workspaceId)
    const { body } = await app.call("GET", "/v1/workspaces", { key })
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([other.workspaceId])
  })

  test("201 ignores read-only fields, and a scope that the type does not have", async () => {
    const { create } = await arrange()
    const forged = { id: nobody, organizationId: nobody, key: "server_mine", revoked: true, keyPrefix: "mine" }
    const body = await create({ ...forged, manufacturerScope: ["generic"], scopeReferenceId: "user-1" })
    expect(body.id).not.toBe(forged.id)
    expect(body.key).not.toBe(forged.key)
    expect(body.manufacturerScope).toBeNull()
    expect(body).not.toHaveProperty("revoked")
    expect(await works(body.key)).toBe(200)
  })

  test.each([
    ["name", undefined],
    ["name", ""],
    ["name", "x".repeat(256)],
    ["name", null],
    ["type", undefined],
    ["type", "SCOPED"],
    ["type", "server"],
    ["workspaceId", ""],
    ["ownerId", ""],
    ["expiresAt", "2020-01-01T00:00:00Z"],
    ["expiresAt", "soon"],
    ["expiresAt", "9999-12-31T23:59:59-12:00"],
    ["rateLimits", 7]
  ])("400 VALIDATION_ERROR for the %s %j", async (field, value) => {
    const { call } = await arrange()
    const response = await call("POST", "/v1/api-keys", { name: "Back end", type: "SERVER", [field]: value })
    expectError(response, 400, "VALIDATION_ERROR", { [field]: expect.any(String) })
  })

  test.each([
    [{ read: 0 }, "rateLimits.read"],
    [{ write: 1.5 }, "rateLimits.write"],
    [{ bulk: 1_000_001 }, "rateLimits.bulk"]
  ])("400 VALIDATION_ERROR for the limits %j", async (rateLimits, field) => {
    const { call } = await arrange()
    const response = await call("POST", "/v1/api-keys", { name: "Back end", type: "SERVER", rateLimits })
    expectError(response, 400, "VALIDATION_ERROR", { [field]: expect.any(String) })
  })

  test("400 VALIDATION_ERROR for a MANUFACTURER key without a scope", async () => {
    const { call } = await arrange()
    for (const scope of [{}, { manufacturerScope: null }, { manufacturerScope: [] }]) {
      const response = await call("POST", "/v1/api-keys", { name: "Acme", type: "MANUFACTURER", ...scope })
      expectError(response, 400, "VALIDATION_ERROR", { manufacturerScope: expect.any(String) })
    }
    const malformed = { name: "Acme", type: "MANUFACTURER", manufacturerScope: ["acme", "Acme Inc."] }
    expectError(await call("POST", "/v1/api-keys", malformed), 400, "VALIDATION_ERROR", {
      "manufacturerScope.1": expect.any(String)
    })
  })

  test("400 VALIDATION_ERROR for a MANAGEMENT key without an owner", async () => {
    const { call } = await arrange()
    for (const owner of [{}, { ownerId: null }]) {
      const response = await call("POST", "/v1/api-keys", { name: "Ops", type: "MANAGEMENT", ...owner })
      expectError(response, 400, "VALIDATION_ERROR", { ownerId: expect.any(String) })
    }
  })

  test("400 VALIDATION_ERROR reports a missing scope and a past expiry together", async () => {
    const { call } = await arrange()
    const body = { name: "Acme", type: "MANUFACTURER", expiresAt: "2020-01-01T00:00:00Z" }
    const details = { manufacturerScope: expect.any(String), expiresAt: expect.any(String) }
    expectError(await call("POST", "/v1/api-keys", body), 400, "VALIDATION_ERROR", details)
  })

  test("404 WORKSPACE_NOT_FOUND for a workspace of another organization as for an unknown one", async () => {
    const { call } = await arrange()
    const other = await arrange()
    for (const workspaceId of [other.workspaceId, nobody, "x"]) {
      const response = await call("POST", "/v1/api-keys", { name: "Back end", type: "SERVER", workspaceId })
      expectError(response, 404, "WORKSPACE_NOT_FOUND")
    }
  })
})

describe("GET /v1/api-keys", () => {
  test("200 lists the keys of all workspaces of the organization only, newest first", async () => {
    const { call, create, organizationId } = await arrange()
    await arrange()
    const other = await app.workspace(organizationId)
    const first = await create()
    const second = await create({ workspaceId: other.workspaceId })
    const { status, body } = await call("GET", "/v1/api-keys")
    expect(status).toBe(200)
    expect(body).toMatchObject({ page: 1, perPage: 20, totalItems: 18, totalPages: 1 })
    expect(body.data.slice(0, 2).map(({ id }: { id: string }) => id)).toEqual([second.id, first.id])
  })

  test("200 filters by workspace, and lists nothing of another organization", async () => {
    const { call, create, organizationId } = await arrange()
    const other = await app.workspace(organizationId)
    const { id } = await create({ workspaceId: other.workspaceId })
    const { body } = await call("GET", `/v1/api-keys?workspaceId=${other.workspaceId}&perPage=1`)
    expect([body.data[0].id, body.totalItems, body.totalPages]).toEqual([id, 9, 9])
    const foreign = await app.workspace()
    expect((await call("GET", `/v1/api-keys?workspaceId=${foreign.workspaceId}`)).body.totalItems).toBe(0)
  })

  test("200 filters by type and by status, and revoked goes before expired", async () => {
    const { call, create, ...place } = await arrange()
    const past = { expiresAt: new Date(Date.now() - 1000) }
    const ids = {
      active: (await create({ expiresAt: "2999-01-01T00:00:00Z", type: "CONNECT" })).id,
      expired: (await app.key(place, "CONNECT", past)).id,
      revoked: (await create({ type: "CONNECT" })).id,
      both: (await app.key(place, "API", past)).id
    }
    for (const id of [ids.revoked, ids.both]) await call("POST", `/v1/api-keys/${id}/revoke`)
    const list = async (filters: string) => {
      const { body } = await call("GET", `/v1/api-keys?perPage=100&${filters}`)
      expect(body.totalItems).toBe(body.data.length)
      return body.data.map(({ id }: { id: string }) => id).filter((id: string) => Object.values(ids).includes(id))
    }
    expect(await list("type=CONNECT")).toEqual([ids.revoked, ids.expired, ids.active])
    expect(await list("type=CONNECT&type=API&status=REVOKED")).toEqual([ids.both, ids.revoked])
    expect(await list("status=EXPIRED")).toEqual([ids.expired])
    expect(await list("status=ACTIVE,EXPIRED")).toEqual([ids.expired, ids.active])
    expectError(await call("GET", "/v1/api-keys?status=active"), 400, "VALIDATION_ERROR", {
      "status.0": "Must be one of ACTIVE, EXPIRED, REVOKED"
    })
  })

  test("200 contains no secret: only the first 12 characters of the key", async () => {
    const { call, create } = await arrange()
    const { key, id } = await create()
    const { text, body } = await call("GET", "/v1/api-keys")
    expect(body.data.find((item: { id: string }) => item.id === id).keyPrefix).toBe(key.slice(0, 12))
    expect(text).not.toContain(key.slice(0, 13))
    expect(text).not.toMatch(/"(key|keyHash|key_hash)"/)
  })

  test.each([
    ["page=0", "page"],
    ["page=1001", "page"],
    ["perPage=101", "perPage"],
    ["types=SERVER", "types"]
  ])("400 VALIDATION_ERROR for ?%s", async (query, field) => {
    const { call } = await arrange()
    const response = await call("GET", `/v1/api-keys?${query}`)
    expectError(response, 400, "VALIDATION_ERROR", { [field]: expect.any(String) })
  })
})

describe("GET /v1/api-keys/:id", () => {
  test("200 returns the key without its secret", async () => {
    const { call, create } = await arrange()
    const { key, ...created } = await create({ type: "MANUFACTURER", manufacturerScope: ["generic"] })
    const { status, body } = await call("GET", `/v1/api-keys/${created.id}`)
    expect(status).toBe(200)
    expect(body).toEqual({ ...created, keyPrefix: key.slice(0, 12), revoked: false, lastUsedAt: null })
  })

  test("404 APIKEY_NOT_FOUND for a key of another organization as for an unknown one", async () => {
    const { call } = await arrange()
    const foreign = await (await arrange()).create()
    for (const id of [foreign.id, nobody, "x", "%00"]) {
      expectError(await call("GET", `/v1/api-keys/${id}`), 404, "APIKEY_NOT_FOUND")
    }
  })
})

describe("PATCH /v1/api-keys/:id", () => {
  test("200 changes the name only, and the key stays valid", async () => {
    const { call, create } = await arrange()
    const { id, key } = await create({ rateLimits: { read: 600 } })
    const before = (await call("GET", `/v1/api-keys/${id}`)).body
    const { status, body } = await call("PATCH", `/v1/api-keys/${id}`, { name: "Renamed" })
    expect(status).toBe(200)
    expect(body).toEqual({ ...before, name: "Renamed" })
    expect(await works(key)).toBe(200)
  })

  test("200 changes limits; null restores the defaults, an absent field is unchanged", async () => {
    const { call, create } = await arrange()
    const { id } = await create()
    const limits = async (body: object) => (await call("PATCH", `/v1/api-keys/${id}`, body)).body.rateLimits
    expect(await limits({ rateLimits: { read: 600, bulk: null } })).toEqual({ read: 600, bulk: null })
    expect(await limits({ name: "Renamed" })).toEqual({ read: 600, bulk: null })
    expect(await limits({ rateLimits: null })).toBeNull()
  })

  test("200 two concurrent changes of different fields both take effect", async () => {
    const { call, create } = await arrange()
    const { id } = await create()
    await Promise.all([
      call("PATCH", `/v1/api-keys/${id}`, { name: "Renamed" }),
      call("PATCH", `/v1/api-keys/${id}`, { rateLimits: { read: 600 } })
    ])
    const { body } = await call("GET", `/v1/api-keys/${id}`)
    expect(body).toMatchObject({ name: "Renamed", rateLimits: { read: 600 } })
  })

  test("200 ignores read-only fields", async () => {
    const { call, create } = await arrange()
    const { id } = await create()
    const before = (await call("GET", `/v1/api-keys/${id}`)).body
    const forged = {
      id: nobody,
      type: "MANAGEMENT",
      revoked: true,
      workspaceId: nobody,
      ownerId: "me",
      manufacturerScope: ["generic"],
      expiresAt: null,
      keyPrefix: "mine"
    }
    expect((await call("PATCH", `/v1/api-keys/${id}`, forged)).body).toEqual(before)
  })

  test.each([
    ["name", ""],
    ["name", "x".repeat(256)],
    ["name", null],
    ["rateLimits", "none"]
  ])("400 VALIDATION_ERROR for the %s %j", async (field, value) => {
    const { call, create } = await arrange()
    const { id } = await create()
    const response = await call("PATCH", `/v1/api-keys/${id}`, { [field]: value })
    expectError(response, 400, "VALIDATION_ERROR", { [field]: expect.any(String) })
  })

  test("404 APIKEY_NOT_FOUND for a key of another organization, which keeps its name", async () => {
    const { call } = await arrange()
    const other = await arrange()
    const foreign = await other.create()
    for (const id of [foreign.id, nobody, "x"]) {
      expectError(await call("PATCH", `/v1/api-keys/${id}`, { name: "Taken over" }), 404, "APIKEY_NOT_FOUND")
    }
    expect((await other.call("GET", `/v1/api-keys/${foreign.id}`)).body.name).toBe("Back end")
  })
})

describe("POST /v1/api-keys/:id/rotate", () => {
  const rotate = (management: string, id: string, body: object = {}) =>
    app.call("POST", `/v1/api-keys/${id}/rotate`, { key: management, body })
  const works = async (key: string) => (await app.call("GET", "/v1/sites", { key })).status === 200

  test("200 gives the key a new secret under its id, and the former one works for a day", async () => {
    const place = await app.workspace()
    const { id, key } = await app.key(place, "SERVER")
    const before = Date.now()
    const { body, status } = await rotate(place.keys.MANAGEMENT, id)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id, type: "SERVER" })
    expect(body.key).not.toBe(key)
    expect(Date.parse(body.previousKeyExpiresAt) - before).toBeGreaterThanOrEqual(86_400_000)
    expect(Date.parse(body.previousKeyExpiresAt) - Date.now()).toBeLessThanOrEqual(86_400_000)
    expect([await works(key), await works(body.key)]).toEqual([true, true])
    const shown = await app.call("GET", `/v1/api-keys/${id}`, { key: place.keys.MANAGEMENT })
    expect(shown.body).toMatchObject({ keyPrefix: body.key.slice(0, 12), revoked: false })
    await app.sql((sql) => sql`UPDATE api_keys SET previous_key_until = now() - interval '1 second' WHERE id = ${id}`)
    expect([await works(key), await works(body.key)]).toEqual([false, true])
  })

  test("200 ends the former secret at once with previousValidSeconds 0", async () => {
    const place = await app.workspace()
    const { id, key } = await app.key(place, "SERVER")
    const { body } = await rotate(place.keys.MANAGEMENT, id, { previousValidSeconds: 0 })
    expect([await works(key), await works(body.key)]).toEqual([false, true])
  })

  test("200 a second rotation ends the secret from before the first", async () => {
    const place = await app.workspace()
    const { id, key } = await app.key(place, "SERVER")
    const second = (await rotate(place.keys.MANAGEMENT, id)).body.key
    const third = (await rotate(place.keys.MANAGEMENT, id)).body.key
    expect([await works(key), await works(second), await works(third)]).toEqual([false, true, true])
  })

  test("200 a revocation ends both secrets", async () => {
    const place = await app.workspace()
    const { id, key } = await app.key(place, "SERVER")
    const { body } = await rotate(place.keys.MANAGEMENT, id)
    await app.call("POST", `/v1/api-keys/${id}/revoke`, { key: place.keys.MANAGEMENT })
    expect([await works(key), await works(body.key)]).toEqual([false, false])
  })

  test.each([-1, 1.5, 604_801, "60"])("400 VALIDATION_ERROR for previousValidSeconds %s", async (seconds) => {
    const place = await app.workspace()
    const { id, key } = await app.key(place, "SERVER")
    const { body, status } = await rotate(place.keys.MANAGEMENT, id, { previousValidSeconds: seconds })
    expect({ status, code: body.code }).toEqual({ status: 400, code: "VALIDATION_ERROR" })
    expect(body.details.previousValidSeconds).toBe("Must be an integer from 0 to 604800")
    expect(await works(key)).toBe(true)
  })

  test("400 INVALID_STATE for a revoked, an expired and a SCOPED key", async () => {
    const place = await app.workspace()
    const revoked = await app.key(place, "SERVER")
    await app.call("POST", `/v1/api-keys/${revoked.id}/revoke`, { key: place.keys.MANAGEMENT })
    const expired = await app.key(place, "SERVER")
    await app.sql((sql) => sql`UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = ${expired.id}`)
    const scoped = await app.key(place, "SCOPED")
    for (const [{ id }, word] of [
      [revoked, "revoked"],
      [expired, "expired"],
      [scoped, "SCOPED"]
    ] as const) {
      const { body, status } = await rotate(place.keys.MANAGEMENT, id)
      expect({ status, code: body.code }).toEqual({ status: 400, code: "INVALID_STATE" })
      expect(body.message).toContain(word)
    }
  })

  test("404 APIKEY_NOT_FOUND for a key of another organization, whose secret stays", async () => {
    const [place, other] = [await app.workspace(), await app.workspace()]
    const { id, key } = await app.key(other, "SERVER")
    expect(await rotate(place.keys.MANAGEMENT, id)).toMatchObject({ status: 404, body: { code: "APIKEY_NOT_FOUND" } })
    expect(await works(key)).toBe(true)
  })
})

describe("POST /v1/api-keys/:id/revoke", () => {
  test("200 with a message only; the key is rejected from the next request on", async () => {
    const { call, create } = await arrange()
    const { id, key } = await create()
    expect(await works(key)).toBe(200)
    const { status, body } = await call("POST", `/v1/api-keys/${id}/revoke`)
    expect({ status, body }).toEqual({ status: 200, body: { message: expect.any(String) } })
    expect(await works(key)).toBe(401)
    expect((await call("GET", `/v1/api-keys/${id}`)).body.revoked).toBe(true)
  })

  test("200 revoking twice changes nothing, and a revoked key stays revoked", async () => {
    const { call, create } = await arrange()
    const { id, key } = await create()
    expect((await call("POST", `/v1/api-keys/${id}/revoke`)).status).toBe(200)
    expect((await call("POST", `/v1/api-keys/${id}/revoke`)).status).toBe(200)
    await call("PATCH", `/v1/api-keys/${id}`, { name: "Back", revoked: false })
    expect((await call("GET", `/v1/api-keys/${id}`)).body.revoked).toBe(true)
    expect(await works(key)).toBe(401)
  })

  test("200 a MANAGEMENT key may revoke itself while another is valid", async () => {
    const { call, create, keys, ownKey } = await arrange()
    const other = await create({ type: "MANAGEMENT", ownerId: "user-7" })
    const { id } = await ownKey()
    expect((await call("POST", `/v1/api-keys/${id}/revoke`)).status).toBe(200)
    expect([await works(keys.MANAGEMENT), await works(other.key)]).toEqual([401, 200])
  })

  test("400 INVALID_STATE for the last valid MANAGEMENT key; revoked and expired ones do not count", async () => {
    const { call, create, organizationId, workspaceId, keys, ownKey } = await arrange()
    const other = await create({ type: "MANAGEMENT", ownerId: "user-7" })
    await app.key({ organizationId, workspaceId }, "MANAGEMENT", { expiresAt: new Date(0) })
    expect((await call("POST", `/v1/api-keys/${other.id}/revoke`)).status).toBe(200)
    const { id } = await ownKey()
    expectError(await call("POST", `/v1/api-keys/${id}/revoke`), 400, "INVALID_STATE")
    expect(await works(keys.MANAGEMENT)).toBe(200)
  })

  test("404 APIKEY_NOT_FOUND for a key of another organization, which stays valid", async () => {
    const { call } = await arrange()
    const foreign = await (await arrange()).create()
    for (const id of [foreign.id, nobody, "x"]) {
      expectError(await call("POST", `/v1/api-keys/${id}/revoke`), 404, "APIKEY_NOT_FOUND")
    }
    expect(await works(foreign.key)).toBe(200)
  })
})

test("a key is valid until the instant of its expiry, exclusively", async () => {
  const { create } = await arrange()
  const expiry = Date.now() + 700
  const { key } = await create({ expiresAt: new Date(expiry).toISOString() })
  let worked = 0
  for (;;) {
    const began = Date.now()
    const status = await works(key)
    const ended = Date.now()
    if (status === 401) {
      expect(ended).toBeGreaterThanOrEqual(expiry)
      break
    }
    worked++
    expect(began).toBeLessThan(expiry)
  }
  expect(worked).toBeGreaterThan(0)
})
