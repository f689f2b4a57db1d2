import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { errorText, newKey, page, refusal, run, type Routes } from "../fakeService.ts"

const env = { EDP_KEY_SERVER: newKey("SERVER"), EDP_URL: "http://service.test" }
const id = "cmj2k8x4a0q3v7n1r5t9w2y6b"
const deviceId = "cmj2k8x4a0q3v7n1r5t9w2y6d"
// The clock of a test begins at the epoch.
const at = (seconds: number) => new Date(seconds * 1000).toISOString()

const battery = {
  id: deviceId,
  siteId: null,
  name: "Garage battery",
  manufacturerDeviceId: "garage",
  serialNumber: null,
  referenceId: "user-1",
  manufacturer: "generic",
  type: "battery",
  model: "Generic battery",
  rawType: null,
  rawModel: null,
  modelYear: null,
  state: {},
  availableCommands: [],
  interventions: [],
  tags: [],
  createdAt: at(0),
  updatedAt: at(0),
  connectedAt: at(0),
  disconnectedAt: null,
  onlineStatus: "unknown",
  lastOnlineAt: null
}

const pending = {
  id,
  status: "pending",
  type: "battery:set-operating-mode",
  source: "user",
  issuedAt: at(0),
  input: { operatingMode: "charge", maximumBatteryReserve: 80 },
  output: null,
  upstream: null,
  deviceId,
  expiresAt: at(900),
  revertAfter: 3600,
  transitions: [{ status: "pending", at: at(0) }]
}
const forcedMode = { mode: "charge", until: at(3602), then: "restore", source: "user" }
const forcedLine = `forced mode: charge until ${at(3602)}, then the settings from before (by user)`
const delivered = {
  ...pending,
  status: "delivered",
  transitions: [...pending.transitions, { status: "delivered", at: at(2) }],
  forcedMode
}
const completed = {
  ...delivered,
  status: "completed",
  executedAt: at(30),
  transitions: [...delivered.transitions, { status: "completed", at: at(30) }]
}
const failed = {
  ...pending,
  status: "failed",
  reason: "refused",
  executedAt: at(3),
  upstream: { statusCode: 422, errorCode: "E42", errorMessage: "Not now", requestId: "r-1" },
  transitions: [...pending.transitions, { status: "failed", at: at(3) }]
}

const created = (body: object) =>
  new Response(JSON.stringify(body), { status: 201, headers: { "content-type": "application/json" } })

/** A service whose command is as these looks say, one after another; the last one stays. */
const service = (looks: ReadonlyArray<object>) => {
  const times: Array<number> = []
  const routes: Routes = {
    "GET /v1/devices": () => page([battery]),
    [`GET /v1/devices/${deviceId}`]: () => battery,
    [`POST /v1/devices/${deviceId}/commands`]: () => created(pending),
    [`GET /v1/commands/${id}`]: () => {
      times.push(now())
      return looks[Math.min(times.length, looks.length) - 1]
    }
  }
  let now = () => 0
  return { routes, times, setClock: (clock: () => number) => (now = clock) }
}

/** Runs a command line and moves the clock by steps until it ends. */
const follow = Effect.fnUntraced(function* (
  looks: ReadonlyArray<object>,
  args: ReadonlyArray<string> = ["commands", "watch", id],
  step = 50
) {
  const { routes, setClock, times } = service(looks)
  let milliseconds = 0
  setClock(() => milliseconds)
  const running = yield* Effect.forkChild(run(args, { env, routes }))
  while (running.pollUnsafe() === undefined) {
    // Reading of files at the start does not wait for the clock.
    yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
    if (times.length > 0 || args.includes("send")) {
      milliseconds += step
      yield* TestClock.adjust(step)
    }
  }
  return { ...(yield* Fiber.join(running)), times }
})

const wrongInputs: ReadonlyArray<readonly [words: ReadonlyArray<string>, problem: string]> = [
  [["battery:set-reserve", "chargePercentage=full"], "chargePercentage: Must be a number from 0 to 100"],
  [["battery:set-reserve", "chargePercentage=101"], "chargePercentage: Must be a number from 0 to 100"],
  [["battery:set-reserve"], "chargePercentage: Is required"],
  [["battery:set-reserve", "charge=5", "chargePercentage=5"], "charge: Is not known here"],
  [["battery:set-reserve", "chargePercentage"], '"chargePercentage": must be name=value'],
  [["vehicle:set-charge-limit", "chargeLimit=5", "chargeLimit=6"], "chargeLimit: is given twice"],
  [["battery:set-operating-mode", "operatingMode=on"], "operatingMode: Must be one of charge, discharge, idle, reset"],
  [["thermostat:set-operating-mode", "operatingMode=heat"], "heatTarget: Is required with operatingMode heat"],
  [["thermostat:pause-schedule", "hours=2"], "hours: Is not known here"]
]

describe("edp commands send", () => {
  it.effect("types the values by the input of the command's type, and finds the device by its name", () =>
    Effect.gen(function* () {
      const fields = ["operatingMode=charge", "maximumBatteryReserve=80", "enableGridInteraction=true"]
      const times = ["--at", "2026-03-01T18:00:00Z", "--expires", "2026-03-01T19:00:00Z", "--revert-after", "1h"]
      const args = ["commands", "send", "Garage battery", "battery:set-operating-mode", ...fields, ...times]
      const { code, requests, stdout } = yield* run(args, { env, routes: service([]).routes })
      const sent = requests.find(({ method }) => method === "POST")
      expect([code, sent?.path, sent?.body]).toEqual([
        0,
        `/v1/devices/${deviceId}/commands`,
        {
          type: "battery:set-operating-mode",
          input: { operatingMode: "charge", maximumBatteryReserve: 80, enableGridInteraction: true },
          scheduledFor: "2026-03-01T18:00:00Z",
          expiresAt: "2026-03-01T19:00:00Z",
          revertAfter: 3600
        }
      ])
      expect(stdout).toMatch(/^input +operatingMode=charge, maximumBatteryReserve=80$/m)
      expect(stdout).toMatch(/^status +pending$/m)
    })
  )

  it.effect.each(wrongInputs)("refuses %j before any request, and says which field takes what", ([words, problem]) =>
    Effect.gen(function* () {
      const { code, requests, stderr } = yield* run(["commands", "send", deviceId, ...words], { env, routes: {} })
      expect([code, requests]).toEqual([2, []])
      const lines = stderr.split("\n").map((line) => line.trim())
      expect(lines[0]).toBe(`USAGE: The input of ${words[0]} is not valid`)
      expect(lines).toContain(problem)
      expect(lines.some((line) => line === `${words[0]} takes:` || line === `${words[0]} takes no fields`)).toBe(true)
    })
  )

  it.effect("lists the fields of the type with their values and units when one is wrong", () =>
    Effect.gen(function* () {
      const { stderr } = yield* run(["commands", "send", deviceId, "battery:set-operating-mode"], { env, routes: {} })
      expect(stderr).toContain("operatingMode=charge|discharge|idle|reset  charge, discharge and idle force a mode")
      expect(stderr).toContain("[maximumBatteryReserve=0…100]  State of charge at which charging stops, percent")
      expect(stderr).toContain("[enableGridInteraction=true|false]")
    })
  )

  it.effect("shows what the device does not allow, as the service says it", () =>
    Effect.gen(function* () {
      const limit = refusal(400, "VALIDATION_ERROR", { details: { "input.heatTarget": "Must be at most 90" } })
      const args = ["commands", "send", deviceId, "thermostat:set-operating-mode", "operatingMode=heat"]
      const { code, stderr } = yield* run([...args, "heatTarget=95"], {
        env,
        routes: { ...service([]).routes, [`POST /v1/devices/${deviceId}/commands`]: () => limit }
      })
      expect([code, stderr.split("\n").at(-1)]).toEqual([1, "  input.heatTarget: Must be at most 90"])
    })
  )

  it.effect("refuses a time of reverting that is no duration", () =>
    Effect.gen(function* () {
      const args = ["commands", "send", deviceId, "charger:set-operating-mode", "operatingMode=start-charging"]
      const { code, requests, stderr } = yield* run([...args, "--revert-after", "soon"], { env, routes: {} })
      expect([code, requests]).toEqual([2, []])
      expect(stderr).toContain("Must be a duration such as 90s, 30m, 6h or 2d")
    })
  )

  it.effect("follows the command to its end with --watch", () =>
    Effect.gen(function* () {
      const words = ["battery:set-operating-mode", "operatingMode=charge", "--revert-after", "1h", "--watch"]
      const { code, stdout } = yield* follow([delivered, completed], ["commands", "send", deviceId, ...words])
      expect(code).toBe(0)
      expect(stdout.split("\n")).toEqual([
        `${at(0)}  pending`,
        `${at(2)}  delivered`,
        forcedLine,
        `${at(30)}  completed`
      ])
    })
  )
})

describe("edp commands watch", () => {
  it.effect("shows each status once with its time, the forced mode and its end, and exits with 0", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* follow([pending, pending, delivered, delivered, completed])
      expect(code).toBe(0)
      expect(stdout.split("\n")).toEqual([
        `${at(0)}  pending`,
        `${at(2)}  delivered`,
        forcedLine,
        `${at(30)}  completed`
      ])
    })
  )

  it.effect("exits with 1 and the manufacturer's message if the command fails", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* follow([pending, failed])
      expect(code).toBe(1)
      expect(stdout.split("\n").at(-1)).toBe(`${at(3)}  failed: refused`)
      expect(stderr.split("\n").slice(-2)).toEqual([
        "COMMAND_FAILED: battery:set-operating-mode failed: refused",
        "  the manufacturer: 422 E42 Not now (request r-1)"
      ])
    })
  )

  it.effect("shows the late result of a command that has failed with timeout", () =>
    Effect.gen(function* () {
      const { upstream: _, ...rest } = failed
      const late = { ...rest, upstream: null, reason: "timeout", lateResult: { status: "completed", at: at(1000) } }
      const { code, stdout } = yield* follow([late])
      expect(code).toBe(1)
      expect(stdout.split("\n").slice(-2)).toEqual([`${at(3)}  failed: timeout`, `${at(1000)}  late result: completed`])
    })
  )

  it.effect("prints a line of JSON for each change with --json, and the failure as one on standard error", () =>
    Effect.gen(function* () {
      const { stderr, stdout } = yield* follow([pending, pending, failed], ["commands", "watch", id, "--json"])
      expect(stdout.split("\n").map((line) => JSON.parse(line))).toEqual([pending, failed])
      expect(JSON.parse(stderr.split("\n").at(-1)!)).toMatchObject({ code: "COMMAND_FAILED" })
    })
  )

  it.effect("polls often after a change, then backs off to every ten seconds at most", () =>
    Effect.gen(function* () {
      const looks = [...Array.from({ length: 12 }, () => pending), delivered, delivered, completed]
      const { times } = yield* follow(looks)
      const pauses = times.slice(1).map((time, index) => time - times[index]!)
      expect(pauses.slice(0, 3)).toEqual([500, 750, 1150])
      expect(pauses.slice(9, 11)).toEqual([10_000, 10_000])
      expect(pauses.slice(12, 14)).toEqual([500, 750])
    })
  )

  it.effect("leaves a scheduled command alone until its time, but for a look each minute", () =>
    Effect.gen(function* () {
      const scheduled = {
        ...pending,
        status: "scheduled",
        scheduledFor: at(150),
        transitions: [{ status: "scheduled", at: at(0) }]
      }
      const done = {
        ...scheduled,
        status: "completed",
        transitions: [...scheduled.transitions, { status: "completed", at: at(151) }]
      }
      const { stdout, times } = yield* follow([scheduled, scheduled, scheduled, scheduled, done])
      const pauses = times.slice(1).map((time, index) => time - times[index]!)
      expect(pauses.slice(0, 3)).toEqual([60_000, 60_000, 30_000])
      expect(stdout.split("\n")).toEqual([`${at(0)}  scheduled`, `${at(151)}  completed`])
    })
  )

  it.effect("waits while the service restarts", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* follow([pending, refusal(502, "SERVICE_UNAVAILABLE"), completed])
      expect(code).toBe(0)
      expect(errorText(stderr)).toContain("The service responds again")
    })
  )

  it.effect("ends with 1 if there is no such command", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* follow([refusal(404, "NOT_FOUND")])
      expect([code, stderr.split("\n").at(-1)]).toEqual([1, "NOT_FOUND: NOT_FOUND it is"])
    })
  )

  it.effect("refuses CSV", () =>
    Effect.gen(function* () {
      const { code, requests } = yield* run(["commands", "watch", id, "--output", "csv"], { env, routes: {} })
      expect([code, requests]).toEqual([2, []])
    })
  )
})

describe("edp commands list, show and cancel", () => {
  it.effect("list sends its filters and names the devices", () =>
    Effect.gen(function* () {
      const filters = ["--device", "Garage battery", "--status", "failed", "--batch", id]
      const { requests, stdout } = yield* run(["commands", "list", ...filters, "--type", "battery:set-reserve"], {
        env,
        routes: { ...service([]).routes, "GET /v1/commands": () => page([failed]) }
      })
      expect(requests.find(({ path }) => path === "/v1/commands")?.query).toEqual({
        deviceId,
        status: "failed",
        type: "battery:set-reserve",
        batchId: id
      })
      expect(stdout).toMatch(/Garage battery +battery:set-operating-mode +failed: refused/)
    })
  )

  it.effect("show and watch say why a device does nothing for a completed command", () =>
    Effect.gen(function* () {
      const note = { code: "battery_full", sentence: "The battery was idle at 100 %, and charging stops at 100 %." }
      const idle = { ...completed, note }
      const line = `${note.sentence} (battery_full)`
      const { stdout } = yield* run(["commands", "show", id], { env, routes: service([idle]).routes })
      expect(stdout).toMatch(/^note +The battery was idle at 100 %, and charging stops at 100 %\. \(battery_full\)$/m)
      const watched = yield* follow([delivered, idle])
      expect(watched).toMatchObject({ code: 0 })
      expect(watched.stdout.split("\n").at(-1)).toBe(`note: ${line}`)
    })
  )

  it.effect("show has the time of each status, the result, the forced mode and the late result", () =>
    Effect.gen(function* () {
      const shown = { ...completed, output: { paired: true, required: false } }
      const { stdout } = yield* run(["commands", "show", id], { env, routes: service([shown]).routes })
      expect(stdout).toMatch(/^output +paired=true, required=false$/m)
      expect(stdout).toContain(`charge until ${at(3602)}, then the settings from before (by user)`)
      expect(stdout).toMatch(new RegExp(`^${at(30)} +completed$`, "m"))
      const late = { ...failed, reason: "timeout", lateResult: { status: "failed", reason: "asleep", at: at(1000) } }
      const timedOut = yield* run(["commands", "show", id], { env, routes: service([late]).routes })
      expect(timedOut.stdout).toMatch(/^late result +failed: asleep, 1970-01-01T00:16:40.000Z$/m)
      expect(timedOut.stdout).toMatch(/^upstream +422 E42 Not now \(request r-1\)$/m)
      const json = yield* run(["commands", "show", id, "--json"], { env, routes: service([shown]).routes })
      expect(JSON.parse(json.stdout)).toEqual(shown)
    })
  )

  it.effect("cancel shows the cancelled command, or why it cannot be cancelled", () =>
    Effect.gen(function* () {
      const path = `POST /v1/commands/${id}/cancel`
      const cancelled = yield* run(["commands", "cancel", id], {
        env,
        routes: { [path]: () => ({ ...failed, reason: "cancelled" }) }
      })
      expect(cancelled.stdout).toMatch(/^status +failed: cancelled$/m)
      const refused = yield* run(["commands", "cancel", id], {
        env,
        routes: { [path]: () => refusal(400, "INVALID_STATE") }
      })
      expect([refused.code, refused.stderr]).toEqual([1, "INVALID_STATE: INVALID_STATE it is"])
    })
  )
})
