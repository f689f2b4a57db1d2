import { Effect, Fiber } from "effect"
import { describe, expect, it } from "@effect/vitest"
import { TestClock } from "effect/testing"
import { newKey, page, refusal, run, type Routes } from "../fakeService.ts"

const env = { EDP_KEY_SERVER: newKey("SERVER"), EDP_URL: "http://service.test" }
const id = (n: number) => `c${String(n).padStart(24, "0")}`
const moment = "2026-03-01T12:00:00.000Z"

const customer = (firstName: string) => ({
  id: id(1),
  workspaceId: id(2),
  referenceId: null,
  firstName,
  lastName: null,
  email: null,
  phone: null,
  createdAt: moment,
  updatedAt: moment,
  connectedSiteIds: [],
  connectedDeviceIds: []
})

const event = (sequence: number) => ({
  id: id(sequence),
  sequence,
  type: "CUSTOMER_UPDATED",
  version: "1.0.0",
  timestamp: moment,
  workspaceId: id(2),
  data: { customer: customer(`Ada ${sequence}`) }
})

describe("edp events list", () => {
  it.effect("sends every filter, and shows the type and subject of each event", () =>
    Effect.gen(function* () {
      const flags = ["--type", "SITE_CREATED", "--type", "SITE_DELETED", "--device", "d1", "--site", "s1"]
      const times = ["--from", "2026-03-01T00:00:00Z", "--to", "2026-04-01T00:00:00Z"]
      const { code, requests, stdout } = yield* run(["events", "list", ...flags, ...times], {
        env,
        routes: { "GET /v1/events": () => page([event(7)]) }
      })
      expect(code).toBe(0)
      expect(requests[0]?.query).toMatchObject({
        deviceId: "d1",
        siteId: "s1",
        from: "2026-03-01T00:00:00Z",
        to: "2026-04-01T00:00:00Z"
      })
      expect(stdout.split("\n")[1]).toMatch(/^ +7 +2026-03-01 12:00Z +CUSTOMER_UPDATED +Ada 7/u)
    })
  )
})

/** A service that has these events at each look in turn, and then refuses the key, which ends the tail. */
const service = (looks: ReadonlyArray<ReadonlyArray<number> | Response>) => {
  let look = 0
  const asked: Array<Readonly<Record<string, string>>> = []
  const routes: Routes = {
    "GET /v1/events": ({ query }) => {
      asked.push(query)
      const there = looks[look++] ?? refusal(401, "UNAUTHENTICATED")
      if (there instanceof Response) return there
      const perPage = Number(query["perPage"])
      const after = query["after"]
      if (after === undefined) return page(there.toReversed().slice(0, perPage).map(event))
      return {
        data: there
          .filter((sequence) => sequence > Number(after))
          .slice(0, perPage)
          .map(event),
        perPage
      }
    }
  }
  return { routes, asked }
}

/** Lets what is not of the clock go on for a turn. */
const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

const tail = Effect.fnUntraced(function* (
  looks: ReadonlyArray<ReadonlyArray<number> | Response>,
  args: ReadonlyArray<string>,
  /** How many questions are to come while the clock stands still. */
  unwaited = 1
) {
  const { asked, routes } = service(looks)
  const running = yield* Effect.forkChild(run(["events", "tail", ...args], { env, routes }))
  while (asked.length < unwaited) yield* turn
  while (running.pollUnsafe() === undefined) {
    yield* turn
    yield* TestClock.adjust("1 second")
  }
  return { ...(yield* Fiber.join(running)), asked }
})

const shown = (stdout: string) => stdout.split("\n").map((line) => JSON.parse(line).sequence)

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

describe("edp events tail", () => {
  it.effect("shows the last ten and then each event once, including late ones with a lower number", () =>
    Effect.gen(function* () {
      const before = range(1, 20).filter((sequence) => sequence !== 15)
      // While the 15th is missing, the walk gets nothing after it.
      const { asked, stdout } = yield* tail([before, range(1, 14), range(1, 20), range(1, 23)], ["--json"])
      expect(shown(stdout)).toEqual([...range(10, 14), ...range(16, 20), 15, ...range(21, 23)])
      expect(asked.map(({ after }) => after)).toEqual([undefined, "9", "14", "20", "23"])
    })
  )

  it.effect("begins with --after, reads full pages without waiting, and sends its filters", () =>
    Effect.gen(function* () {
      const { asked, stdout } = yield* tail(
        [range(1, 250), range(1, 250), range(1, 250)],
        ["--json", "--after", "0", "--type", "SITE_CREATED"],
        3
      )
      expect(shown(stdout)).toEqual(range(1, 250))
      expect(asked.map(({ after }) => after)).toEqual(["0", "100", "200", "250"])
      expect(asked[0]).toMatchObject({ type: "SITE_CREATED", perPage: "100" })
    })
  )

  it.effect("survives a restart of the service without missing an event", () =>
    Effect.gen(function* () {
      const away = () => refusal(502, "SERVICE_UNAVAILABLE")
      const { stderr, stdout } = yield* tail([[1], [1], away(), away(), [1, 2, 3], [1, 2, 3]], ["--json"])
      expect(shown(stdout)).toEqual([1, 2, 3])
      expect(stderr).toContain("The service responds again")
    })
  )

  it.effect("prints one line per event without --json", () =>
    Effect.gen(function* () {
      const { stdout } = yield* tail([[1], [1]], [])
      expect(stdout).toBe("2026-03-01T12:00:00.000Z  CUSTOMER_UPDATED     Ada 1")
    })
  )
})
