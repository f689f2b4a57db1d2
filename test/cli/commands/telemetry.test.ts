import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { newKey, refusal, run } from "../fakeService.ts"
import { withFiles } from "../withFiles.ts"
import { fakePlatform } from "../telemetry/fakePlatform.ts"

const env = {
  EDP_URL: "http://service.test",
  EDP_KEY_SERVER: newKey("SERVER"),
  EDP_KEY_MANUFACTURER: newKey("MANUFACTURER")
}

const hours = (count: number) =>
  Array.from({ length: count }, (_, at) => {
    const start = new Date(Date.parse("2025-01-01T08:00:00Z") + at * 3_600_000).toISOString()
    return `${start},${300 + (at % 7) * 100},${(at % 5) * 200}`
  })
const home = (count: number) => ["interval_start,load_wh,solar_wh", ...hours(count), ""].join("\n")

const midsummer = TestClock.setTime(Date.parse("2026-06-21T00:00:00Z"))

const imports = (platform: ReturnType<typeof fakePlatform>, ...args: ReadonlyArray<string>) =>
  Effect.andThen(midsummer, run(["telemetry", "import", ...args], { env, routes: platform.routes }))

describe("edp telemetry import of homes", () => {
  it.effect("creates the site, the inverter and the meter, and sends every reading in batches of at most 1000", () =>
    withFiles({ "home_7.csv": home(1200) }, ([path = ""]) =>
      Effect.gen(function* () {
        const platform = fakePlatform()
        const result = yield* imports(platform, path, "--provision", "--json", "--timezone", "America/Los_Angeles")
        expect(result.code).toBe(0)
        expect(JSON.parse(result.stdout)).toMatchObject({ readings: 2402, accepted: 2402, duplicates: 0, refused: 0 })
        expect(platform.sites).toMatchObject([{ referenceId: "home_7", timezone: "America/Los_Angeles" }])
        expect(platform.devices).toMatchObject([
          { manufacturerDeviceId: "home_7-inverter", type: "inverter", referenceId: "home_7" },
          { manufacturerDeviceId: "home_7-meter", type: "meter", referenceId: "home_7" }
        ])
        expect(platform.devices.map(({ history }) => history.size)).toEqual([1201, 1201])
        expect(platform.pushes).toEqual([1000, 1000, 402])
      })
    )
  )

  it.effect("sends sites with the SERVER key, and devices and readings with the MANUFACTURER key", () =>
    withFiles({ "a.csv": home(2) }, ([path = ""]) =>
      Effect.gen(function* () {
        const { requests } = yield* imports(fakePlatform(), path, "--provision")
        const posts = requests.filter(({ method }) => method === "POST")
        expect(posts.map(({ key, path: at }) => [at, key])).toEqual([
          ["/v1/sites", env.EDP_KEY_SERVER],
          ["/devices", env.EDP_KEY_MANUFACTURER],
          ["/devices", env.EDP_KEY_MANUFACTURER],
          ["/devices/telemetry", env.EDP_KEY_MANUFACTURER]
        ])
      })
    )
  )

  it.effect("a second run adds nothing, sends nothing and reports that all is there", () =>
    withFiles({ "a.csv": home(50) }, ([path = ""]) =>
      Effect.gen(function* () {
        const platform = fakePlatform()
        yield* imports(platform, path, "--provision")
        const again = yield* imports(platform, path, "--json")
        expect(again.code).toBe(0)
        expect(JSON.parse(again.stdout)).toMatchObject({ accepted: 0, duplicates: 102, refused: 0 })
        expect(platform.pushes.length).toBe(1)
      })
    )
  )

  it.effect("continues after an interruption: existing readings are duplicates, the others are added", () =>
    withFiles({ "a.csv": home(50) }, ([path = ""]) =>
      Effect.gen(function* () {
        const platform = fakePlatform()
        yield* imports(platform, path, "--provision")
        const lost = [...(platform.devices[0]?.history.keys() ?? [])].slice(20, 31)
        for (const at of lost) platform.devices[0]?.history.delete(at)
        const again = yield* imports(platform, path, "--json")
        expect(JSON.parse(again.stdout)).toMatchObject({ accepted: 11, duplicates: 91 })
      })
    )
  )

  it.effect("without --provision reports a missing site with advice to pass it", () =>
    withFiles({ "a.csv": home(2) }, ([path = ""]) =>
      Effect.gen(function* () {
        const platform = fakePlatform()
        const result = yield* imports(platform, path)
        expect(result.code).toBe(1)
        expect(result.stderr).toContain("SITE_NOT_FOUND: There is no site with the reference a")
        expect(result.stderr).toContain("--provision")
        expect(result.requests.filter(({ method }) => method === "POST")).toEqual([])
      })
    )
  )

  it.effect("gives each file its own site, at --address if given", () =>
    withFiles({ "a.csv": home(1), "b.csv": home(1) }, (paths) =>
      Effect.gen(function* () {
        const platform = fakePlatform()
        yield* imports(platform, ...paths, "--provision")
        expect(new Set(platform.sites.map(({ address }) => JSON.stringify(address))).size).toBe(2)

        const other = fakePlatform()
        yield* imports(other, paths[0] ?? "", "--provision", "--address", "1 Capitol Mall, Sacramento, CA 95814")
        expect(other.sites).toMatchObject([{ address: { streetOne: "1 Capitol Mall", postalCode: "95814" } }])
        expect((yield* imports(other, ...paths, "--provision", "--address", "x, y, CA 1")).code).toBe(2)
      })
    )
  )

  it.effect(
    "reports every bad line with file, line, column and the expected value, and sends nothing of any file",
    () =>
      withFiles(
        {
          "good.csv": home(3),
          "bad.csv": home(5)
            .replace(",400,", ",4x0,")
            .replace(/,600,\d+/u, ",600,-2")
        },
        (paths) =>
          Effect.gen(function* () {
            const platform = fakePlatform()
            const result = yield* imports(platform, ...paths, "--provision")
            expect(result).toMatchObject({ code: 1, requests: [] })
            expect(result.stderr.split("\n")).toEqual([
              `CSV_INVALID: ${paths[1]} can't be imported`,
              `  ${paths[1]} line 3, column load_wh: takes a whole number of Wh from 0 to 10000000`,
              `  ${paths[1]} line 5, column solar_wh: takes a whole number of Wh from 0 to 10000000`
            ])
          })
      )
  )

  it.effect.each([
    ["an empty file", "", "has no readings"],
    ["a header alone", "interval_start,load_wh,solar_wh\n", "has no readings"],
    ["another header", "a,b\n1,2\n", "line 1, column header: takes interval_start,load_wh,solar_wh"],
    ["a picture", "\u0000\uFFFD\u0001", "takes text in UTF-8"]
  ] as const)("%s is rejected", ([, text, problem]) =>
    withFiles({ "a.csv": text }, ([path = ""]) =>
      Effect.gen(function* () {
        const result = yield* imports(fakePlatform(), path, "--provision")
        expect(result).toMatchObject({ code: 1, requests: [] })
        expect(result.stderr).toContain(problem)
      })
    )
  )

  it.effect("a missing file is reported by its name", () =>
    Effect.gen(function* () {
      const result = yield* imports(fakePlatform(), "/nowhere/home.csv", "--provision")
      expect(result.code).toBe(1)
      expect(result.stderr).toMatch(/^FILE_UNREADABLE: \/nowhere\/home\.csv/u)
    })
  )

  it.effect("accepts Windows line ends, a byte order mark and empty lines", () =>
    withFiles({ "a.csv": `\uFEFF${home(3).replaceAll("\n", "\r\n")}\r\n\r\n` }, ([path = ""]) =>
      Effect.gen(function* () {
        const result = yield* imports(fakePlatform(), path, "--provision", "--json")
        expect(JSON.parse(result.stdout)).toMatchObject({ accepted: 8 })
      })
    )
  )
})

describe("edp telemetry import of any device type", () => {
  const readings = [
    "device,timestamp,power,importedEnergy",
    "M-1,2025-06-21T12:00:00Z,1200,10",
    "M-2,2025-06-21T12:00:00Z,-300,",
    "M-1,2025-06-21T12:15:00Z,900,20"
  ].join("\n")

  it.effect("creates missing devices of --device-type at --site, and sends the non-empty cells", () =>
    withFiles({ "a.csv": home(1), "r.csv": readings }, ([a = "", r = ""]) =>
      Effect.gen(function* () {
        const platform = fakePlatform()
        yield* imports(platform, a, "--provision")
        const result = yield* imports(platform, r, "--provision", "--device-type", "meter", "--site", "a", "--json")
        expect(JSON.parse(result.stdout)).toMatchObject({ readings: 3, accepted: 3 })
        const [first, second] = platform.devices.slice(2)
        expect(first).toMatchObject({ manufacturerDeviceId: "M-1", siteId: platform.sites[0]?.id })
        expect([...(first?.history.values() ?? [])]).toMatchObject([
          { power: 1200, importedEnergy: 10 },
          { power: 900, importedEnergy: 20 }
        ])
        expect(Object.keys([...(second?.history.values() ?? [])][0] ?? {})).not.toContain("importedEnergy")
      })
    )
  )

  it.effect("reports a missing device with its lines, and sends nothing", () =>
    withFiles({ "r.csv": readings }, ([path = ""]) =>
      Effect.gen(function* () {
        const result = yield* imports(fakePlatform(), path)
        expect(result.code).toBe(1)
        expect(result.stderr).toContain("line 2, column device: there is no device M-1 of generic")
        expect(result.requests.filter(({ method }) => method === "POST")).toEqual([])
      })
    )
  )

  it.effect("reports a rejected reading by its line, and stores the others", () =>
    withFiles({ "a.csv": home(1), "r.csv": readings.replace("900", "666") }, ([a = "", r = ""]) =>
      Effect.gen(function* () {
        const platform = fakePlatform()
        yield* imports(platform, a, "--provision")
        const result = yield* imports(platform, r, "--provision", "--device-type", "meter", "--site", "a", "--json")
        expect(result.code).toBe(1)
        expect(JSON.parse(result.stdout)).toMatchObject({ accepted: 2, refused: 1, files: [{ errors: [{ line: 4 }] }] })
        expect(result.stderr).toContain(`${r} line 4: VALIDATION_ERROR: No such power`)
      })
    )
  )

  it.effect("an import that the service interrupts prints how much was stored and that it can be continued", () =>
    withFiles({ "a.csv": home(600) }, ([path = ""]) =>
      Effect.gen(function* () {
        yield* midsummer
        const platform = fakePlatform()
        let pushes = 0
        const push = platform.routes["POST /devices/telemetry"]!
        const routes = {
          ...platform.routes,
          "POST /devices/telemetry": (request: Parameters<typeof push>[0]) =>
            pushes++ === 0 ? push(request) : refusal(401, "UNAUTHENTICATED")
        }
        const result = yield* run(["telemetry", "import", path, "--provision"], { env, routes })
        expect(result.code).toBe(1)
        expect(result.stderr).toContain("UNAUTHENTICATED")
        expect(result.stderr).toContain("1000 readings were stored. Run the same command again to continue")
      })
    )
  )
})
