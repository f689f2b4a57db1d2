import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { newKey, run } from "../fakeService.ts"

const env = { EDP_KEY_SERVER: newKey("SERVER"), EDP_URL: "http://service.test" }
const response = (similar: boolean) => ({
  data: [
    {
      type: "device",
      id: "cmj2k8x4a0q3v7n1r5t9w2y61",
      name: "Alder Powerwall",
      detail: "tesla, TG0123, 15 Alder Street",
      field: "name"
    }
  ],
  similar
})

describe("edp search", () => {
  it.effect("shows what was found by all words of the line", () =>
    Effect.gen(function* () {
      const routes = { "GET /v1/search": () => response(false) }
      const args = ["search", "15", "Alder", "--type", "device", "--limit", "5"]
      const { requests, stderr, stdout } = yield* run(args, { env, routes })
      expect(requests.map(({ query }) => query)).toEqual([{ query: "15 Alder", types: "device", limit: "5" }])
      expect(stdout.split("\n")[1]).toMatch(/^device +Alder Powerwall +tesla, TG0123, 15 Alder Street +cmj2k8x4a/)
      expect(stderr).toBe("")
      const json = yield* run(["search", "alder", "--json"], { env, routes })
      expect(JSON.parse(json.stdout)).toEqual(response(false))
      expect(json.requests.map(({ query }) => query)).toEqual([{ query: "alder" }])
    })
  )

  it.effect("says when nothing contains the words", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* run(["search", "aldr"], {
        env,
        routes: { "GET /v1/search": () => response(true) }
      })
      expect([code, stderr]).toEqual([0, "Nothing contains the query: these are similar"])
    })
  )

  it.effect("requires a word", () =>
    Effect.gen(function* () {
      expect((yield* run(["search"], { env })).code).toBe(2)
    })
  )
})
