import { describe, expect, it } from "@effect/vitest"
import { readingLines } from "@edp/cli/commands/devices/watch"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { errorText, newKey, refusal, run, type Routes } from "../../fakeService.ts"

const env = { EDP_KEY_SERVER: newKey("SERVER"), EDP_URL: "http://service.test" }
const id = "cmj2k8x4a0q3v7n1r5t9w2y6b"
const start = Date.parse("2026-03-01T12:00:00.000Z")
const at = (seconds: number) => new Date(start + seconds * 1000).toISOString()
const reading = (seconds: number, power = seconds) => ({
  id: `c${`${seconds}`.padStart(24, "0")}`,
  createdAt: at(seconds),
  power
})

const device = (seconds: number | undefined, fields: object = {}) => ({
  id,
  siteId: null,
  name: "Roof",
  manufacturerDeviceId: "roof",
  serialNumber: null,
  referenceId: id,
  manufacturer: "generic",
  type: "inverter",
  model: "Generic",
  rawType: null,
  rawModel: null,
  modelYear: null,
  state: seconds === undefined ? {} : reading(seconds),
  availableCommands: [],
  interventions: [],
  tags: [],
  createdAt: at(0),
  updatedAt: at(0),
  connectedAt: at(0),
  disconnectedAt: null,
  onlineStatus: seconds === undefined ? "unknown" : "online",
  lastOnlineAt: seconds === undefined ? null : at(seconds),
  ...fields
})

const gone = () => refusal(404, "DEVICE_NOT_FOUND")

/**
 * A device that responds to each look with the next of these, and then is gone. Its history has a reading at every tenth of a
 * second that a newest reading names.
 */
const service = (looks: ReadonlyArray<unknown>) => {
  let look = 0
  const asked: Array<Readonly<Record<string, string>>> = []
  const routes: Routes = {
    [`GET /v1/devices/${id}/history`]: ({ query }) => {
      asked.push(query)
      const [from, to] = [Date.parse(query["from"]!), Date.parse(query["to"]!)]
      const data = [1, 2, 3, 4, 5, 6, 7, 8, 9]
        .map((n) => reading(n))
        .filter(({ createdAt }) => {
          return Date.parse(createdAt) >= from && Date.parse(createdAt) < to
        })
      const rest = query["cursor"] === undefined ? data.slice(0, 2) : data.slice(2)
      const more = query["cursor"] === undefined && data.length > 2
      const body =
        query["cursor"] === undefined
          ? { data: rest, page: 1, perPage: 100, totalItems: 9, totalPages: 1 }
          : { data: rest, perPage: 100 }
      return new Response(JSON.stringify(body), {
        headers: { "content-type": "application/json", ...(more && { "x-next-cursor": "more" }) }
      })
    },
    [`GET /v1/devices/${id}`]: () => {
      const response = looks[look++]
      return response === undefined ? gone() : response
    }
  }
  return { routes, asked, looks: () => look }
}

/** Lets what is not of the clock, such as the reading of files at the start, go on for a turn. */
const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** Moves the clock second by second, with a turn between, for as long as this is not so. */
const secondsUntil = Effect.fnUntraced(function* (done: () => boolean) {
  let seconds = 0
  for (; !done(); seconds++) {
    yield* turn
    yield* TestClock.adjust("1 second")
  }
  return seconds
})

const watch = Effect.fnUntraced(function* (looks: ReadonlyArray<unknown>, args: ReadonlyArray<string> = []) {
  const { routes, asked } = service(looks)
  const running = yield* Effect.forkChild(run(["devices", "watch", id, ...args], { env, routes }))
  yield* secondsUntil(() => running.pollUnsafe() !== undefined)
  return { ...(yield* Fiber.join(running)), asked }
})

describe("edp devices watch", () => {
  it.effect("shows the newest reading, and each later one once, in the order of their times", () =>
    Effect.gen(function* () {
      const looks = [device(1), device(1), device(2), device(7), device(7)]
      const { asked, stderr, stdout } = yield* watch(looks, ["--json"])
      const times = stdout.split("\n").map((line) => JSON.parse(line).power)
      expect(times).toEqual([1, 2, 3, 4, 5, 6, 7])
      expect(asked.map(({ from, to, cursor }) => [from, to, cursor])).toEqual([
        ["2026-03-01T12:00:01.001Z", "2026-03-01T12:00:02.001Z", undefined],
        ["2026-03-01T12:00:02.001Z", "2026-03-01T12:00:07.001Z", undefined],
        ["2026-03-01T12:00:02.001Z", "2026-03-01T12:00:07.001Z", "more"]
      ])
      expect(stderr.split("\n")[0]).toBe("Roof is online; press Ctrl-C to stop")
    })
  )

  it.effect("ends with 1 when the device is deleted", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* watch([device(1), device(1)])
      expect(code).toBe(1)
      expect(stderr.split("\n").at(-1)).toBe("DEVICE_NOT_FOUND: DEVICE_NOT_FOUND it is")
    })
  )

  it.effect("begins with the first reading of a device without readings, and shows its status", () =>
    Effect.gen(function* () {
      const { stderr, stdout } = yield* watch(
        [device(undefined), device(undefined), device(3), device(3, { onlineStatus: "offline" })],
        ["--json"]
      )
      expect(stdout.split("\n").map((line) => JSON.parse(line).createdAt)).toEqual([at(3)])
      expect(stderr.split("\n").slice(0, 3)).toEqual([
        "Roof is unknown; press Ctrl-C to stop",
        "Roof is online",
        "Roof is offline"
      ])
    })
  )

  it.effect("survives a restart and a rate limit, and shows each reading once", () =>
    Effect.gen(function* () {
      const down = () => new Response("", { status: 503 })
      const looks = [
        device(1),
        down(),
        down(),
        refusal(502, "SERVICE_UNAVAILABLE"),
        refusal(500, "UNKNOWN_ERROR"),
        device(2),
        refusal(429, "RATE_LIMITED", { retryAfter: 40 }),
        device(3)
      ]
      const { stderr, stdout } = yield* watch(looks, ["--json"])
      expect(stdout.split("\n").map((line) => JSON.parse(line).power)).toEqual([1, 2, 3])
      const notes = errorText(stderr)
        .split("\n")
        .map((line) => line.split(":")[0])
      expect(notes).toEqual([
        "Roof is online; press Ctrl-C to stop",
        "UNEXPECTED_ANSWER",
        "SERVICE_UNAVAILABLE",
        "UNKNOWN_ERROR",
        "The service responds again",
        "RATE_LIMITED",
        "The service responds again",
        "DEVICE_NOT_FOUND"
      ])
    })
  )

  it.effect.each([
    [[], 5],
    [["--interval", "20"], 20]
  ] as const)("polls every five seconds, or at the given interval: %j", ([args, interval]) =>
    Effect.gen(function* () {
      const { looks, routes } = service(Array.from({ length: 100 }, () => device(1)))
      const running = yield* Effect.forkChild(run(["devices", "watch", id, ...args], { env, routes }))
      // The first look is when the start is over; from the second on it is the clock that makes it look.
      yield* secondsUntil(() => looks() === 2)
      expect(yield* secondsUntil(() => looks() === 3)).toBe(interval)
      expect(yield* secondsUntil(() => looks() === 6)).toBe(3 * interval)
      yield* Fiber.interrupt(running)
    })
  )

  it.effect.each(["0", "3601", "1.5"])("rejects an interval of %s", (interval) =>
    Effect.gen(function* () {
      const { code } = yield* run(["devices", "watch", id, "--interval", interval], { env, routes: {} })
      expect(code).toBe(2)
    })
  )
})

describe("the lines of readings", () => {
  it("repeat the header when a field appears, and keep their columns", () => {
    const formatLines = readingLines()
    expect(formatLines(reading(1, 12))).toEqual([
      "TIME                         power",
      "2026-03-01T12:00:01.000Z        12"
    ])
    expect(formatLines({ ...reading(2), gridStatus: "idle" })).toEqual([
      "TIME                         power  gridStatus",
      "2026-03-01T12:00:02.000Z         2        idle"
    ])
    expect(formatLines(reading(3))).toEqual(["2026-03-01T12:00:03.000Z         3           -"])
  })
})
