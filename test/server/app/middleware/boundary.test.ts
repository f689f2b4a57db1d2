import { randomBytes } from "node:crypto"
import { apiKeyTypes } from "@edp/domain/auth/ApiKeyType"
import { generateKey } from "@edp/domain/auth/keyFormat"
import { describe, expect, test } from "vitest"
import { rawConversation, repliesIn } from "../../../support/rawConversation.ts"
import { useTestApp } from "../../../support/TestApp.ts"

const app = useTestApp()

test("an unknown route is 404 NOT_FOUND before authentication, with a request id", async () => {
  const response = await app.call("GET", "/v1/nothing")
  expect(response.status).toBe(404)
  expect(response.body).toEqual({ code: "NOT_FOUND", message: "There is no such route" })
  expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/)
})

test("a wrong method is 404 NOT_FOUND and lists the allowed methods", async () => {
  const response = await app.call("PUT", "/v1/workspaces")
  expect(response.status).toBe(404)
  expect(response.headers.get("allow")).toBe("GET, HEAD, POST")
})

test("the removed leads endpoints are 404 with and without a key", async () => {
  const { keys } = await app.workspace()
  for (const method of ["GET", "POST"]) {
    expect((await app.call(method, "/v1/leads")).body.code).toBe("NOT_FOUND")
    expect((await app.call(method, "/v1/leads", { key: keys.SERVER })).body.code).toBe("NOT_FOUND")
  }
})

test("a response that violates its own schema is 500 UNKNOWN_ERROR with a body, without internal details", async () => {
  const { keys } = await app.workspace()
  const create = async (path: string, body: object) =>
    (await app.call("POST", path, { key: keys.SERVER, body })).body.id
  const address = { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" }
  const siteId = await create("/v1/sites", { address })
  const id = await create("/v1/alerts", { siteId, title: "Odd", sourceSystem: "test", severity: "INFO" })
  await app.sql((sql) => sql`UPDATE alerts SET severity = 'MARTIAN' WHERE id = ${id}`)
  const response = await app.call("GET", `/v1/alerts/${id}`, { key: keys.SERVER })
  expect(response.status).toBe(500)
  const message = `An unexpected error occurred; quote request id ${response.headers.get("x-request-id")}`
  expect(response.body).toEqual({ code: "UNKNOWN_ERROR", message })
})

test.each(["/health/live;a=1", "/v1/docs;", "/v1/devices;a/x", "/v1/docs#x", "/v1/devices?page=1#x", "/metrics;x"])(
  "%s is 404 NOT_FOUND with and without a key",
  async (path) => {
    const { keys } = await app.workspace()
    for (const key of ["", keys.MANAGEMENT]) {
      const heard = await rawConversation(
        app.url,
        `GET ${path} HTTP/1.1\r\nHost: x\r\nService-Api-Key: ${key}\r\nConnection: close\r\n\r\n`
      )
      const [reply] = repliesIn(heard)
      expect([reply?.status, reply?.text]).toEqual([404, '{"code":"NOT_FOUND","message":"There is no such route"}'])
    }
  }
)

describe("X-Request-Id", () => {
  const readRequestId = async (id: string) =>
    (await app.call("GET", "/health/live", { headers: { "X-Request-Id": id } })).headers.get("x-request-id")

  test("is the caller's unless it is invalid", async () => {
    expect(await readRequestId("order-42:eu/1")).toBe("order-42:eu/1")
    expect(await readRequestId("a b")).toMatch(/^[0-9a-f-]{36}$/)
    expect(await readRequestId("a".repeat(129))).toMatch(/^[0-9a-f-]{36}$/)
  })

  test.each(apiKeyTypes)("with a key of type %s in it is replaced, also if the key is truncated", async (type) => {
    const key = generateKey(type, randomBytes)
    for (const id of [key, `retry:${key}:1`, key.slice(0, -10)])
      expect(await readRequestId(id)).toMatch(/^[0-9a-f-]{36}$/)
  })
})
