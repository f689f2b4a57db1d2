import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { newKey, page, refusal, run } from "./fakeService.ts"

const management = newKey("MANAGEMENT")
const server = newKey("SERVER")
const id = "cmj2k8x4a0q3v7n1r5t9w2y6b"
const workspace = {
  id,
  organizationId: id,
  name: "Pilot",
  deletionProtection: false,
  timezone: "UTC",
  logoUrl: null,
  accentColor: null,
  contactEmail: null,
  contactPhone: null,
  contactUrl: null,
  temperatureUnit: "F",
  distanceUnit: "mi",
  connectRedirects: [],
  pausedAt: null,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z"
}
const env = { EDP_KEY_MANAGEMENT: management, EDP_KEY_SERVER: server, EDP_URL: "http://service.test" }

describe("a command line", () => {
  it.effect("prints the response on standard output and exits with 0", () =>
    Effect.gen(function* () {
      const result = yield* run(["workspaces", "list"], {
        env,
        routes: { "GET /v1/workspaces": () => page([workspace]) }
      })
      expect(result.code).toBe(0)
      expect(result.stdout).toContain("Pilot")
      expect(result.stderr).toBe("workspaces: page 1 of 1, 1 in all")
    })
  )

  it.effect("with --json prints exactly one JSON document, before or after the command's name", () =>
    Effect.gen(function* () {
      const routes = { "GET /v1/workspaces": () => page([workspace]) }
      for (const args of [
        ["--json", "workspaces", "list"],
        ["workspaces", "list", "--json"]
      ]) {
        const { stdout } = yield* run(args, { env, routes })
        expect(JSON.parse(stdout)).toEqual(page([workspace]))
      }
    })
  )

  it.effect("exits with 1 on an error of the service, and prints one line and its details on standard error", () =>
    Effect.gen(function* () {
      const result = yield* run(["workspaces", "create", "--name", "x"], {
        env,
        routes: {
          "POST /v1/workspaces": () => refusal(400, "VALIDATION_ERROR", { details: { name: "Must be longer" } })
        }
      })
      expect(result).toMatchObject({ code: 1, stdout: "" })
      expect(result.stderr).toBe("VALIDATION_ERROR: VALIDATION_ERROR it is\n  name: Must be longer")
    })
  )

  it.effect("rejects values that the contract does not allow, before sending anything", () =>
    Effect.gen(function* () {
      const result = yield* run(["workspaces", "create", "--name", ""], { env, routes: {} })
      expect(result).toMatchObject({ code: 1, requests: [] })
      expect(result.stderr).toBe(
        "VALIDATION_ERROR: The request is not valid\n  name: Must be a string of 1 to 100 characters"
      )
    })
  )

  it.effect.each([
    ["an unknown command", ["nope"]],
    ["a missing command", ["keys"]],
    ["an unknown flag", ["keys", "list", "--pgae", "1"]],
    ["a flag of the wrong kind", ["keys", "list", "--page", "one"]],
    ["a page out of range", ["keys", "list", "--page", "0"]],
    ["a missing argument", ["keys", "show"]],
    ["contradicting flags", ["keys", "list", "--all", "--page", "2"]],
    ["an invalid address", ["keys", "list", "--url", "ftp://x"]],
    ["deletion without a yes", ["workspaces", "delete", id]]
  ] as const)("with %s exits with 2 and prints nothing on standard output", ([, args]) =>
    Effect.gen(function* () {
      const result = yield* run(args, { env, routes: { "GET /v1/workspaces/*": () => workspace } })
      expect(result).toMatchObject({ code: 2, stdout: "" })
      expect(result.stderr).not.toBe("")
      expect(result.requests.filter(({ method }) => method !== "GET")).toEqual([])
    })
  )

  it.effect("reports an unreachable service in one line, without a stack trace", () =>
    Effect.gen(function* () {
      const result = yield* run(["workspaces", "list"], { env })
      expect(result).toMatchObject({ code: 1, stdout: "" })
      expect(result.stderr.split("\n")[0]).toBe("UNREACHABLE: http://service.test does not respond (ECONNREFUSED)")
      expect(result.stderr).not.toContain("    at ")
    })
  )

  it.effect("reports a server that is not the service", () =>
    Effect.gen(function* () {
      const html = () => new Response("<html>", { status: 200, headers: { "content-type": "text/html" } })
      const result = yield* run(["workspaces", "list"], { env, routes: { "GET /v1/workspaces": html } })
      expect(result.code).toBe(1)
      expect(result.stderr).toContain("UNEXPECTED_ANSWER")
    })
  )

  it.effect("reads all pages with --all", () =>
    Effect.gen(function* () {
      const all = Array.from({ length: 250 }, (_, at) => ({
        ...workspace,
        id: `c${String(at).padStart(24, "0")}`,
        name: `W${at}`
      }))
      const result = yield* run(["workspaces", "list", "--all", "--json"], {
        env,
        routes: {
          "GET /v1/workspaces": ({ query }) => {
            const at = Number(query["page"] ?? 1)
            return { data: all.slice((at - 1) * 100, at * 100), page: at, perPage: 100, totalItems: 250, totalPages: 3 }
          }
        }
      })
      expect(JSON.parse(result.stdout)).toEqual({ data: all, totalItems: 250 })
    })
  )

  it.effect("prints a completion script that knows every command", () =>
    Effect.gen(function* () {
      for (const shell of ["bash", "zsh", "fish"]) {
        const { code, stdout } = yield* run(["completions", shell])
        expect(code).toBe(0)
        for (const word of ["rotate", "history", "import", "customers", "unlink", "doctor", "completions"])
          expect(stdout).toContain(word)
      }
    })
  )
})

describe("the key of a request", () => {
  it.effect("has a type that the endpoint allows", () =>
    Effect.gen(function* () {
      const routes = { "GET /v1/api-keys": () => page([]), "GET /v1/alerts": () => page([]) }
      expect((yield* run(["keys", "list"], { env, routes })).requests[0]?.key).toBe(management)
      expect((yield* run(["alerts", "list"], { env, routes })).requests[0]?.key).toBe(server)
    })
  )

  it.effect("is named when it is missing, with instructions", () =>
    Effect.gen(function* () {
      const { EDP_KEY_SERVER: _, ...without } = env
      const result = yield* run(["alerts", "list"], { env: without, routes: {} })
      expect(result).toMatchObject({ code: 1, requests: [] })
      expect(result.stderr).toContain("KEY_MISSING: This needs a key of type SERVER or API, which is missing")
      expect(result.stderr).toContain("--provision")
    })
  )

  it.effect("is rejected when mistyped, without being sent or shown", () =>
    Effect.gen(function* () {
      const mistyped = `${server.slice(0, -1)}${server.endsWith("a") ? "b" : "a"}`
      const result = yield* run(["alerts", "list"], { env: { ...env, EDP_KEY_SERVER: mistyped }, routes: {} })
      expect(result).toMatchObject({ code: 1, requests: [] })
      expect(result.stderr).toContain("EDP_KEY_SERVER has no well-formed SERVER key")
      expect(result.stderr).not.toContain(mistyped)
    })
  )

  it.effect("is well formed when generated without a service", () =>
    Effect.gen(function* () {
      const { requests, stdout } = yield* run(["keys", "generate", "--type", "management"])
      expect(stdout).toMatch(/^mgmt_[0-9A-Za-z]{38}$/u)
      expect(requests).toEqual([])
    })
  )
})
