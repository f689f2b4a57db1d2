import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { newKey, page, refusal, run } from "../fakeService.ts"

const env = { EDP_KEY_SERVER: newKey("SERVER"), EDP_URL: "http://service.test" }
const id = "cmj2k8x4a0q3v7n1r5t9w2y6b"
const criteria = { attribute: "type", operator: "eq", value: "battery" }
const moment = "2026-01-01T00:00:00.000Z"
const collection = {
  id,
  name: "Batteries",
  collectionType: "DEVICE",
  description: null,
  criteria,
  criteriaVersion: "1",
  workspaceId: id,
  dynamic: true,
  isActive: true,
  visibilityLevel: "INTERNAL",
  createdById: id,
  createdByType: "API_KEY",
  deletedAt: null,
  createdAt: moment,
  updatedAt: moment
}
const site = {
  id,
  workspaceId: id,
  name: "Home",
  referenceId: "home-1",
  address: { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814" },
  location: null,
  timezone: null,
  tags: [],
  customerIds: [],
  deviceCount: 0,
  createdAt: moment,
  updatedAt: moment
}
const json = JSON.stringify(criteria)

describe("edp collections", () => {
  it.effect("list sends its filters and shows how each collection gets its members", () =>
    Effect.gen(function* () {
      const kept = { ...collection, name: "Kept", dynamic: false }
      const frozen = { ...kept, name: "Frozen", isActive: false }
      const { requests, stdout } = yield* run(
        ["collections", "list", "--type", "DEVICE", "--dynamic", "false", "--workspace", "w1", "--q", "b"],
        { env, routes: { "GET /v1/collections": () => page([collection, kept, frozen]) } }
      )
      expect(requests[0]?.query).toEqual({ collectionType: "DEVICE", dynamic: "false", workspaceId: "w1", q: "b" })
      expect(stdout.split("\n").map((line) => /live|kept|frozen/.exec(line)?.[0])).toEqual([
        undefined,
        "live",
        "kept",
        "frozen"
      ])
    })
  )

  it.effect("show and refresh print the collection with its criteria", () =>
    Effect.gen(function* () {
      const routes = { "GET /v1/collections/*": () => collection, "POST /v1/collections/*": () => collection }
      for (const verb of ["show", "refresh"]) {
        const { code, stdout } = yield* run(["collections", verb, id], { env, routes })
        expect([code, stdout.includes(json)]).toEqual([0, true])
      }
    })
  )

  it.effect("create sends criteria unchanged, and creates a live query by default", () =>
    Effect.gen(function* () {
      const routes = { "POST /v1/collections": () => collection }
      const args = ["collections", "create", "--name", "Batteries", "--type", "DEVICE"]
      const live = yield* run([...args, "--criteria", json], { env, routes })
      const common = { name: "Batteries", collectionType: "DEVICE" }
      expect(live.requests[0]?.body).toEqual({ ...common, criteria, dynamic: true, isActive: true })
      const frozen = yield* run([...args, "--kept", "--frozen", "--visibility", "SHARED"], { env, routes })
      expect(frozen.requests[0]?.body).toEqual({
        ...common,
        criteria: {},
        dynamic: false,
        isActive: false,
        visibilityLevel: "SHARED"
      })
    })
  )

  it.effect("update sends only the given fields", () =>
    Effect.gen(function* () {
      const routes = { "PATCH /v1/collections/*": () => collection }
      const { requests } = yield* run(["collections", "update", id, "--no-frozen", "--criteria", json], { env, routes })
      expect(requests[0]?.body).toEqual({ criteria, isActive: true })
    })
  )

  it.effect("members and preview show records of any type", () =>
    Effect.gen(function* () {
      const routes = { "GET /v1/collections/*": () => page([site]), "POST /v1/collections/*": () => page([site]) }
      const members = yield* run(["collections", "members", id], { env, routes })
      const preview = yield* run(["collections", "preview", "--type", "SITE", "--criteria", "{}"], { env, routes })
      for (const { code, stdout } of [members, preview]) {
        expect([code, /site +Home/.test(stdout)]).toEqual([0, true])
      }
      expect(preview.requests[0]?.body).toEqual({ collectionType: "SITE", criteria: {} })
    })
  )

  it.effect("delete requires --yes without a terminal", () =>
    Effect.gen(function* () {
      const routes = { "GET /v1/collections/*": () => collection, "DELETE /v1/collections/*": () => undefined }
      expect(yield* run(["collections", "delete", id], { env, routes })).toMatchObject({ code: 2, stdout: "" })
      const done = yield* run(["collections", "delete", id, "--yes"], { env, routes })
      expect(done).toMatchObject({ code: 0, stdout: 'The collection "Batteries" is deleted.' })
    })
  )

  it.effect("rejects criteria that are not a JSON object, and reports an error of the service", () =>
    Effect.gen(function* () {
      for (const text of ["type = battery", "[]", "null"]) {
        const result = yield* run(["collections", "preview", "--type", "SITE", "--criteria", text], { env, routes: {} })
        expect(result).toMatchObject({ code: 2, stdout: "", requests: [] })
      }
      const nothing = yield* run(["collections", "update", id], { env, routes: {} })
      expect(nothing).toMatchObject({ code: 2, requests: [] })
      const refused = yield* run(["collections", "preview", "--type", "SITE", "--criteria", json], {
        env,
        routes: { "POST /v1/collections/*": () => refusal(400, "INVALID_CRITERIA") }
      })
      expect([refused.code, refused.stderr.split(":")[0]]).toEqual([1, "INVALID_CRITERIA"])
    })
  )
})
