import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { newKey, run } from "../fakeService.ts"

const env = { EDP_KEY_MANAGEMENT: newKey("MANAGEMENT"), EDP_URL: "http://service.test" }
const link = { url: "http://service.test/dashboard/sign-in#token=secret", expiresAt: "2026-01-01T00:10:00.000Z" }
const routes = { "POST /dashboard/api/links": () => Response.json(link, { status: 201 }) }

describe("edp dashboard open", () => {
  it.effect("prints a link of the management key, and opens no browser without a terminal", () =>
    Effect.gen(function* () {
      const { code, requests, stdout } = yield* run(["dashboard", "open"], { env, routes })
      expect([code, requests.map(({ key }) => key)]).toEqual([0, [env.EDP_KEY_MANAGEMENT]])
      expect(requests[0]?.idempotencyKey).toBeUndefined()
      expect(stdout).toContain(link.url)
      const json = yield* run(["dashboard", "open", "--json"], { env, routes })
      expect(JSON.parse(json.stdout)).toEqual(link)
    })
  )

  it.effect("opens the browser on a terminal, unless it only prints", () =>
    Effect.gen(function* () {
      const started: Array<ReadonlyArray<string>> = []
      const { code, stdout } = yield* run(["dashboard", "open"], { env, routes, started })
      expect([code, started]).toEqual([0, [[expect.stringMatching(/^(xdg-)?open$/), link.url]]])
      expect(stdout).toContain(link.url)
      for (const flag of ["--print", "--json"]) yield* run(["dashboard", "open", flag], { env, routes, started })
      expect(started).toHaveLength(1)
    })
  )
})
