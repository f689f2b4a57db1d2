import { apiKeyTypes } from "@edp/domain/auth/ApiKeyType"
import { Client } from "pg"
import { expect } from "vitest"
import { callAt } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import type { Credentials } from "../support/spawnServer.ts"

/** Exercises keys: they are created, used, mistyped, expired and revoked. Returns the created ones. */
export const exerciseKeys = async (
  url: string,
  { managementKey, serverKey, manufacturerKey }: Credentials,
  databaseUrl: string
): Promise<ReadonlyArray<string>> => {
  const call = (method: string, path: string, key: string, body?: object, headers = {}) =>
    callAt(url, method, path, { key, headers, ...(body === undefined ? {} : { body }) })
  const made: Array<string> = []
  const create = async (body: object) => {
    const response = await call("POST", "/v1/api-keys", managementKey, { name: "Exercised", ...body })
    expect(response.status).toBe(201)
    made.push(response.body.key)
    return response.body
  }

  for (const type of apiKeyTypes.filter((type) => type !== "SCOPED")) {
    const { id, key } = await create({ type, ownerId: "owner", manufacturerScope: ["generic"] })
    await call("GET", "/v1/manufacturers", key)
    await call("GET", "/v1/organizations", key)
    await call("GET", `/v1/api-keys/${id}`, managementKey)
    await call("PATCH", `/v1/api-keys/${id}`, managementKey, { name: "Renamed" })
    await call("GET", "/v1/manufacturers", key.slice(0, -1) + (key.endsWith("a") ? "b" : "a"))
    await call("GET", "/v1/manufacturers", `${key}, ${key}`)
    const rotated = await call("POST", `/v1/api-keys/${id}/rotate`, managementKey, {})
    expect(rotated.status).toBe(200)
    made.push(rotated.body.key)
    await call("GET", "/v1/manufacturers", rotated.body.key)
    expect((await call("POST", `/v1/api-keys/${id}/revoke`, managementKey)).status).toBe(200)
    for (const each of [key, rotated.body.key]) expect((await call("GET", "/v1/manufacturers", each)).status).toBe(401)
  }
  const passing = await create({ type: "SERVER", expiresAt: new Date(Date.now() + 1500).toISOString() })
  await eventually("the key expires", async () =>
    (await call("GET", "/v1/sites", passing.key)).status === 401 ? true : undefined
  )
  const { key } = await create({ type: "SERVER", rateLimits: { read: 1 } })
  for (let read = 0; read < 3; read++) await call("GET", "/v1/sites", key)

  // A key in the wrong place of a request.
  await call("GET", `/v1/api-keys/${key}`, managementKey)
  await call("GET", `/v1/${key}`, managementKey)
  await call("GET", `/v1/sites?key=${key}`, serverKey)
  await call("POST", "/v1/alerts", serverKey, { title: "", siteId: key })
  await call("GET", "/v1/sites", serverKey, undefined, {
    Authorization: `Bearer ${key}`,
    "X-Api-Key": key,
    Cookie: `key=${key}`
  })
  await call("GET", "/v1/sites", serverKey, undefined, { "X-Request-Id": "traced-17" })
  // A search text may be a person's name.
  await call("GET", "/v1/sites?q=Sunny%20Valley", serverKey)
  await call("POST", "/devices", manufacturerKey, { manufacturerDeviceId: "M-1" })

  // A statement that fails in the midst of making a key, with all that the database has to say about it.
  const database = new Client({ connectionString: databaseUrl })
  await database.connect()
  await database.query("ALTER TABLE api_keys ADD CONSTRAINT no_such_name CHECK (name <> 'Broken') NOT VALID")
  const broken = await call("POST", "/v1/api-keys", managementKey, { name: "Broken", type: "SERVER" })
  expect([broken.status, broken.body.code]).toEqual([500, "UNKNOWN_ERROR"])
  await database.query("ALTER TABLE api_keys DROP CONSTRAINT no_such_name")
  await database.end()
  return made
}
