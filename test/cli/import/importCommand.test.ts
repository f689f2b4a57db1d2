import { existsSync, readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { newKey, run } from "../fakeService.ts"
import { withFiles } from "../withFiles.ts"
import { fakeBulk } from "./fakeBulk.ts"
import { HEADER, importing, journalPath, reportPath, siteLine, sitesFile, statuses } from "./importing.ts"

/** Neither a service nor a key. */
const dry = (...args: ReadonlyArray<string>) => run(["sites", "import", ...args, "--dry-run"])

describe("a file to import", () => {
  it.effect.each([
    ["with a column that is not known", `${HEADER},nmae\n`, '"nmae" is an unknown column; --ignore-unknown ignores it'],
    ["with a column twice", `${HEADER},name\n`, '"name" is repeated'],
    ["without a column that every row needs", "name,city\nHome,Sacramento\n", '"streetOne" is missing'],
    ["separated by others than commas", HEADER.replaceAll(",", ";"), "Pass --delimiter semicolon."],
    ["with an unclosed quote in its header", '"name\n', "takes a closing quote before the next comma"],
    ["without a row", `${HEADER}\n`, "has no rows"],
    ["that is empty", "", "has no rows"]
  ] as const)("%s is rejected before anything is sent", ([, text, expected]) =>
    withFiles({ "sites.csv": text }, ([path = ""]) =>
      Effect.gen(function* () {
        const result = yield* importing(fakeBulk(), path)
        expect(result).toMatchObject({ code: 1, requests: [] })
        expect(result.stderr).toContain(expected)
        expect(existsSync(reportPath(path))).toBe(false)
      })
    )
  )

  it.effect.each([
    ["a file with an unknown extension", { "sites.txt": sitesFile(1) }, []],
    ["a report with the path of the file", { "sites.csv": sitesFile(1) }, ["--report", "SELF"]],
    ["a report with an unknown extension", { "sites.csv": sitesFile(1) }, ["--report", "done.txt"]]
  ] as const)("%s exits with 2", ([, files, flags]) =>
    withFiles(files, ([path = ""]) =>
      Effect.gen(function* () {
        const result = yield* importing(fakeBulk(), path, ...flags.map((flag) => (flag === "SELF" ? path : flag)))
        expect(result).toMatchObject({ code: 2, requests: [] })
      })
    )
  )

  it.effect("that is missing is reported by its name", () =>
    Effect.gen(function* () {
      const result = yield* importing(fakeBulk(), "/nowhere/sites.csv")
      expect([result.code, result.stderr.split(":")[0]]).toEqual([1, "FILE_UNREADABLE"])
    })
  )

  it.effect("is not read when the service is unreachable", () =>
    withFiles({ "sites.csv": sitesFile(1) }, ([path = ""]) =>
      Effect.gen(function* () {
        const result = yield* run(["sites", "import", path], { env: { EDP_KEY_SERVER: newKey("SERVER") } })
        expect(result.code).toBe(1)
        expect(result.stderr).toMatch(/^UNREACHABLE: /mu)
        expect(existsSync(reportPath(path))).toBe(false)
      })
    )
  )

  it.effect("may be separated by semicolons or tabs, and may have ignored columns", () =>
    withFiles(
      {
        "a.csv": `${HEADER.replaceAll(",", ";")};phase\n${siteLine(1).replaceAll(",", ";")};3\n`,
        "b.tsv": `${HEADER.replaceAll(",", "\t")}\n${siteLine(2).replaceAll(",", "\t")}\n`
      },
      ([a = "", b = ""]) =>
        Effect.gen(function* () {
          const fake = fakeBulk()
          const semicolons = yield* importing(fake, a, "--delimiter", "semicolon", "--ignore-unknown")
          const tabs = yield* importing(fake, b)
          for (const { code } of [semicolons, tabs]) expect(code).toBe(0)
          expect(fake.streets).toEqual(["1 Main Street", "2 Main Street"])
        })
    )
  )

  it.effect("passes every column of the API to the service", () =>
    withFiles(
      {
        "sites.csv": [
          "name,referenceId,streetOne,streetTwo,city,state,postalCode,country,latitude,longitude,timezone,tags,maxImportW,maxExportW,customerId",
          'Home,site-1,1 Main Street,Apt 4,Sacramento,CA,95814,USA,38.5,-121.5,America/Los_Angeles,"pilot, roof",11000,0,c1'
        ].join("\n")
      },
      ([path = ""]) =>
        Effect.gen(function* () {
          const fake = fakeBulk()
          yield* importing(fake, path)
          expect(fake.sent[0]?.items).toEqual([
            {
              name: "Home",
              referenceId: "site-1",
              address: {
                streetOne: "1 Main Street",
                streetTwo: "Apt 4",
                city: "Sacramento",
                state: "CA",
                postalCode: "95814",
                country: "USA"
              },
              location: { latitude: 38.5, longitude: -121.5 },
              timezone: "America/Los_Angeles",
              tags: ["pilot", "roof"],
              maxImportW: 11_000,
              maxExportW: 0,
              customerId: "c1"
            }
          ])
        })
    )
  )
})

describe("a dry run", () => {
  const mixed = sitesFile(600, { 2: "site-2,Home,,Sacramento,CA,95814", 3: siteLine(1) })

  it.effect("sends nothing, needs no key and writes no file, and prints what it would send", () =>
    withFiles({ "sites.csv": sitesFile(600) }, ([path = ""]) =>
      Effect.gen(function* () {
        const result = yield* dry(path, "--json")
        expect(result).toMatchObject({ code: 0, requests: [] })
        expect(JSON.parse(result.stdout)).toEqual({
          file: path,
          rows: 600,
          valid: 600,
          failed: 0,
          earlier: 0,
          requests: 2,
          dryRun: true
        })
        expect([existsSync(reportPath(path)), existsSync(journalPath(path))]).toEqual([false, false])
      })
    )
  )

  it.effect("exits with 1 if rows would fail, and writes each with its fields to a requested report", () =>
    withFiles({ "sites.csv": mixed }, ([path = ""]) =>
      Effect.gen(function* () {
        const result = yield* dry(path, "--report", reportPath(path))
        expect(result.code).toBe(1)
        expect(result.stderr).toContain(
          "ROWS_FAILED: 2 of 600 rows would fail\n  row 2 (line 3): VALIDATION_ERROR: streetOne"
        )
        expect(statuses(path).slice(0, 4)).toEqual(["valid", "failed", "failed", "valid"])
      })
    )
  )

  it.effect("counts the rows that an earlier run settled, and does not change its report", () =>
    withFiles({ "sites.csv": mixed }, ([path = ""]) =>
      Effect.gen(function* () {
        yield* importing(fakeBulk(), path)
        const before = readFileSync(reportPath(path), "utf8")
        const result = yield* dry(path, "--json")
        expect(JSON.parse(result.stdout)).toMatchObject({ valid: 0, failed: 2, earlier: 598, requests: 0 })
        const refused = yield* dry(path, "--report", reportPath(path))
        expect([refused.code, refused.stderr.split(":")[0]]).toEqual([1, "REPORT_OF_ANOTHER_IMPORT"])
        expect(readFileSync(reportPath(path), "utf8")).toBe(before)
      })
    )
  )
})
