import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { checkNode } from "@edp/cli/commands/doctor/machine"
import { VERSION } from "@edp/cli/kernel/environment"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { errorText, newKey, page, refusal, type Routes, run } from "../fakeService.ts"

const keys = {
  managementKey: newKey("MANAGEMENT"),
  serverKey: newKey("SERVER"),
  manufacturerKey: newKey("MANUFACTURER")
}

const ready = (status: number, body: object, date: string) => () =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", date } })
const well = { status: "ok", checks: { database: "ok", rateLimits: "ok" } }
const now = "Thu, 01 Jan 2026 00:00:00 GMT"

const healthy: Routes = {
  "GET /health/ready": ready(200, well, now),
  "GET /v1/docs/swagger.json": () => ({ openapi: "3.1.0", info: { title: "x", version: VERSION } }),
  "GET /v1/organizations": () => page([]),
  "GET /v1/sites": () => page([]),
  "GET /v1/manufacturers": () => page([]),
  "GET /dashboard/api/kept-readings": () => ({
    retentionDays: 730,
    droppedBefore: "2024-11-01T00:00:00.000Z",
    oldestAt: "2024-11-01T00:00:04.211Z"
  })
}

const examine = Effect.fnUntraced(function* (routes: Routes | undefined, mode = 0o600) {
  yield* TestClock.setTime(Date.parse("2026-01-01T00:00:00Z"))
  const folder = mkdtempSync(join(tmpdir(), "edp-doctor-"))
  const file = join(folder, "credentials.json")
  writeFileSync(file, JSON.stringify({ baseUrl: "http://service.test", ...keys }), { mode })
  const result = yield* run(["doctor", "--json", "--data-dir", folder], routes === undefined ? {} : { routes })
  rmSync(folder, { recursive: true })
  const { checks } = JSON.parse(result.stdout) as { readonly checks: ReadonlyArray<Record<string, string>> }
  return {
    ...result,
    stderr: errorText(result.stderr),
    troubles: checks.filter(({ status }) => status !== "ok"),
    checks,
    file
  }
})

describe("edp doctor", () => {
  it.effect("finds no problem in a working setup", () =>
    Effect.gen(function* () {
      const { checks, code, troubles } = yield* examine(healthy)
      expect(troubles).toEqual([])
      expect(code).toBe(0)
      expect(checks.map(({ name }) => name)).toEqual([
        "Node.js",
        "credentials",
        "data folder",
        "service",
        "readiness",
        "version",
        "clock",
        "MANAGEMENT key",
        "MANUFACTURER key",
        "SERVER key",
        "readings"
      ])
      expect(checks.at(-1)!["message"]).toBe(
        "kept for 730 days (EDP_TELEMETRY_RETENTION), dropped before 2024-11-01, the oldest is from 2024-11-01T00:00:04.211Z"
      )
    })
  )

  it.effect.each([
    ["a key that is refused", { "GET /v1/sites": () => refusal(401, "UNAUTHENTICATED") }, "SERVER key", "keys create"],
    [
      "another version",
      { "GET /v1/docs/swagger.json": () => ({ info: { version: "0.9.0" } }) },
      "version",
      "Use the tool"
    ],
    [
      "a database that is gone",
      { "GET /health/ready": ready(503, { checks: { database: "unreachable" } }, now) },
      "readiness",
      "log"
    ],
    [
      "clocks ten minutes apart",
      { "GET /health/ready": ready(200, well, "Wed, 31 Dec 2025 23:50:00 GMT") },
      "clock",
      "NTP"
    ]
  ] as const)("reports %s, with advice", ([, broken, name, advice]) =>
    Effect.gen(function* () {
      const { code, stderr, troubles } = yield* examine({ ...healthy, ...broken })
      expect(troubles).toMatchObject([{ name, status: "failed", advice: expect.stringContaining(advice) }])
      expect(code).toBe(1)
      expect(stderr).toContain("UNHEALTHY: 1 of 11 checks failed")
    })
  )

  it.effect("reports an unreachable service, without trying the keys", () =>
    Effect.gen(function* () {
      const { checks, troubles } = yield* examine(undefined)
      expect(troubles).toMatchObject([{ name: "service", message: "http://service.test does not respond" }])
      expect(checks.map(({ name }) => name)).not.toContain("SERVER key")
    })
  )

  it.effect("reports credentials that others can read, with the command to fix that", () =>
    Effect.gen(function* () {
      const { file, troubles } = yield* examine(healthy, 0o644)
      expect(troubles).toMatchObject([{ name: "credentials", status: "failed", advice: `chmod 600 ${file}` }])
    })
  )

  it.effect("accepts keys from the environment, without a credentials file", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-01-01T00:00:00Z"))
      const env = { EDP_URL: "http://service.test", EDP_KEY_SERVER: keys.serverKey }
      const { code, stdout } = yield* run(["doctor", "--json"], { env, routes: healthy })
      expect(code).toBe(0)
      expect(JSON.parse(stdout).checks[1]).toEqual({
        name: "credentials",
        status: "ok",
        message: "from EDP_KEY_SERVER"
      })
    })
  )

  it.effect("shows no key", () =>
    Effect.gen(function* () {
      const { stderr, stdout } = yield* examine(healthy)
      for (const key of Object.values(keys)) expect(stdout + stderr).not.toContain(key)
    })
  )

  it("a Node.js version that is too old is reported", () => {
    expect(checkNode("18.20.0")).toMatchObject({ status: "failed" })
    expect(checkNode("26.10.0")).toMatchObject({ status: "ok" })
  })
})
