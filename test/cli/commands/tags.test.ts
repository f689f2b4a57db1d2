import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { newKey, page, refusal, run, type SeenRequest } from "../fakeService.ts"

const env = { EDP_KEY_SERVER: newKey("SERVER"), EDP_URL: "http://service.test" }
const moment = "2026-01-01T00:00:00.000Z"

const device = (name: string, tags: ReadonlyArray<string> = []) => ({
  id: `cmj2k8x4a0q3v7n1r5t9w2y${name === "one" ? "61" : "62"}`,
  name,
  manufacturerDeviceId: name,
  referenceId: "user",
  manufacturer: "generic",
  type: "meter",
  model: "Generic meter",
  state: {},
  availableCommands: [],
  interventions: [],
  tags,
  createdAt: moment,
  onlineStatus: "unknown",
  serialNumber: null,
  siteId: null,
  lastOnlineAt: null,
  connectedAt: null,
  disconnectedAt: null,
  rawType: null,
  rawModel: null,
  modelYear: null,
  updatedAt: moment
})

const devices = [device("one", ["old", "pilot"]), device("two")]
const byName = ({ query }: SeenRequest) => page(devices.filter(({ name }) => name === query["manufacturerDeviceId"]))
const changes = (requests: ReadonlyArray<SeenRequest>) => requests.filter(({ method }) => method !== "GET")

describe("edp tags", () => {
  it.effect("list shows how many devices and sites have each", () =>
    Effect.gen(function* () {
      const response = page([{ tag: "pilot", deviceCount: 120, siteCount: 3 }])
      const { requests, stdout } = yield* run(["tags", "list", "--q", "pi", "--page", "1"], {
        env,
        routes: { "GET /v1/tags": () => response }
      })
      expect(requests[0]?.query).toEqual({ q: "pi", page: "1" })
      expect(stdout.split("\n")[1]).toMatch(/^pilot +120 +3$/)
      const json = yield* run(["tags", "list", "--json"], { env, routes: { "GET /v1/tags": () => response } })
      expect(JSON.parse(json.stdout)).toEqual(response)
    })
  )

  it.effect("makes no request for a tag that a path can't end in", () =>
    Effect.gen(function* () {
      for (const tag of [".", ".."]) {
        const { code, requests } = yield* run(["tags", "remove", tag, "one"], { env, routes: {} })
        expect([code, requests]).toEqual([2, []])
      }
    })
  )

  it.effect("add tags every device, given by either of its ids, once each", () =>
    Effect.gen(function* () {
      const routes = {
        "GET /v1/devices": byName,
        "GET /v1/devices/*": () => devices[0],
        "POST /v1/devices/*": ({ body, path }: SeenRequest) => ({
          tags: [...(path.includes(devices[0]!.id) ? ["old", "pilot"] : []), ...body.tags].filter(
            (tag, at, all) => all.indexOf(tag) === at
          )
        })
      }
      const args = ["tags", "add", "pilot", "one", "two", devices[0]!.id]
      const { code, requests, stderr, stdout } = yield* run(args, { env, routes })
      expect(code).toBe(0)
      expect(changes(requests).map(({ body, path }) => [path, body])).toEqual(
        devices.map(({ id }) => [`/v1/devices/${id}/tags`, { tags: ["pilot"] }])
      )
      expect(stdout).toContain("old, pilot")
      expect(stderr).toBe("1 of 2 had the tag already")
      const json = yield* run([...args, "--json"], { env, routes })
      expect(JSON.parse(json.stdout)).toEqual({
        tag: "pilot",
        devices: [
          { id: devices[0]!.id, name: "one", tags: ["old", "pilot"] },
          { id: devices[1]!.id, name: "two", tags: ["pilot"] }
        ]
      })
    })
  )

  it.effect("remove deletes the tag, whatever its characters", () =>
    Effect.gen(function* () {
      const routes = { "GET /v1/devices": byName, "DELETE /v1/devices/*": () => undefined }
      const { requests, stderr, stdout } = yield* run(["tags", "remove", "a/b c", "one"], { env, routes })
      expect(changes(requests).map(({ path }) => path)).toEqual([`/v1/devices/${devices[0]!.id}/tags/a%2Fb%20c`])
      expect(stdout).toContain("old, pilot")
      expect(stderr).toBe("1 of 1 did not have the tag")
    })
  )

  it.effect("an unknown device prevents all changes", () =>
    Effect.gen(function* () {
      const { code, requests, stderr, stdout } = yield* run(["tags", "add", "pilot", "one", "tow"], {
        env,
        routes: { "GET /v1/devices": byName }
      })
      expect([code, stdout, changes(requests)]).toEqual([1, "", []])
      expect(stderr).toMatch(/^DEVICE_NOT_FOUND: .*tow$/)
    })
  )

  it.effect("reports devices that can't be changed, and changes the others", () =>
    Effect.gen(function* () {
      const routes = {
        "GET /v1/devices": byName,
        "POST /v1/devices/*": ({ path }: SeenRequest) =>
          path.includes(devices[0]!.id)
            ? refusal(400, "VALIDATION_ERROR", { details: { tags: "Must be at most 100" } })
            : { tags: ["pilot"] }
      }
      const { code, stderr, stdout } = yield* run(["tags", "add", "pilot", "one", "two"], { env, routes })
      expect(code).toBe(1)
      expect(stdout.split("\n").slice(1)).toEqual(["two   pilot"])
      expect(stderr.split("\n")).toEqual([
        "VALIDATION_ERROR: 1 of 2 devices stay as they were: VALIDATION_ERROR it is",
        `  ${devices[0]!.id}: VALIDATION_ERROR; tags: Must be at most 100`
      ])
      const none = yield* run(["tags", "add", "pilot", "one"], { env, routes })
      expect([none.code, none.stdout]).toEqual([1, ""])
    })
  )

  it.effect("add and remove require a tag and a device", () =>
    Effect.gen(function* () {
      expect((yield* run(["tags", "add", "pilot"], { env })).code).toBe(2)
    })
  )
})
