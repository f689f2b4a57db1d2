import { formatRule, parseRule } from "@edp/cli/commands/schedules/ruleText"
import { drawWeek } from "@edp/cli/commands/schedules/drawWeek"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { newKey, page, run } from "../fakeService.ts"

const env = { EDP_KEY_SERVER: newKey("SERVER"), EDP_URL: "http://service.test" }
const id = "cmj2k8x4a0q3v7n1r5t9w2y6b"
const moment = "2026-01-01T00:00:00.000Z"
const night = {
  daysOfWeek: [1, 2, 3, 4, 5],
  startTime: "22:00",
  endTime: "06:00",
  mode: { operatingMode: "charge", maximumBatteryReserve: 90 }
}
const schedule = {
  id,
  workspaceId: id,
  name: "Nights",
  target: { tag: "pilot" },
  deviceType: "battery",
  timezone: "Europe/Berlin",
  defaultMode: { operatingMode: "idle" },
  rules: [night],
  enabled: true,
  nextTransitionAt: "2026-01-01T21:00:00.000Z",
  createdAt: moment,
  updatedAt: moment
}
const device = { id, name: "Garage", type: "battery", manufacturer: "generic", manufacturerDeviceId: "garage" }
const week = `     00    03    06    09    12    15    18    21
Mon  ............................................CCCC
Tue  CCCCCCCCCCCC................................CCCC
Wed  CCCCCCCCCCCC................................CCCC
Thu  CCCCCCCCCCCC................................CCCC
Fri  CCCCCCCCCCCC................................CCCC
Sat  CCCCCCCCCCCC....................................
Sun  ................................................

  C  charge maximumBatteryReserve=90
  .  idle (default)
Local time of Europe/Berlin; a character is half an hour.`

const reply = () => schedule

describe("edp schedules", () => {
  it.effect("show prints the schedule and draws its week; --json prints the record", () =>
    Effect.gen(function* () {
      const routes = { "GET /v1/schedules/*": reply }
      const { code, stdout } = yield* run(["schedules", "show", id], { env, routes })
      expect(code).toBe(0)
      expect(stdout).toContain("rule 0     mon-fri 22:00-06:00 charge maximumBatteryReserve=90")
      expect(stdout.endsWith(week)).toBe(true)
      const asJson = yield* run(["schedules", "show", id, "--json"], { env, routes })
      expect(JSON.parse(asJson.stdout)).toEqual(schedule)
    })
  )

  it.effect("list sends its filters", () =>
    Effect.gen(function* () {
      const { requests, stdout } = yield* run(
        ["schedules", "list", "--tag", "pilot", "--type", "battery", "--enabled", "true"],
        { env, routes: { "GET /v1/schedules": () => page([schedule]) } }
      )
      expect(requests[0]?.query).toEqual({ tag: "pilot", deviceType: "battery", enabled: "true" })
      expect(stdout).toContain("Nights")
      expect(stdout).toContain("tag pilot")
    })
  )

  it.effect("create parses rules by the type, which a device knows and a tag needs", () =>
    Effect.gen(function* () {
      const routes = {
        "POST /v1/schedules": reply,
        "GET /v1/devices/*": () => device,
        "GET /v1/devices": () => page([device])
      }
      const rule = "mon-fri 22:00-06:00 charge maximumBatteryReserve=90"
      const args = ["schedules", "create", "--name", "Nights", "--rule", rule, "--default", "idle"]
      const byTag = yield* run([...args, "--tag", "pilot", "--type", "battery", "--paused"], { env, routes })
      expect(byTag.requests[0]?.body).toEqual({
        name: "Nights",
        target: { tag: "pilot" },
        deviceType: "battery",
        enabled: false,
        defaultMode: { operatingMode: "idle" },
        rules: [night]
      })
      const untyped = yield* run([...args, "--tag", "pilot"], { env, routes })
      expect([untyped.code, untyped.requests]).toEqual([2, []])
      for (const wrong of [[], ["--tag", "a", "--device", "garage"]]) {
        expect((yield* run([...args, ...wrong, "--type", "battery"], { env, routes })).code).toBe(2)
      }
    })
  )

  it.effect("update replaces the default mode as a whole, and --default none removes it", () =>
    Effect.gen(function* () {
      const before = { ...schedule, defaultMode: { operatingMode: "charge", maximumBatteryReserve: 80 } }
      const routes = { "GET /v1/schedules/*": () => before, "PATCH /v1/schedules/*": reply }
      const changed = yield* run(["schedules", "update", id, "--default", "idle"], { env, routes })
      expect(changed.requests.at(-1)?.body).toEqual({
        defaultMode: { operatingMode: "idle", maximumBatteryReserve: null }
      })
      const removed = yield* run(["schedules", "update", id, "--default", "none", "--rule", "sun 01:00-02:00 idle"], {
        env,
        routes
      })
      expect(removed.requests.at(-1)?.body).toEqual({
        defaultMode: null,
        rules: [{ daysOfWeek: [0], startTime: "01:00", endTime: "02:00", mode: { operatingMode: "idle" } }]
      })
      expect((yield* run(["schedules", "update", id], { env, routes })).code).toBe(2)
    })
  )

  it.effect("pause and resume set enabled; delete asks first", () =>
    Effect.gen(function* () {
      const routes = {
        "GET /v1/schedules/*": reply,
        "PATCH /v1/schedules/*": reply,
        "DELETE /v1/schedules/*": () => undefined
      }
      for (const [verb, enabled] of [
        ["pause", false],
        ["resume", true]
      ] as const) {
        const { requests } = yield* run(["schedules", verb, id], { env, routes })
        expect(requests[0]).toMatchObject({ method: "PATCH", body: { enabled } })
      }
      const refused = yield* run(["schedules", "delete", id], { env, routes })
      expect([refused.code, refused.requests.map(({ method }) => method)]).toEqual([2, ["GET"]])
      const { code, stdout } = yield* run(["schedules", "delete", id, "--yes"], { env, routes })
      expect([code, stdout]).toEqual([0, 'The schedule "Nights" is deleted.'])
    })
  )

  it.effect(
    "preview draws the week of a stored schedule or of flags, with the first transitions; csv and json have all",
    () =>
      Effect.gen(function* () {
        const transitions = Array.from({ length: 100 }, (_, rule) => ({
          at: moment,
          localTime: `2026-01-01T01:00:${String(rule % 60).padStart(2, "0")}+01:00`,
          mode: { operatingMode: "charge" },
          rule: rule % 2 === 0 ? 0 : null
        }))
        const routes = {
          "GET /v1/schedules/*": reply,
          "POST /v1/schedules/preview": () => ({ timezone: "Europe/Berlin", transitions })
        }
        const stored = yield* run(["schedules", "preview", id, "--from", "2026-03-08T00:00:00Z"], { env, routes })
        const { deviceType, timezone, defaultMode, rules } = schedule
        expect(stored.requests.at(-1)?.body).toEqual({
          deviceType,
          timezone,
          defaultMode,
          rules,
          from: "2026-03-08T00:00:00Z"
        })
        expect(stored.stdout.startsWith(week)).toBe(true)
        expect(stored.stdout.match(/2026-01-01T01/g)).toHaveLength(10)
        const given = [
          "--type",
          "battery",
          "--default",
          "idle",
          "--rule",
          "mon-fri 22:00-06:00 charge maximumBatteryReserve=90"
        ]
        const flags = yield* run(["schedules", "preview", ...given, "--all"], { env, routes })
        expect(flags.requests).toHaveLength(1)
        expect(flags.stdout.match(/2026-01-01T01/g)).toHaveLength(100)
        const csv = yield* run(["schedules", "preview", id, "--output", "csv"], { env, routes })
        expect(csv.stdout.split("\n")).toHaveLength(101)
      })
  )
})

describe("a rule's text", () => {
  it.effect.each([
    ["daily 00:00-00:00 reset", [0, 1, 2, 3, 4, 5, 6]],
    ["mon,sun 01:00-02:00 idle", [1, 0]],
    ["fri-sun 01:00-02:00 idle", [5, 6, 0]],
    ["tue-thu 01:00-02:00 charge enableGridInteraction=true", [2, 3, 4]]
  ] as const)("%s is read and written alike", ([text, daysOfWeek]) =>
    Effect.gen(function* () {
      const rule = yield* parseRule("battery", text)
      expect(rule.daysOfWeek).toEqual(daysOfWeek)
      expect(formatRule(rule)).toBe(text)
    })
  )

  it.effect.each([
    "mon 22:00 charge",
    "someday 22:00-06:00 charge",
    "mon-tue-wed 22:00-06:00 charge",
    "mon 22:00-06:00",
    "mon 22:00-06:00 start-charging",
    "mon 22:00-06:00 charge maximumBatteryReserve=much",
    ""
  ])("%s is refused before a request is sent", (text) =>
    Effect.gen(function* () {
      const exit = yield* Effect.flip(parseRule("battery", text))
      expect(exit).toMatchObject({ code: "USAGE", exitCode: 2 })
    })
  )
})

describe("the drawn week", () => {
  const rule = (startTime: string, endTime: string, mode: object) =>
    ({ daysOfWeek: [0], startTime, endTime, mode }) as never
  const plan = (...rules: ReadonlyArray<never>) => ({ timezone: "UTC", defaultMode: null, rules })
  const sunday = (drawn: string) => drawn.split("\n").find((line) => line.startsWith("Sun"))

  it("has a sign of its own for each mode, and the short rules too", () => {
    const heat = (heatTarget: number) => ({ operatingMode: "heat", heatTarget })
    const drawn = drawWeek(
      plan(
        rule("00:00", "01:00", heat(60)),
        rule("01:00", "01:05", heat(65)),
        rule("02:00", "02:30", heat(70)),
        rule("03:00", "03:30", heat(60))
      )
    )
    expect(sunday(drawn)).toBe(`Sun  HHh.1.H${".".repeat(41)}`)
    expect(drawn).toContain("  1  heat heatTarget=70")
    expect(drawn).toContain("no mode: the device stays as it is")
  })

  it("has hours where the terminal is narrow, and runs past the end of the week", () => {
    const drawn = drawWeek(plan(rule("23:00", "02:00", { operatingMode: "idle" })), 40)
    expect(drawn.split("\n")[0]).toBe("     00 03 06 09 12 15 18 21")
    expect(drawn.split("\n")[1]).toBe(`Mon  II${".".repeat(22)}`)
    expect(sunday(drawn)).toBe(`Sun  ${".".repeat(23)}I`)
  })
})
