import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { CliOutput } from "effect/cli"
import { newKey, page, refusal, run } from "../fakeService.ts"

const env = {
  EDP_KEY_MANAGEMENT: newKey("MANAGEMENT"),
  EDP_KEY_SERVER: newKey("SERVER"),
  EDP_URL: "http://service.test"
}
const id = "cmj2k8x4a0q3v7n1r5t9w2y6b"
const moment = "2026-01-01T00:00:00.000Z"
const workspace = {
  id,
  organizationId: id,
  name: 'Pilot, "north"',
  deletionProtection: false,
  logoUrl: null,
  accentColor: null,
  contactEmail: null,
  contactPhone: null,
  contactUrl: null,
  temperatureUnit: "F",
  distanceUnit: "mi",
  connectRedirects: [],
  pausedAt: null,
  timezone: "UTC",
  createdAt: moment,
  updatedAt: moment
}
const alert = {
  id,
  workspaceId: id,
  externalId: null,
  siteId: id,
  deviceId: id,
  title: "The inverter on the roof of the old barn behind the house has not answered for three days",
  description: null,
  severity: "CRITICAL",
  status: "ACKNOWLEDGED",
  type: "COMMUNICATIONS",
  subtype: null,
  alertType: null,
  providerName: null,
  providerCode: null,
  sourceSystem: "night-watch",
  occurrenceCount: 1,
  lastOccurredAt: moment,
  createdAt: moment,
  updatedAt: moment,
  acknowledgedAt: null,
  ignoredAt: null,
  resolvedAt: null,
  acknowledgedBy: null,
  ignoredBy: null,
  resolvedBy: null,
  snoozedUntil: null,
  manufacturer: null,
  manufacturerDeviceId: null,
  deviceName: "Inverter on the roof of the old barn",
  deviceType: null,
  deviceModel: null,
  deviceSerialNumber: null
}
const routes = { "GET /v1/workspaces": () => page([workspace]), "GET /v1/alerts": () => page([alert]) }
const listing = (...args: ReadonlyArray<string>) => run(["workspaces", "list", ...args], { env, routes })

describe("the output of a command", () => {
  it.effect("is a table of a few columns, and of all with --wide", () =>
    Effect.gen(function* () {
      const titles = (text: string) => text.split("\n")[0]!.split(/ {2,}/u)
      expect(titles((yield* listing()).stdout)).toEqual(["ID", "NAME", "TIMEZONE", "PROTECTED"])
      expect(titles((yield* listing("--wide")).stdout)).toEqual(["ID", "NAME", "TIMEZONE", "PROTECTED", "CREATED"])
    })
  )

  it.effect("with --output csv is a header and one line per row, with all columns and full values", () =>
    Effect.gen(function* () {
      const { stderr, stdout } = yield* listing("--output", "csv")
      expect(stdout).toBe(`id,name,timezone,protected,created\n${id},"Pilot, ""north""",UTC,no,${moment}`)
      expect(stderr).toBe("workspaces: page 1 of 1, 1 in all")
    })
  )

  it.effect("with --output csv of one record is its fields", () =>
    Effect.gen(function* () {
      const shown = yield* run(["workspaces", "show", id, "--output", "csv"], {
        env,
        routes: { "GET /v1/workspaces/*": () => workspace }
      })
      expect(shown.stdout.split("\n")).toEqual([
        "id,name,timezone,deletion_protection,logo,accent_colour,contact_e-mail,contact_phone,contact_page,temperature_unit,distance_unit,connect_redirects,organization,paused,created,updated",
        `${id},"Pilot, ""north""",UTC,off,,,,,,F,mi,,${id},,${moment},${moment}`
      ])
    })
  )

  it.effect("is the same document with --json and with --output json", () =>
    Effect.gen(function* () {
      expect((yield* listing("--output", "json")).stdout).toBe((yield* listing("--json")).stdout)
    })
  )

  it.effect("is no wider than COLUMNS, also without a terminal", () =>
    Effect.gen(function* () {
      const { stdout } = yield* run(["alerts", "list"], { env: { ...env, COLUMNS: "80" }, routes })
      const widths = stdout.split("\n").map((line) => CliOutput.displayWidth(line))
      expect(Math.max(...widths)).toBeLessThanOrEqual(80)
      expect(stdout).toContain(id)
      const whole = yield* run(["alerts", "list"], { env, routes })
      expect(whole.stdout).toContain(alert.title)
    })
  )
})

describe("an error with --json", () => {
  const parseError = ({ stderr, stdout }: { readonly stderr: string; readonly stdout: string }) => {
    expect(stdout).toBe("")
    return JSON.parse(stderr)
  }

  it.effect("is one line on standard error with code and details, for an error of the service", () =>
    Effect.gen(function* () {
      const result = yield* run(["workspaces", "create", "--name", "x", "--json"], {
        env,
        routes: {
          "POST /v1/workspaces": () => refusal(400, "VALIDATION_ERROR", { details: { name: "Must be longer" } })
        }
      })
      expect(result.code).toBe(1)
      expect(parseError(result)).toEqual({
        code: "VALIDATION_ERROR",
        message: "VALIDATION_ERROR it is",
        details: ["name: Must be longer"]
      })
    })
  )

  it.effect.each([
    ["an unknown command", ["nope", "--json"]],
    ["an unknown flag", ["workspaces", "list", "--pgae", "1", "--json"]],
    ["a missing command", ["workspaces", "--json"]],
    ["a value out of range", ["workspaces", "list", "--page", "0", "--output", "json"]],
    ["flags that contradict each other", ["workspaces", "list", "--all", "--page", "2", "--output=json"]],
    ["two formats at once", ["workspaces", "list", "--json", "--output", "csv"]]
  ] as const)("is also printed for a usage error: %s", ([, args]) =>
    Effect.gen(function* () {
      const result = yield* run(args, { env, routes })
      expect(result.code).toBe(2)
      expect(parseError(result)).toMatchObject({ code: "USAGE", message: expect.any(String) })
    })
  )
})

describe("a command without columns", () => {
  it.effect.each([
    ["edp api", ["api", "GET", "/v1/sites"]],
    ["edp devices watch", ["devices", "watch", "roof"]],
    ["edp events tail", ["events", "tail"]],
    ["edp listen", ["listen"]]
  ] as const)("rejects --output csv and lists the accepted formats: %s", ([command, args]) =>
    Effect.gen(function* () {
      const { code, requests, stderr, stdout } = yield* run([...args, "--output", "csv"], { env })
      expect({ code, requests, stdout }).toEqual({ code: 2, requests: [], stdout: "" })
      expect(stderr).toBe(`USAGE: ${command} takes --output table or json, not csv`)
    })
  )
})
