import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { newKey, page, refusal, run } from "../fakeService.ts"

const env = { EDP_KEY_MANAGEMENT: newKey("MANAGEMENT"), EDP_URL: "http://service.test" }
const id = "cmj2k8x4a0q3v7n1r5t9w2y6b"
const log = {
  id,
  createdAt: "2026-03-01T12:00:00.000Z",
  action: "api-key.update",
  resourceType: "api-key",
  resourceId: id,
  workspaceId: id,
  actorId: id,
  actorType: "MANAGEMENT",
  actorOwnerId: "operator-7",
  address: "203.0.113.7",
  requestId: "request-1",
  before: { name: "One", rateLimits: null },
  after: { name: "Two", rateLimits: { read: 600 } },
  refusal: null
}
const refused = {
  ...log,
  action: "access.refused",
  resourceType: "endpoint",
  resourceId: "GET /v1/api-keys",
  before: null,
  after: null,
  refusal: {
    method: "GET",
    route: "/v1/api-keys",
    reason: "WRONG_KEY_TYPE",
    count: 34,
    lastAt: "2026-03-01T12:00:58.000Z"
  }
}

describe("edp audit list", () => {
  it.effect("sends every filter", () =>
    Effect.gen(function* () {
      const flags = ["--action", "api-key.create", "--resource-type", "api-key", "--resource", "r1", "--actor", "a1"]
      const times = ["--from", "2026-03-01T00:00:00Z", "--to", "2026-04-01T00:00:00Z"]
      const { code, requests } = yield* run(["audit", "list", ...flags, "--workspace", "w1", ...times], {
        env,
        routes: { "GET /v1/audit-logs": () => page([]) }
      })
      expect(code).toBe(0)
      expect(requests[0]?.query).toEqual({
        action: "api-key.create",
        resourceType: "api-key",
        resourceId: "r1",
        actorId: "a1",
        workspaceId: "w1",
        from: "2026-03-01T00:00:00Z",
        to: "2026-04-01T00:00:00Z"
      })
    })
  )

  it.effect("shows changed fields, creations, deletions, and refused uses with their number", () =>
    Effect.gen(function* () {
      const made = { ...log, action: "workspace.create", before: null, after: { name: "Pilot", timezone: null } }
      const deleted = { ...log, action: "workspace.delete", before: { name: "Pilot" }, after: null }
      const done = { ...log, action: "collection.refresh", before: null, after: null }
      const { stdout } = yield* run(["audit", "list", "--wide"], {
        env,
        routes: { "GET /v1/audit-logs": () => page([log, made, deleted, done, refused]) }
      })
      const lines = stdout.split("\n").slice(1)
      expect(lines[0]).toMatch(
        /2026-03-01 12:00Z +api-key.update +\S+ +operator-7 +name One → Two, rateLimits - → \{"read":600\} +/
      )
      expect(lines[1]).toMatch(/workspace.create +\S+ +\S+ +name Pilot +/)
      expect(lines[2]).toMatch(/workspace.delete +\S+ +\S+ +name Pilot +/)
      expect(lines[3]).toMatch(/collection.refresh +\S+ +\S+ +- +/)
      expect(lines[4]).toMatch(/access.refused +GET \/v1\/api-keys +\S+ +WRONG_KEY_TYPE, 34 times +/)
      for (const line of lines) expect(line).toContain("operator-7")
    })
  )

  it.effect("follows cursors with --all, and prints the response with --json", () =>
    Effect.gen(function* () {
      const respond = (body: unknown, next?: string) =>
        new Response(JSON.stringify(body), {
          headers: { "content-type": "application/json", ...(next && { "x-next-cursor": next }) }
        })
      const { requests, stdout } = yield* run(["audit", "list", "--all", "--json"], {
        env,
        routes: {
          "GET /v1/audit-logs": ({ query }) =>
            query["cursor"] === undefined
              ? respond({ ...page([log]), perPage: 100 }, "next")
              : respond({ data: [{ ...refused, id: id.replace("c", "c0").slice(0, 25) }], perPage: 100 })
        }
      })
      expect(requests.map(({ query }) => query)).toEqual([{ perPage: "100" }, { perPage: "100", cursor: "next" }])
      expect(JSON.parse(stdout)).toMatchObject({ data: [log, { action: "access.refused" }], totalItems: 2 })
    })
  )

  it.effect("rejects an unknown action, and reports an error of the service", () =>
    Effect.gen(function* () {
      const wrong = yield* run(["audit", "list", "--action", "api-key.destroy"], { env, routes: {} })
      expect(wrong).toMatchObject({ code: 2, stdout: "", requests: [] })
      const routes = { "GET /v1/audit-logs": () => refusal(401, "UNAUTHENTICATED") }
      const result = yield* run(["audit", "list"], { env, routes })
      expect([result.code, result.stderr.split(":")[0]]).toEqual([1, "UNAUTHENTICATED"])
    })
  )

  it.effect("needs a MANAGEMENT key", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* run(["audit", "list"], { env: { EDP_KEY_SERVER: newKey("SERVER") }, routes: {} })
      expect([code, stderr.split(":")[0]]).toEqual([1, "KEY_MISSING"])
    })
  )
})
