import { BrowserCallable } from "@edp/domain/auth/annotations"
import { listMethods, listRoutes } from "@edp/server/app/allowedMethods"
import { parseOrigins } from "@edp/server/platform/network/origins"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { beforeAll, describe, expect, test } from "vitest"
import { type TestApp, type TestWorkspace, useTestApp } from "../../../support/TestApp.ts"

const page = "https://app.example.com"

const ask = (app: TestApp, path: string, method: string, origin = page) =>
  app.call("OPTIONS", path, { headers: { Origin: origin, "Access-Control-Request-Method": method } })

const allowHeaders = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith("access-control-"))

describe("by default", () => {
  const app = useTestApp()
  let here: TestWorkspace
  beforeAll(async () => {
    here = await app.workspace()
  })

  test.each(["/v1/sites", "/v1/devices/some-id/history", "/v1/docs/swagger.json"])(
    "a page of any origin may GET %s, and gets this response without a key",
    async (path) => {
      const { status, text, headers } = await ask(app, path, "GET")
      expect([status, text]).toEqual([204, ""])
      expect(headers.get("access-control-allow-origin")).toBe("*")
      expect(headers.get("access-control-allow-methods")).toBe("GET, HEAD")
      expect(headers.get("access-control-allow-headers")!.split(", ")).toEqual([
        "Service-Api-Key",
        "Content-Type",
        "Idempotency-Key",
        "If-None-Match",
        "X-Request-Id",
        "traceparent",
        "tracestate",
        "b3"
      ])
      expect(Number(headers.get("access-control-max-age"))).toBeGreaterThan(0)
      expect(headers.get("access-control-allow-credentials")).toBeNull()
      expect(headers.get("x-request-id")).not.toBeNull()
    }
  )

  test.each([
    ["POST", "/v1/sites"],
    ["DELETE", "/v1/sites/some-id"],
    ["POST", "/v1/api-keys/some-id/revoke"],
    ["POST", "/devices"],
    ["POST", "/v1/devices"],
    ["GET", "/health/live"],
    ["GET", "/v1/nothing"]
  ])("%s %s is not available to pages: 404 NOT_FOUND, nothing is allowed", async (method, path) => {
    const { status, body, headers } = await ask(app, path, method)
    expect([status, body.code]).toEqual([404, "NOT_FOUND"])
    expect(allowHeaders(headers)).toEqual([])
  })

  test("a page can read a response with its headers", async () => {
    const { status, headers } = await app.call("GET", "/v1/sites", {
      key: here.keys.SERVER,
      headers: { Origin: page }
    })
    expect([status, headers.get("access-control-allow-origin")]).toEqual([200, "*"])
    expect(headers.get("access-control-expose-headers")!.split(", ")).toEqual([
      "X-Request-Id",
      "X-RateLimit-Limit",
      "X-RateLimit-Remaining",
      "X-RateLimit-Reset",
      "Retry-After",
      "X-Next-Cursor",
      "ETag",
      "Idempotency-Replayed"
    ])
  })

  test("a page can read an error", async () => {
    const errors = await Promise.all([
      app.call("GET", "/v1/sites", { headers: { Origin: page } }),
      app.call("GET", "/v1/sites?what=1", { key: here.keys.SERVER, headers: { Origin: page } }),
      app.call("GET", "/v1/nothing", { headers: { Origin: page } })
    ])
    expect(errors.map(({ status }) => status)).toEqual([401, 400, 404])
    for (const { headers } of errors) expect(headers.get("access-control-allow-origin")).toBe("*")
  })

  test("callers without an origin get no such headers", async () => {
    const { headers } = await app.call("GET", "/v1/sites", { key: here.keys.SERVER })
    expect([...allowHeaders(headers), headers.get("vary")]).toEqual([null])
  })

  test("OPTIONS without a requested method lists the methods of the path", async () => {
    const { status, headers } = await app.call("OPTIONS", "/v1/sites")
    expect([status, headers.get("allow")]).toEqual([204, "GET, HEAD, POST"])
  })
})

describe("with EDP_CORS_ORIGINS", () => {
  const app = useTestApp({ env: { EDP_CORS_ORIGINS: `${page}, http://localhost:5173` } })

  test.each([page, "http://localhost:5173"])("a page of %s may call", async (origin) => {
    for (const { headers } of [
      await ask(app, "/v1/sites", "GET", origin),
      await app.call("GET", "/v1/sites", { headers: { Origin: origin } })
    ]) {
      expect(headers.get("access-control-allow-origin")).toBe(origin)
      expect(headers.get("vary")).toBe("Origin")
    }
  })

  test.each(["https://evil.example.com", "https://app.example.com.evil.example", "null", "HTTPS://APP.EXAMPLE.COM"])(
    "a page of %s may not call",
    async (origin) => {
      const { headers } = await ask(app, "/v1/sites", "GET", origin)
      expect([allowHeaders(headers), headers.get("vary")]).toEqual([[], "Origin"])
      const response = await app.call("GET", "/v1/sites", { headers: { Origin: origin } })
      expect([allowHeaders(response.headers), response.headers.get("vary")]).toEqual([[], "Origin"])
    }
  )
})

describe("EDP_CORS_ORIGINS", () => {
  test.each(["*", "https://app.example.com", "http://localhost:5173,https://a.example"])("accepts %s", (text) => {
    expect(parseOrigins(text)).toBeDefined()
  })

  test.each([
    "app.example.com",
    "https://app.example.com/",
    "https://*.example.com/x",
    "*, https://a.example",
    "null",
    "ftp://a.example",
    ","
  ])("rejects %s", (text) => {
    expect(parseOrigins(text)).toBeUndefined()
  })
})

test("pages can call a write whose endpoint is annotated", () => {
  const api = HttpApi.make("test").add(
    HttpApiGroup.make("things").add(
      HttpApiEndpoint.get("list", "/v1/things"),
      HttpApiEndpoint.post("create", "/v1/things").annotate(BrowserCallable, true),
      HttpApiEndpoint.delete("remove", "/v1/things")
    )
  )
  const forPages = listRoutes(api as never).filter(({ isForBrowsers }) => isForBrowsers)
  expect(listMethods(forPages, "/v1/things")).toEqual(["GET", "HEAD", "POST"])
})
