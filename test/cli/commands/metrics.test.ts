import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { metricCsv } from "@edp/domain/metrics/MetricSeries"
import type { MetricName } from "@edp/domain/metrics/Metric"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { errorText, newKey, page, refusal, run as runCli, type Routes, type SeenRequest } from "../fakeService.ts"
import { withFiles } from "../withFiles.ts"
import { metricResponse } from "../metrics/someSeries.ts"

const env = { EDP_KEY_SERVER: newKey("SERVER"), EDP_URL: "http://service.test" }
const site = { id: "cmj2k8x4a0q3v7n1r5t9w2y61", name: "Home of Ada" }
const other = { id: "cmj2k8x4a0q3v7n1r5t9w2y62", name: "Workshop" }

const record = ({ id, name }: typeof site) => ({
  id,
  name,
  workspaceId: id,
  referenceId: name.toLowerCase(),
  address: { streetOne: "1 Main Street", city: "Fontana", state: "CA", postalCode: "92335", country: "USA" },
  location: null,
  timezone: "America/Los_Angeles",
  tags: [],
  customerIds: [],
  deviceCount: 2,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z"
})

const day = [0, 120, 2400.5, 800, -1200, null]

/** A service with sites that returns the same values for every metric over the requested span. */
const service: Routes = {
  "GET /v1/sites": ({ query }) =>
    page([site, other].filter(({ name }) => name.toLowerCase() === query["referenceId"]).map(record)),
  "GET /v1/sites/*": ({ path }) => record(path.endsWith(site.id) ? site : other),
  "GET /v1/metrics/*": ({ path, query }) => {
    const { from = "2025-06-21T07:00:00.000Z", groupBy, period = "hour", timezone = "America/Los_Angeles" } = query
    const metric = path.slice("/v1/metrics/".length) as MetricName
    const values = query["from"] !== undefined && query["from"] === query["to"] ? [] : day
    const one = metricResponse(metric, values, { from, timezone, period: period as "hour" })
    if (groupBy !== "site") return one
    return { ...one, data: [site, other].flatMap(({ id }) => one.data.map((point) => ({ ...point, siteId: id }))) }
  }
}
const run = (args: ReadonlyArray<string>, routes = service) => runCli(["metrics", ...args], { env, routes })

const asked = (requests: ReadonlyArray<SeenRequest>) =>
  requests
    .filter(({ path }) => path.startsWith("/v1/metrics/"))
    .map(({ path, query }) => [path.split("/").at(-1), query])

describe("edp metrics list", () => {
  it.effect("shows the catalogue, with the first sentence of each description", () =>
    Effect.gen(function* () {
      const metric = {
        name: "grid",
        description: "Energy at the grid connection, Wh: positive imports. Of a site by its meters",
        unit: "Wh",
        deviceTypes: ["meter"],
        aggregation: "sum"
      }
      const routes = { "GET /v1/metrics": () => page([metric]) }
      const { stdout } = yield* run(["list"], routes)
      expect(stdout.split("\n")[1]).toBe(
        "grid    Wh    meter         Energy at the grid connection, Wh: positive imports"
      )
      expect(JSON.parse((yield* run(["list", "--json"], routes)).stdout)).toEqual(page([metric]))
    })
  )
})

describe("edp metrics show", () => {
  it.effect("shows buckets in their time zone, with bars around zero, and their sum", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* run(["show", "grid", "--site", "home of ada"])
      expect([code, stderr]).toEqual([0, ""])
      const lines = stdout.split("\n")
      expect(lines[0]).toBe("grid, Home of Ada, June 21, 2025 at 00:00 to June 21, 2025 at 06:00 (America/Los_Angeles)")
      expect(lines[2]).toMatch(/^HOUR +grid kWh +COVERAGE$/u)
      expect(lines[5]).toMatch(/^2025-06-21 02:00-07:00 +2\.401 +100 % {2} {13}█{26,27}/u)
      expect(lines[7]).toMatch(/^2025-06-21 04:00-07:00 +-1\.200 +100 % {2}█{13}$/u)
      expect(lines[8]).toMatch(/^2025-06-21 05:00-07:00 +- +0 %$/u)
      expect(lines.at(-1)).toBe("grid  2.121 kWh, coverage 83.3 %")
    })
  )

  it.effect("shows several metrics side by side, over the span of the first response", () =>
    Effect.gen(function* () {
      const { requests, stdout } = yield* run(["show", "load", "generation", "--timeframe", "1h"])
      expect(stdout.split("\n")[2]).toMatch(/^HOUR +load kWh +generation kWh +COVERAGE$/u)
      const { from, to } = metricResponse("load", day).meta
      expect(asked(requests)).toEqual([
        ["load", { timeframe: "1h" }],
        ["generation", { from, to, period: "hour", timezone: "America/Los_Angeles" }]
      ])
    })
  )

  it.effect("draws curves with --plot", () =>
    Effect.gen(function* () {
      const { stdout } = yield* run(["show", "grid", "--plot"])
      expect(stdout).toContain("kWh")
      expect(stdout).toMatch(/-2 [┤└]/u)
      expect(stdout).toMatch(/[\u2801-\u28FF]{6}/u)
      expect(stdout).not.toContain("COVERAGE")
    })
  )

  it.effect("prints the response of the API with --json; a list for several metrics", () =>
    Effect.gen(function* () {
      const one = yield* run(["show", "grid", "--json"])
      expect(JSON.parse(one.stdout)).toEqual(metricResponse("grid", day))
      const two = yield* run(["show", "grid", "load", "--json"])
      expect(JSON.parse(two.stdout)).toEqual([metricResponse("grid", day), metricResponse("load", day)])
    })
  )

  it.effect("prints the CSV of the API with --csv", () =>
    Effect.gen(function* () {
      const { stdout } = yield* run(["show", "grid", "--csv"])
      expect(`${stdout}\r\n`).toBe(metricCsv(metricResponse("grid", day)))
    })
  )

  it.effect("shows a series for each site by its name", () =>
    Effect.gen(function* () {
      const { requests, stdout } = yield* run(["show", "load", "--group-by", "site"])
      expect(stdout.split("\n")[2]).toMatch(/^HOUR +Home of Ada kWh +Workshop kWh +COVERAGE$/u)
      expect(asked(requests)).toEqual([["load", { groupBy: "site" }]])
    })
  )

  it.effect("reports an empty result, and refuses to draw a chart of it", () =>
    Effect.gen(function* () {
      const none = { ...service, "GET /v1/metrics/*": () => metricResponse("load", []) }
      const shown = yield* run(["show", "load"], none)
      expect([shown.code, shown.stdout.slice(0, 24)]).toEqual([0, "There is nothing to show"])
      const refused = yield* run(["show", "load", "--svg", "never.svg"], none)
      expect([refused.code, refused.stderr.split(":")[0]]).toEqual([1, "NOTHING_TO_SHOW"])
    })
  )
})

describe("the span of edp metrics show", () => {
  const zone = { timezone: "America/Los_Angeles" }

  it.effect.each([
    [["--day", "2025-03-09"], { from: "2025-03-09T08:00:00.000Z", to: "2025-03-10T07:00:00.000Z", period: "hour" }],
    [["--month", "2025-11"], { from: "2025-11-01T07:00:00.000Z", to: "2025-12-01T08:00:00.000Z", period: "day" }],
    [["--year", "2025"], { from: "2025-01-01T08:00:00.000Z", to: "2026-01-01T08:00:00.000Z", period: "month" }],
    [
      ["--from", "2025-06-21", "--to", "2025-06-23"],
      { from: "2025-06-21T07:00:00.000Z", to: "2025-06-23T07:00:00.000Z" }
    ],
    [
      ["--year", "2025", "--period", "week"],
      { from: "2025-01-01T08:00:00.000Z", to: "2026-01-01T08:00:00.000Z", period: "week" }
    ]
  ] as const)("%j uses the time zone that the service would choose", ([flags, query]) =>
    Effect.gen(function* () {
      const { code, requests } = yield* run(["show", "load", ...flags])
      expect(code).toBe(0)
      const instant = "1970-01-01T00:00:00.000Z"
      const first = asked(requests)[0]
      expect(first).toEqual(["load", { from: instant, to: instant }])
      expect(asked(requests).at(-1)).toEqual(["load", query])
    })
  )

  it.effect("uses the given time zone, without a further request", () =>
    Effect.gen(function* () {
      const { requests } = yield* run(["show", "load", "--day", "2025-06-21", "--timezone", "America/Los_Angeles"])
      const span = { from: "2025-06-21T07:00:00.000Z", to: "2025-06-22T07:00:00.000Z", period: "hour" }
      expect(asked(requests)).toEqual([["load", { ...span, ...zone }]])
    })
  )

  it.effect("ends now if the rest of the year is in the future", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-21T12:00:00Z"))
      const { requests } = yield* run(["show", "load", "--year", "2026", "--timezone", "UTC"])
      expect(asked(requests)[0]?.[1]).toMatchObject({ to: "2026-11-21T12:00:00.000Z" })
    })
  )

  it.effect("is passed on unchanged if it is not a day", () =>
    Effect.gen(function* () {
      const span = { from: "2025-06-21T00:00:00+02:00", to: "2025-06-22T00:00:00Z" }
      const { requests } = yield* run(["show", "load", "--from", span.from, "--to", span.to])
      expect(asked(requests)).toEqual([["load", span]])
    })
  )

  it.effect.each([
    ["--day", "2025-02-30"],
    ["--day", "2025"],
    ["--month", "2025-13"],
    ["--year", "25"],
    ["--from", "2025-02-30"]
  ] as const)("%s %s is rejected", ([flag, value]) =>
    Effect.gen(function* () {
      const { code, stderr } = yield* run(["show", "load", flag, value])
      expect([code, stderr.split(":")[0]]).toEqual([2, "USAGE"])
      expect(stderr).toContain(`${flag} takes YYYY`)
    })
  )
})

describe("edp metrics show reports", () => {
  it.effect.each([
    [["--day", "2025-06-21", "--year", "2025"]],
    [["--timeframe", "7d", "--from", "2025-06-21"]],
    [["--csv", "--json"]],
    [["--csv", "--plot"]],
    [["--title", "A year"]],
    [["--timezone", "Mars/Olympus"]],
    [["--period", "decade"]],
    [["generation", "--csv"]],
    [["generation", "--group-by", "site"]]
  ] as const)("%j as a usage error, before any request", ([flags]) =>
    Effect.gen(function* () {
      const { code, requests, stderr } = yield* run(["show", "load", ...flags])
      expect([code, requests, errorText(stderr).slice(0, 6)]).toEqual([2, [], "USAGE:"])
    })
  )

  it.effect("an error of the API, with its code and details", () =>
    Effect.gen(function* () {
      const routes = {
        "GET /v1/metrics/*": () =>
          refusal(400, "VALIDATION_ERROR", { details: { period: "Makes 8,760 points: ask for day" } })
      }
      const { code, stderr } = yield* run(["show", "load", "--period", "15m", "--timeframe", "1y"], routes)
      expect([code, stderr.split("\n")]).toEqual([
        1,
        ["VALIDATION_ERROR: VALIDATION_ERROR it is", "  period: Makes 8,760 points: ask for day"]
      ])
    })
  )

  it.effect("an unknown site, before it requests a metric", () =>
    Effect.gen(function* () {
      const { code, requests, stderr } = yield* run(["show", "load", "--site", "nowhere"])
      expect([code, stderr, asked(requests)]).toEqual([
        1,
        "SITE_NOT_FOUND: There is no site with the id, referenceId or name nowhere",
        []
      ])
    })
  )
})

describe("the files of edp metrics show", () => {
  it.effect("are charts as SVG and as PNG, and replace the table", () =>
    withFiles({ "old.svg": "what was there before" }, ([svg = ""]) =>
      Effect.gen(function* () {
        const png = join(svg, "..", "new.png")
        const args = ["show", "grid", "load", "--svg", svg, "--png", png, "--title", "A morning at Ada's"]
        const { code, stderr, stdout } = yield* run(args)
        expect([code, stdout, stderr]).toEqual([0, "", `wrote ${svg}\nwrote ${png}`])
        const drawn = readFileSync(svg, "utf8")
        expect(drawn.startsWith("<svg ")).toBe(true)
        expect(drawn).toContain("A morning at Ada")
        expect(readFileSync(png).subarray(1, 4).toString()).toBe("PNG")
      })
    )
  )

  it.effect("are written besides the JSON document", () =>
    withFiles({ "chart.svg": "" }, ([svg = ""]) =>
      Effect.gen(function* () {
        const { stdout } = yield* run(["show", "grid", "--svg", svg, "--json"])
        expect(JSON.parse(stdout)).toEqual(metricResponse("grid", day))
        expect(readFileSync(svg, "utf8")).toContain("</svg>")
      })
    )
  )

  it.effect("are named when they can't be written", () =>
    withFiles({ "a-file": "" }, ([file = ""]) =>
      Effect.gen(function* () {
        const path = join(file, "..", "nowhere", "chart.svg")
        const { code, stderr } = yield* run(["show", "grid", "--svg", path])
        expect([code, stderr.startsWith(`FILE_UNWRITABLE: ${path}`), existsSync(path)]).toEqual([1, true, false])
      })
    )
  )

  it.effect("show at most twelve series", () =>
    Effect.gen(function* () {
      const ids = Array.from({ length: 13 }, (_, n) => `cmj2k8x4a0q3v7n1r5t9w2y${10 + n}`)
      const one = metricResponse("load", day)
      const routes = {
        ...service,
        "GET /v1/metrics/*": () => ({
          ...one,
          data: ids.flatMap((siteId) => one.data.map((point) => ({ ...point, siteId })))
        })
      }
      const { code, stderr } = yield* run(["show", "load", "--group-by", "site", "--svg", "never.svg"], routes)
      expect([code, stderr.split("\n")[0], existsSync("never.svg")]).toEqual([
        1,
        "TOO_MANY_SERIES: A chart shows at most 12 series, but there are 13",
        false
      ])
    })
  )
})
