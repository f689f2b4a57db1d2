import { randomBytes } from "node:crypto"
import { generateKey } from "@edp/domain/auth/keyFormat"
import { describe, expect, test } from "vitest"
import { useTestApp } from "../../../support/TestApp.ts"
import { atOnce } from "../../../support/races.ts"

const app = useTestApp({ env: { EDP_RATE_LIMIT_AUTH_FAILURES: "1000000" } })

const unauthenticated = (response: { status: number; body: any }) => {
  expect(response.body?.code).toBe("UNAUTHENTICATED")
  expect(response.status).toBe(401)
}

describe("401 UNAUTHENTICATED", () => {
  test("missing key", async () => unauthenticated(await app.call("GET", "/v1/workspaces")))

  test.each([
    ["blank", ""],
    ["of an unknown prefix", "nothing_abc"],
    ["truncated", "server_abc"],
    ["of 8 kB", `server_${"a".repeat(8000)}`],
    ["well formed but unknown", generateKey("SERVER", randomBytes)]
  ])("key %s", async (_, key) => unauthenticated(await app.call("GET", "/v1/workspaces", { key })))

  test("key with a wrong checksum", async () => {
    const { keys } = await app.workspace()
    const last = keys.SERVER.endsWith("a") ? "b" : "a"
    unauthenticated(await app.call("GET", "/v1/workspaces", { key: keys.SERVER.slice(0, -1) + last }))
  })

  test("repeated key", async () => {
    const { keys } = await app.workspace()
    unauthenticated(await app.call("GET", "/v1/workspaces", { key: `${keys.SERVER}, ${keys.SERVER}` }))
  })

  test("expired key, from the instant of its expiry on", async () => {
    const place = await app.workspace()
    const { key } = await app.key(place, "SERVER", { expiresAt: new Date(Date.now() - 1) })
    unauthenticated(await app.call("GET", "/v1/workspaces", { key }))
  })

  test("revoked key, from the next request on", async () => {
    const place = await app.workspace()
    const { id, key } = await app.key(place, "SERVER")
    expect((await app.call("GET", "/v1/workspaces", { key })).status).toBe(200)
    expect((await app.call("POST", `/v1/api-keys/${id}/revoke`, { key: place.keys.MANAGEMENT })).status).toBe(200)
    unauthenticated(await app.call("GET", "/v1/workspaces", { key }))
  })

  test("key of a type that may not call the endpoint", async () => {
    const { keys } = await app.workspace()
    unauthenticated(await app.call("GET", "/v1/api-keys", { key: keys.SERVER }))
  })
})

test("401 comes before 400: an invalid key is reported before an invalid request", async () => {
  unauthenticated(await app.call("POST", "/v1/api-keys", { body: "{bad" }))
})

test("concurrent requests with different keys each act on their own workspace", async () => {
  const places = await atOnce(20, () => app.workspace())
  const responses = await Promise.all(places.map(({ keys }) => app.call("GET", "/v1/workspaces", { key: keys.SERVER })))
  expect(responses.map((response) => response.body.data[0].id)).toEqual(places.map(({ workspaceId }) => workspaceId))
})
