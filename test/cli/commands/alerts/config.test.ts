import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { newKey, refusal, run, type SeenRequest } from "../../fakeService.ts"

const env = { EDP_KEY_MANAGEMENT: newKey("MANAGEMENT"), EDP_URL: "http://service.test" }
const path = "/dashboard/api/alert-configuration"
const workspaceId = "cmj2k8x4a0q3v7n1r5t9w2y6b"

const nothing = {
  workspaceId,
  minimumSeverity: null,
  types: null,
  subtypes: null,
  sourceSystems: null,
  savedAt: null,
  savedBy: null
}
const saved = {
  ...nothing,
  minimumSeverity: "WARNING",
  types: { mode: "HIDE", values: ["SENSOR", "UNKNOWN"] },
  sourceSystems: { mode: "SHOW", values: ["edp"] },
  savedAt: "2026-01-01T00:00:00.000Z",
  savedBy: "owner"
}

/** A service on which this is saved. */
const holding = (held: object) => ({
  [`GET ${path}`]: () => held,
  [`PUT ${path}`]: ({ body }: SeenRequest) => ({ ...nothing, ...body, savedAt: saved.savedAt, savedBy: "owner" }),
  [`DELETE ${path}`]: () => undefined
})

const set = (args: ReadonlyArray<string>, held: object = nothing) =>
  Effect.map(run(["alerts", "config", "set", ...args], { env, routes: holding(held) }), (ran) => ({
    ...ran,
    sent: ran.requests.find(({ method }) => method === "PUT")?.body
  }))

const findLine = (stdout: string, name: string) => stdout.split("\n").find((line) => line.startsWith(name))

describe("edp alerts config", () => {
  it.effect("show describes in words which alerts are listed", () =>
    Effect.gen(function* () {
      const { code, requests, stdout } = yield* run(["alerts", "config", "show", "--workspace", workspaceId], {
        env,
        routes: holding(saved)
      })
      expect([code, requests[0]?.query]).toEqual([0, { workspaceId }])
      expect(findLine(stdout, "severities")).toMatch(/WARNING, CRITICAL$/)
      expect(findLine(stdout, "types")).toMatch(/all but SENSOR, UNKNOWN$/)
      expect(findLine(stdout, "subtypes")).toMatch(/all$/)
      expect(findLine(stdout, "source systems")).toMatch(/only edp$/)
      const before = yield* run(["alerts", "config", "show"], { env, routes: holding(nothing) })
      expect(before.requests[0]?.query).toEqual({})
      expect(findLine(before.stdout, "saved")).toMatch(/nothing: every alert is listed$/)
    })
  )

  it.effect("set sends the rules of its flags, and leaves the other rules unchanged", () =>
    Effect.gen(function* () {
      const first = yield* set(["--min-severity", "CRITICAL", "--hide-type", "SENSOR", "--hide-type", "SAFETY"])
      expect(first.sent).toEqual({
        minimumSeverity: "CRITICAL",
        types: { mode: "HIDE", values: ["SENSOR", "SAFETY"] },
        subtypes: null,
        sourceSystems: null
      })
      const second = yield* set(["--show-subtype", "LOW_SOE", "--hide-source", "night watch, 2"], saved)
      expect(second.sent).toEqual({
        minimumSeverity: "WARNING",
        types: saved.types,
        subtypes: { mode: "SHOW", values: ["LOW_SOE"] },
        sourceSystems: { mode: "HIDE", values: ["night watch, 2"] }
      })
      expect(findLine(second.stdout, "source systems")).toMatch(/all but night watch, 2$/)
    })
  )

  it.effect("set removes rules", () =>
    Effect.gen(function* () {
      const { sent } = yield* set(["--any-severity", "--all-types", "--all-subtypes", "--all-sources"], saved)
      expect(sent).toEqual({ minimumSeverity: null, types: null, subtypes: null, sourceSystems: null })
    })
  )

  it.effect("set uses the workspace of --workspace in both of its calls", () =>
    Effect.gen(function* () {
      const { requests } = yield* set(["--min-severity", "INFO", "--workspace", workspaceId])
      expect(requests.map(({ method, query }) => [method, query])).toEqual([
        ["GET", { workspaceId }],
        ["PUT", { workspaceId }]
      ])
    })
  )

  it.effect("set without a change, or with contradictory flags, is a usage error", () =>
    Effect.gen(function* () {
      const wrong = [
        [[], /Nothing to change/],
        [["--show-type", "SENSOR", "--hide-type", "SAFETY"], /--show-type, --hide-type and --all-types/],
        [["--all-sources", "--hide-source", "edp"], /--show-source, --hide-source and --all-sources/],
        [["--min-severity", "INFO", "--any-severity"], /--min-severity and --any-severity/],
        [["--hide-type", "NOPE"], /NOPE/],
        [["--min-severity", "FATAL"], /FATAL/]
      ] as const
      for (const [args, message] of wrong) {
        const { code, requests, stderr, stdout } = yield* set(args)
        expect([code, requests, stdout]).toEqual([2, [], ""])
        expect(stderr).toMatch(message)
      }
    })
  )

  it.effect("clear deletes the saved configuration, and says so when there is none", () =>
    Effect.gen(function* () {
      const cleared = yield* run(["alerts", "config", "clear"], { env, routes: holding(saved) })
      expect([cleared.code, cleared.stdout]).toEqual([0, "Every alert is listed again."])
      const json = yield* run(["alerts", "config", "clear", "--yes", "--json"], { env, routes: holding(saved) })
      expect(JSON.parse(json.stdout)).toEqual({ cleared: true })
      const again = yield* run(["alerts", "config", "clear"], {
        env,
        routes: { [`DELETE ${path}`]: () => refusal(404, "NOT_FOUND") }
      })
      expect([again.code, again.stderr]).toEqual([1, "NOT_FOUND: NOT_FOUND it is"])
    })
  )

  it.effect("--json prints the response of the service", () =>
    Effect.gen(function* () {
      const { stdout } = yield* run(["alerts", "config", "show", "--json"], { env, routes: holding(saved) })
      expect(JSON.parse(stdout)).toEqual(saved)
    })
  )

  it.effect("needs a MANAGEMENT key, and says so", () =>
    Effect.gen(function* () {
      const other = { EDP_KEY_SERVER: newKey("SERVER"), EDP_URL: "http://service.test" }
      const { code, requests, stderr } = yield* run(["alerts", "config", "show"], {
        env: other,
        routes: holding(saved)
      })
      expect([code, requests]).toEqual([1, []])
      expect(stderr).toMatch(/^KEY_MISSING: .*MANAGEMENT/)
      const refused = yield* run(["alerts", "config", "show", "--workspace", "x"], {
        env,
        routes: { [`GET ${path}`]: () => refusal(404, "WORKSPACE_NOT_FOUND") }
      })
      expect([refused.code, refused.stderr]).toEqual([1, "WORKSPACE_NOT_FOUND: WORKSPACE_NOT_FOUND it is"])
    })
  )
})
