import { describe, expect, it } from "@effect/vitest"
import { renderProgress } from "@edp/cli/kernel/ProgressBar"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { newKey, page, run, type Routes } from "../fakeService.ts"

const env = { EDP_KEY_SERVER: newKey("SERVER"), EDP_URL: "http://service.test" }
const id = "cmj2k8x4a0q3v7n1r5t9w2y6b"
const deviceIds = ["cmj2k8x4a0q3v7n1r5t9w2y6d", "cmj2k8x4a0q3v7n1r5t9w2y6e"]
// The clock of a test begins at the epoch.
const at = (seconds: number) => new Date(seconds * 1000).toISOString()

const none = { pending: 0, scheduled: 0, delivered: 0, completed: 0, failed: 0 }
const pending = {
  id,
  status: "pending",
  type: "battery:set-reserve",
  input: { chargePercentage: 30 },
  total: 10,
  counts: { ...none, pending: 10 },
  reasons: {},
  skipped: [{ deviceId: deviceIds[1], code: "INVALID_STATE" }],
  skippedTotal: 1,
  aborted: false,
  createdAt: at(0)
}
const running = { ...pending, status: "running", counts: { ...none, pending: 4, delivered: 3, completed: 3 } }
const completed = { ...pending, status: "completed", counts: { ...none, completed: 10 } }
const aborted = {
  ...pending,
  status: "cancelled",
  counts: { ...none, completed: 2, failed: 8 },
  reasons: { cancelled: 5, refused: 3 },
  aborted: true
}

const accepted = (body: object) =>
  new Response(JSON.stringify(body), { status: 202, headers: { "content-type": "application/json" } })

/** A service whose batch is as these looks say, one after another; the last one stays. */
const service = (looks: ReadonlyArray<object> = [pending]) => {
  const seen = { looks: 0 }
  const routes: Routes = {
    "GET /v1/batch-commands": () => page([running]),
    "POST /v1/batch-commands": () => accepted(pending),
    [`GET /v1/batch-commands/${id}`]: () => looks[Math.min(++seen.looks, looks.length) - 1],
    [`POST /v1/batch-commands/${id}/cancel`]: () => aborted,
    [`POST /v1/batch-commands/${id}/retry-failed`]: () => accepted({ ...pending, retryOf: id })
  }
  return { routes, seen }
}

const batch = (args: ReadonlyArray<string>, looks?: ReadonlyArray<object>) =>
  run(["batch", ...args], { env, routes: service(looks).routes })

/** Runs a command line and moves the clock until it ends. */
const follow = Effect.fnUntraced(function* (looks: ReadonlyArray<object>, args: ReadonlyArray<string> = ["watch", id]) {
  const { routes } = service(looks)
  const fiber = yield* Effect.forkChild(run(["batch", ...args], { env, routes }))
  while (fiber.pollUnsafe() === undefined) {
    // Reading of files at the start does not wait for the clock.
    yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
    yield* TestClock.adjust(100)
  }
  return yield* Fiber.join(fiber)
})

const reserve = ["battery:set-reserve", "chargePercentage=30"]

describe("edp batch send", () => {
  it.effect("sends the command to the devices of a tag with its times and limits", () =>
    Effect.gen(function* () {
      const times = ["--at", "2026-03-01T18:00:00Z", "--expires", "2026-03-01T19:00:00Z"]
      const limits = ["--max-per-minute", "600", "--abort-percent", "20", "--abort-after", "50"]
      const { code, requests, stdout } = yield* batch(["send", ...reserve, "--tag", "pilot", ...times, ...limits])
      expect([code, requests.map(({ body }) => body)]).toEqual([
        0,
        [
          {
            tag: "pilot",
            type: "battery:set-reserve",
            input: { chargePercentage: 30 },
            scheduledFor: "2026-03-01T18:00:00Z",
            expiresAt: "2026-03-01T19:00:00Z",
            maxPerMinute: 600,
            abortWhen: { failedPercent: 20, afterAtLeast: 50 }
          }
        ]
      ])
      expect(stdout).toMatch(/^progress +10 pending$/m)
      expect(stdout).toMatch(new RegExp(`^${deviceIds[1]} +INVALID_STATE$`, "m"))
    })
  )

  it.effect("reads the devices' ids from a file", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "edp-batch-"))
      const path = join(folder, "ids.txt")
      writeFileSync(path, `${deviceIds.join("\n")}\n\n`)
      const { requests } = yield* Effect.ensuring(
        batch(["send", ...reserve, "--file", path]),
        Effect.sync(() => rmSync(folder, { recursive: true }))
      )
      expect(requests[0]?.body).toMatchObject({ deviceIds })
    })
  )

  it.effect.each([
    ["no devices", []],
    ["two ways of selecting them", ["--tag", "pilot", "--collection", id]],
    ["a minimum without a share", ["--tag", "pilot", "--abort-after", "5"]],
    ["a wrong field", ["--tag", "pilot", "charge=5"]]
  ] as const)("refuses %s before any request", ([, words]) =>
    Effect.gen(function* () {
      const { code, requests, stderr } = yield* batch(["send", ...reserve, ...words])
      expect([code, requests]).toEqual([2, []])
      expect(stderr).toMatch(/^USAGE: /)
    })
  )
})

describe("edp batch watch", () => {
  it.effect("shows the counts whenever they change, until all commands have ended", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* follow([pending, pending, running, completed])
      expect(code).toBe(0)
      expect(stdout.split("\n").map((line) => line.slice(26))).toEqual([
        "pending: 10 pending",
        "running: 4 pending, 3 delivered, 3 completed",
        "completed: 10 completed"
      ])
      expect(stderr).toContain("press Ctrl-C to stop watching, the batch runs on")
    })
  )

  it.effect("exits with 1 if commands have failed, with their reasons, the most frequent first", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* follow([running, aborted])
      expect(code).toBe(1)
      expect(stderr).toContain("BATCH_FAILED: 8 of 10 commands failed: cancelled 5, refused 3")
      expect(stderr).toContain("the rest was cancelled, because too many had failed")
    })
  )

  it.effect("with --json prints a document for each change", () =>
    Effect.gen(function* () {
      const { stdout } = yield* follow([running, completed], ["watch", id, "--json"])
      expect(stdout.split("\n").map((line) => JSON.parse(line))).toEqual([running, completed])
    })
  )

  it.effect("leaves the batch running when it is interrupted", () =>
    Effect.gen(function* () {
      const { routes, seen } = service([running])
      const asked: Array<string> = []
      const noted = Object.fromEntries(
        Object.entries(routes).map(([route, response]): [string, Routes[string]] => [
          route,
          (request) => {
            asked.push(request.method)
            return response(request)
          }
        ])
      )
      const fiber = yield* Effect.forkChild(run(["batch", "watch", id], { env, routes: noted }))
      while (seen.looks === 0) {
        yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
      }
      yield* Fiber.interrupt(fiber)
      expect(new Set(asked)).toEqual(new Set(["GET"]))
    })
  )

  it.effect("follows a batch that was just sent with --watch", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* follow([completed], ["send", ...reserve, "--tag", "pilot", "--watch"])
      expect([code, stdout.split("\n").map((line) => line.slice(26))]).toEqual([
        0,
        ["pending: 10 pending", "completed: 10 completed"]
      ])
    })
  )
})

describe("edp batch", () => {
  it.effect("list shows the progress of each batch", () =>
    Effect.gen(function* () {
      const { stdout } = yield* batch(["list"])
      expect(stdout).toMatch(new RegExp(`^${id} +running +battery:set-reserve +10 +3 +0`, "m"))
    })
  )

  it.effect("show returns a batch with the devices that were skipped", () =>
    Effect.gen(function* () {
      const shown = yield* batch(["show", id])
      expect(shown.stdout).toMatch(/^skipped +1$/m)
      expect(JSON.parse((yield* batch(["show", id, "--json"])).stdout)).toEqual(pending)
    })
  )

  it.effect("cancel and retry show what became of the batch", () =>
    Effect.gen(function* () {
      const cancelled = yield* batch(["cancel", id])
      expect(cancelled.stdout).toMatch(/^status +cancelled, because too many failed$/m)
      const retried = yield* batch(["retry", id])
      expect(retried.stdout).toMatch(new RegExp(`^retry of +${id}$`, "m"))
    })
  )
})

describe("the progress bar of a batch", () => {
  it("shows the counts by status and reason after the share", () => {
    const detail = "4 pending, 2 failed (refused 2)"
    const line = renderProgress({
      label: "r",
      done: 6,
      total: 10,
      elapsedMs: 0,
      columns: 120,
      unit: "commands",
      detail
    })
    expect(line).toMatch(/ 60 %, 6 of 10 commands: 4 pending, 2 failed \(refused 2\)$/u)
  })
})
