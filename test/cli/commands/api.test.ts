import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { newKey, page, refusal, type Routes, run } from "../fakeService.ts"
import { withFiles } from "../withFiles.ts"

const keys = { MANAGEMENT: newKey("MANAGEMENT"), SERVER: newKey("SERVER"), MANUFACTURER: newKey("MANUFACTURER") }
const env = {
  EDP_URL: "http://service.test",
  EDP_KEY_MANAGEMENT: keys.MANAGEMENT,
  EDP_KEY_SERVER: keys.SERVER,
  EDP_KEY_MANUFACTURER: keys.MANUFACTURER
}
const api = (args: ReadonlyArray<string>, routes: Routes) => run(["api", ...args], { env, routes })

describe("edp api", () => {
  it.effect("prints the response, and sends query and path unchanged", () =>
    Effect.gen(function* () {
      const routes = { "GET /v1/devices": () => page([]) }
      const { code, requests, stdout } = yield* api(
        ["get", "/v1/devices?type=meter", "--query", "tag=a b", "--query", "q=x=y"],
        routes
      )
      expect([code, JSON.parse(stdout)]).toEqual([0, page([])])
      expect(requests[0]).toMatchObject({ path: "/v1/devices", query: { type: "meter", tag: "a b", q: "x=y" } })
    })
  )

  it.effect.each([
    ["GET", "/v1/api-keys", "MANAGEMENT"],
    ["GET", "/v1/sites", "SERVER"],
    ["POST", "/v1/devices/telemetry", "MANUFACTURER"],
    ["POST", "/devices/telemetry", "MANUFACTURER"],
    ["GET", "/dashboard/api/kept-readings", "MANAGEMENT"],
    ["GET", "/metrics", "MANAGEMENT"]
  ] as const)("calls %s %s with a key of a type that it allows", ([method, path, type]) =>
    Effect.gen(function* () {
      const { requests } = yield* api([method, path], { [`${method} ${path}`]: () => ({}) })
      expect(requests[0]?.key).toBe(keys[type])
    })
  )

  it.effect("calls an unknown endpoint without a key, or with the one that --key names", () =>
    Effect.gen(function* () {
      const routes = { "GET /health/ready": () => ({ status: "ok" }) }
      expect((yield* api(["GET", "/health/ready"], routes)).requests[0]?.key).toBe("")
      const named = yield* api(["GET", "/health/ready", "--key", "SERVER"], routes)
      expect(named.requests[0]?.key).toBe(keys.SERVER)
    })
  )

  it.effect("sends a body from the command line or a file, with headers and an Idempotency-Key", () =>
    withFiles({ "site.json": '{"name":"Home"}' }, ([path = ""]) =>
      Effect.gen(function* () {
        const routes = { "POST /v1/sites": () => ({ id: "x" }) }
        const text = yield* api(["POST", "/v1/sites", "--data", '{"name":"Shop"}', "--idempotency-key", "once"], routes)
        expect(text.requests[0]).toMatchObject({ body: { name: "Shop" }, idempotencyKey: "once" })
        const file = yield* api(["POST", "/v1/sites", "--data", `@${path}`, "--header", "Idempotency-Key: h"], routes)
        expect(file.requests[0]).toMatchObject({ body: { name: "Home" }, idempotencyKey: "h" })
        const missing = yield* api(["POST", "/v1/sites", "--data", `@${path}.not`], routes)
        expect([missing.code, missing.requests]).toEqual([1, []])
        expect(missing.stderr).toBe(`FILE_UNREADABLE: ${path}.not can't be read`)
      })
    )
  )

  it.effect("with --include shows status and headers too", () =>
    Effect.gen(function* () {
      const { stdout } = yield* api(["DELETE", "/v1/sites/any", "--include"], { "DELETE /v1/sites/*": () => undefined })
      expect(stdout.split("\n")[0]).toBe("HTTP 204")
      const json = yield* api(["GET", "/v1/sites", "--include", "--json"], { "GET /v1/sites": () => page([]) })
      expect(JSON.parse(json.stdout)).toEqual({
        status: 200,
        headers: { "content-type": "application/json" },
        body: page([])
      })
    })
  )

  it.effect("prints an error response, and exits with 1 and its code", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* api(["GET", "/v1/sites/x"], {
        "GET /v1/sites/*": () => refusal(404, "SITE_NOT_FOUND")
      })
      expect([code, stderr]).toEqual([1, "SITE_NOT_FOUND: SITE_NOT_FOUND it is"])
      expect(JSON.parse(stdout)).toMatchObject({ code: "SITE_NOT_FOUND" })
    })
  )

  it.effect("prints a response that is not JSON unchanged", () =>
    Effect.gen(function* () {
      const plain = () => new Response("edp_up 1\n", { headers: { "content-type": "text/plain" } })
      expect((yield* api(["GET", "/metrics"], { "GET /metrics": plain })).stdout).toBe("edp_up 1")
    })
  )

  it.effect.each([
    ["a method that there is not", ["FETCH", "/v1/sites"]],
    ["an address instead of a path", ["GET", "http://elsewhere.test/v1/sites"]],
    ["a host instead of a path", ["GET", "//elsewhere.test/v1/sites"]],
    ["a query without a value", ["GET", "/v1/sites", "--query", "q"]],
    ["a header without a value", ["GET", "/v1/sites", "--header", "x"]],
    ["CSV", ["GET", "/v1/sites", "--output", "csv"]]
  ] as const)("refuses %s, before anything is sent", ([, args]) =>
    Effect.gen(function* () {
      expect(yield* api(args, {})).toMatchObject({ code: 2, stdout: "", requests: [] })
    })
  )
})
