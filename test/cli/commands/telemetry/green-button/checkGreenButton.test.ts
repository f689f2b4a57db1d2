import { writeFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { newKey, run as runCli } from "../../../fakeService.ts"
import { fakePlatform } from "../../../telemetry/fakePlatform.ts"
import {
  greenButtonFeed,
  meterId,
  RECEIVED,
  run,
  seconds
} from "../../../../adapter-kit/green-button/greenButtonFeed.ts"
import { withFiles } from "../../../withFiles.ts"

const env = {
  EDP_URL: "http://service.test",
  EDP_KEY_SERVER: newKey("SERVER"),
  EDP_KEY_MANUFACTURER: newKey("MANUFACTURER")
}

const imports = (platform: ReturnType<typeof fakePlatform>, ...args: ReadonlyArray<string>) =>
  Effect.andThen(
    TestClock.setTime(Date.parse("2026-06-21T00:00:00Z")),
    runCli(["telemetry", "import", ...args], { env, routes: platform.routes })
  )

const ADDRESS = "1 Capitol Mall, Sacramento, CA 95814"
const created = ["--provision", "--address", ADDRESS]

const midnight = seconds("2025-06-21T07:00:00Z")
const quarters = run(midnight, 900, Array<number>(96).fill(100))
const usage = greenButtonFeed({ name: "01", title: "Kitchen", series: [{ blocks: [quarters] }] })
const two = greenButtonFeed(
  { name: "01", title: "House", series: [{ blocks: [quarters] }] },
  { name: "02", title: "Barn", series: [{ blocks: [quarters.slice(0, 4)] }] },
  { name: "03", title: "Stove", kind: 1, series: [{ type: { commodity: 7, uom: 169 }, blocks: [quarters] }] }
)

describe("edp telemetry import of a Green Button file", () => {
  it.effect("creates the meter of the usage point at a site of the file's name, and sends its readings", () =>
    withFiles({ "usage.xml": usage }, ([path = ""]) =>
      Effect.gen(function* () {
        const platform = fakePlatform()
        const result = yield* imports(platform, path, ...created, "--timezone", "America/Los_Angeles", "--json")
        expect(result.code, result.stderr).toBe(0)
        expect(JSON.parse(result.stdout)).toMatchObject({
          files: [{ form: "green-button", devices: [{ manufacturerDeviceId: meterId("01"), type: "meter" }] }],
          readings: 192,
          accepted: 192,
          refused: 0
        })
        expect(platform.sites).toMatchObject([{ referenceId: "usage", timezone: "America/Los_Angeles" }])
        expect(platform.devices[0]?.history.get("2025-06-21T07:14:59.999Z")).toMatchObject({ power: 400 })
      })
    )
  )

  it.effect("a second run sends nothing, and the next download continues the same meter", () =>
    withFiles(
      {
        "june.xml": usage,
        "july.xml": greenButtonFeed({
          name: "01",
          series: [{ blocks: [quarters.slice(90), run(midnight + 86_400, 900, [25, 50])] }]
        })
      },
      ([june = "", july = ""]) =>
        Effect.gen(function* () {
          const platform = fakePlatform()
          yield* imports(platform, june, ...created)
          const again = yield* imports(platform, june, "--json")
          expect(JSON.parse(again.stdout)).toMatchObject({ accepted: 0, duplicates: 192 })
          expect(again.stderr).toContain("june: all 192 readings are already stored")
          expect(platform.pushes).toEqual([192])

          const next = yield* imports(platform, july, "--json")
          expect(JSON.parse(next.stdout), next.stderr).toMatchObject({ accepted: 4, duplicates: 12 })
          expect(platform.devices).toHaveLength(1)
          expect(platform.devices[0]?.history.size).toBe(196)
        })
    )
  )

  it.effect("continues after an interruption: existing readings are duplicates, the others are added", () =>
    withFiles({ "usage.xml": usage }, ([path = ""]) =>
      Effect.gen(function* () {
        const platform = fakePlatform()
        yield* imports(platform, path, ...created)
        const history = platform.devices[0]!.history
        for (const at of [...history.keys()].slice(20, 31)) history.delete(at)
        const again = yield* imports(platform, path, "--json")
        expect(JSON.parse(again.stdout)).toMatchObject({ accepted: 11, duplicates: 181 })
      })
    )
  )

  it.effect("merges both directions of a usage point into one meter", () =>
    withFiles(
      {
        "usage.xml": greenButtonFeed({
          name: "01",
          series: [
            { blocks: [run(midnight, 900, [100, 0])] },
            { type: RECEIVED, blocks: [run(midnight, 900, [0, 250])] }
          ]
        })
      },
      ([path = ""]) =>
        Effect.gen(function* () {
          const platform = fakePlatform()
          yield* imports(platform, path, ...created)
          const powers = [...(platform.devices[0]?.history.values() ?? [])].map((state) => Object.entries(state)[0])
          expect(powers).toEqual([400, 400, -1000, -1000].map((power) => ["power", power]))
        })
    )
  )

  it.effect("several usage points of electricity are listed, and --usage-point chooses one", () =>
    withFiles({ "usage.xml": two }, ([path = ""]) =>
      Effect.gen(function* () {
        const platform = fakePlatform()
        const unclear = yield* imports(platform, path, ...created)
        expect(unclear).toMatchObject({ code: 2, requests: [] })
        expect(unclear.stderr.split("\n")).toEqual([
          `USAGE: ${path} has several usage points: choose one with --usage-point`,
          '  UsagePoint 01 "House": electricity, with intervals',
          '  UsagePoint 02 "Barn": electricity, with intervals'
        ])
        const barn = yield* imports(platform, path, ...created, "--usage-point", "02", "--json")
        expect(JSON.parse(barn.stdout)).toMatchObject({ readings: 8, accepted: 8 })
        expect(platform.devices).toMatchObject([{ manufacturerDeviceId: meterId("02") }])
        const unknown = yield* imports(platform, path, ...created, "--usage-point", "09")
        expect(unknown).toMatchObject({ code: 2 })
        expect(unknown.stderr).toContain("has no usage point 09")
      })
    )
  )

  it.effect("gas is refused by its usage point, alone and when it is named", () =>
    withFiles(
      {
        "gas.xml": greenButtonFeed({
          name: "03",
          kind: 1,
          title: "Stove",
          series: [{ type: { commodity: 7, uom: 169 }, blocks: [quarters] }]
        }),
        "both.xml": two
      },
      ([gas = "", both = ""]) =>
        Effect.gen(function* () {
          const problem = 'UsagePoint 03 "Stove": gas, with intervals: takes electricity, with intervals'
          for (const args of [[gas], [both, "--usage-point", "03"]]) {
            const result = yield* imports(fakePlatform(), ...args, ...created)
            expect(result).toMatchObject({ code: 1, requests: [] })
            expect(result.stderr).toMatch(/^GREEN_BUTTON_INVALID: /u)
            expect(result.stderr).toContain(problem)
          }
        })
    )
  )

  it.effect("adds the readings to the meter that --device names", () =>
    withFiles({ "a.xml": usage, "b.xml": two }, ([a = "", b = ""]) =>
      Effect.gen(function* () {
        const platform = fakePlatform()
        yield* imports(platform, a, ...created, "--device", "M-1", "--site", "home")
        expect(platform.sites).toMatchObject([{ referenceId: "home" }])
        const result = yield* imports(platform, b, "--usage-point", "01", "--device", "M-1", "--json")
        expect(JSON.parse(result.stdout)).toMatchObject({ accepted: 0, duplicates: 192 })
        expect(platform.devices).toMatchObject([{ manufacturerDeviceId: "M-1", type: "meter" }])
      })
    )
  )

  it.effect("reports intervals and series that are left out, and short gaps", () =>
    withFiles(
      {
        "usage.xml": greenButtonFeed({
          name: "01",
          series: [
            { blocks: [quarters.map((reading, at) => (at === 8 || at === 9 ? { ...reading, quality: 9 } : reading))] },
            { type: { uom: 73 }, blocks: [quarters] }
          ]
        })
      },
      ([path = ""]) =>
        Effect.gen(function* () {
          const result = yield* imports(fakePlatform(), path, ...created)
          expect(result.code).toBe(0)
          expect(result.stderr.split("\n").slice(0, 3)).toEqual([
            `${path}: left out MeterReading/2: uom 73 is neither Wh (72) nor W (38)`,
            `${path}: left out 2 intervals: estimated`,
            `${path}: 1 gap of less than 90 minutes; metrics connect the power at both ends`
          ])
        })
    )
  )

  it.effect("reports all invalid intervals by line and element, and sends nothing of any file", () =>
    withFiles(
      {
        "good.xml": usage,
        "bad.xml": usage.replace(/<start>\d+<\/start><\/timePeriod>/u, "<start>12</start></timePeriod>")
      },
      ([good = "", bad = ""]) =>
        Effect.gen(function* () {
          const result = yield* imports(fakePlatform(), good, bad, ...created)
          expect(result).toMatchObject({ code: 1, requests: [] })
          const [title, problem] = result.stderr.split("\n")
          expect(title).toBe(`GREEN_BUTTON_INVALID: ${bad} can't be imported`)
          expect(problem).toMatch(/bad\.xml line \d+, element timePeriod\/start: takes seconds since 1970/u)
        })
    )
  )

  it.effect.each([
    [
      "customers",
      '<feed xmlns="http://www.w3.org/2005/Atom"><entry><content><Customer xmlns="http://naesb.org/espi/customer"/></content></entry></feed>',
      "has the data of a customer and no usage"
    ],
    [
      "no intervals",
      '<feed xmlns="http://www.w3.org/2005/Atom"/>',
      "has no intervals: takes a download with UsagePoint"
    ],
    ["a web page", "<!DOCTYPE html><html></html>", "line 1: the file is a web page"],
    ["half a download", usage.slice(0, 5000), "it is incomplete; download it again"]
  ] as const)("a file with %s is rejected", ([, text, problem]) =>
    withFiles({ "usage.xml": text }, ([path = ""]) =>
      Effect.gen(function* () {
        const result = yield* imports(fakePlatform(), path, ...created)
        expect(result).toMatchObject({ code: 1, requests: [] })
        expect(result.stderr).toContain(problem)
      })
    )
  )

  it.effect("a file in which nothing was measured is rejected with the reasons", () =>
    withFiles(
      {
        "usage.xml": greenButtonFeed({
          name: "01",
          series: [
            { type: { defaultQuality: 8 }, blocks: [quarters] },
            { type: { uom: 73 }, blocks: [quarters] }
          ]
        })
      },
      ([path = ""]) =>
        Effect.gen(function* () {
          const result = yield* imports(fakePlatform(), path, ...created)
          expect(result).toMatchObject({ code: 1, requests: [] })
          expect(result.stderr.split("\n")).toEqual([
            `GREEN_BUTTON_INVALID: ${path} has no measured interval of electricity that can be used`,
            `  ${path}: left out MeterReading/2: uom 73 is neither Wh (72) nor W (38)`,
            `  ${path}: left out 96 intervals: estimated`
          ])
        })
    )
  )

  it.effect("a file in another encoding is rejected", () =>
    withFiles({ "usage.xml": "" }, ([path = ""]) =>
      Effect.gen(function* () {
        writeFileSync(path, Buffer.from(usage.replace("Kitchen", "K\u00FCche"), "latin1"))
        const result = yield* imports(fakePlatform(), path, ...created)
        expect(result).toMatchObject({ code: 1, requests: [] })
        expect(result.stderr).toContain(`${path} takes text in UTF-8`)
      })
    )
  )

  it.effect("an XML file without that extension is recognised", () =>
    withFiles({ download: `\uFEFF${usage}` }, ([path = ""]) =>
      Effect.gen(function* () {
        const result = yield* imports(fakePlatform(), path, ...created, "--json")
        expect(JSON.parse(result.stdout)).toMatchObject({ accepted: 192 })
      })
    )
  )

  it.effect("a new meter needs --provision, and a site or an address", () =>
    withFiles({ "usage.xml": usage }, ([path = ""]) =>
      Effect.gen(function* () {
        const without = yield* imports(fakePlatform(), path)
        expect(without.code).toBe(1)
        expect(without.stderr).toContain(`DEVICE_NOT_FOUND: There is no device ${meterId("01")} of generic`)
        const homeless = yield* imports(fakePlatform(), path, "--provision")
        expect(homeless.code).toBe(1)
        expect(homeless.stderr).toContain("SITE_NOT_FOUND: There is no site with the reference usage")
        expect(homeless.stderr).toContain("--address")
      })
    )
  )

  it.effect("--usage-point and --device are refused for CSV files", () =>
    withFiles({ "a.csv": "device,timestamp,power\nM-1,2025-06-21T12:00:00Z,1\n" }, ([path = ""]) =>
      Effect.gen(function* () {
        const result = yield* imports(fakePlatform(), path, "--device", "M-1")
        expect(result).toMatchObject({ code: 2, requests: [] })
        expect(result.stderr).toContain("--usage-point and --device are for files of Green Button")
      })
    )
  )
})
