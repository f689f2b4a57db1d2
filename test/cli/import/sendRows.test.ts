import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { withFiles } from "../withFiles.ts"
import { fakeBulk, makeId } from "./fakeBulk.ts"
import { HEADER, importing, reported, siteLine, sitesFile, statuses } from "./importing.ts"

/** Lets the clock run while something waits for it. */
const withTimePassing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(
    effect,
    Effect.forever(
      Effect.andThen(
        TestClock.adjust("1 second"),
        Effect.promise(() => new Promise(setImmediate))
      )
    )
  )

describe("an import", () => {
  it.effect("sends 500 rows per request, each under its own idempotency key", () =>
    withFiles({ "sites.csv": sitesFile(1200) }, ([path = ""]) =>
      Effect.gen(function* () {
        const fake = fakeBulk()
        const result = yield* importing(fake, path)
        expect(result.code).toBe(0)
        expect(result.counts()).toEqual({ rows: 1200, created: 1200, exists: 0, failed: 0, earlier: 0 })
        expect(fake.sent.map(({ items }) => items.length)).toEqual([500, 500, 200])
        expect(new Set(fake.sent.map(({ name = "" }) => name)).size).toBe(3)
        expect(fake.sent[0]?.items[0]).toEqual({
          referenceId: "site-1",
          name: "Home",
          address: { streetOne: "1 Main Street", city: "Sacramento", state: "CA", postalCode: "95814" }
        })
      })
    )
  )

  it.effect("differs from another import of the same file", () =>
    withFiles({ "a.csv": sitesFile(3), "b.csv": sitesFile(3) }, ([a = "", b = ""]) =>
      Effect.gen(function* () {
        const fake = fakeBulk()
        yield* importing(fake, a)
        expect((yield* importing(fake, b)).counts()).toMatchObject({ created: 0, exists: 3 })
        expect(new Set(fake.sent.map(({ name }) => name)).size).toBe(2)
      })
    )
  )

  it.effect("reports the result of each row, in the order of the file", () =>
    withFiles(
      {
        "sites.csv": sitesFile(1300, {
          2: siteLine(2, "nowhere"),
          3: `site-3,"two\nlines",,Sacramento,CA,`,
          4: siteLine(1),
          1299: `site-1299,"open,1 Main Street,Sacramento,CA,95814`
        })
      },
      ([path = ""]) =>
        Effect.gen(function* () {
          const fake = fakeBulk()
          fake.streets.push("6 Main Street")
          const result = yield* importing(fake, path)
          expect(result.code).toBe(1)
          expect(result.counts()).toEqual({ rows: 1300, created: 1295, exists: 1, failed: 4, earlier: 0 })
          const lines = reported(path)
          expect(lines.length).toBe(1300)
          expect(lines.slice(0, 7)).toEqual([
            `1,2,created,${makeId(102)},site-1,,,`,
            "2,3,failed,,site-2,INVALID_LOCATION,There is no such place,",
            "3,4,failed,,site-3,VALIDATION_ERROR,The row is not valid,streetOne: Is required; postalCode: Is required",
            "4,6,failed,,site-1,DUPLICATE_ROW,An earlier row of the file is the same,address: Is that of row 1; referenceId: Is that of row 1",
            `5,7,created,${makeId(103)},site-5,,,`,
            "6,8,exists,,site-6,,,",
            `7,9,created,${makeId(104)},site-7,,,`
          ])
          expect(lines.slice(-2)).toEqual([
            "1299,1301,failed,,,ROW_UNREADABLE,Column 2 takes a closing quote before the next comma,",
            `1300,1302,created,${makeId(1396)},site-1300,,,`
          ])
          expect(result.stderr.split("\n").slice(-5)).toEqual([
            "ROWS_FAILED: 4 of 1300 rows failed; the others exist",
            "  row 2 (line 3): INVALID_LOCATION: There is no such place",
            "  row 3 (line 4): VALIDATION_ERROR: streetOne: Is required; postalCode: Is required",
            "  row 4 (line 6): DUPLICATE_ROW: address: Is that of row 1; referenceId: Is that of row 1",
            "  row 1299 (line 1301): ROW_UNREADABLE: Column 2 takes a closing quote before the next comma"
          ])
        })
    )
  )

  it.effect("writes no reference into the report that a spreadsheet computes", () =>
    withFiles(
      {
        "sites.csv": [
          HEADER,
          "=1+1,Home,1 Main Street,Sacramento,CA,95814",
          "＝2,Home,2 Main Street,Sacramento,CA,95814"
        ].join("\n")
      },
      ([path = ""]) =>
        Effect.gen(function* () {
          yield* importing(fakeBulk(), path)
          expect(reported(path).map((line) => line.split(",")[4])).toEqual(["'=1+1", "'＝2"])
        })
    )
  )

  it.effect("lists the first 20 failed rows and counts the others", () =>
    withFiles(
      { "sites.csv": [HEADER, ...Array.from({ length: 30 }, (_, at) => `r${at},,,,,`)].join("\n") },
      ([path = ""]) =>
        Effect.gen(function* () {
          const { requests, stderr } = yield* importing(fakeBulk(), path)
          expect(stderr.split("\n").filter((line) => line.startsWith("  row ")).length).toBe(20)
          expect(stderr.split("\n").at(-1)).toBe("  and 10 more")
          expect(requests.filter(({ method }) => method === "POST")).toEqual([])
        })
    )
  )

  it.effect("resends rows with temporary errors", () =>
    withFiles({ "sites.csv": sitesFile(3) }, ([path = ""]) =>
      Effect.gen(function* () {
        const fake = fakeBulk()
        fake.tooSlow = ({ referenceId }) => referenceId === "site-2" && fake.sent.length < 3
        expect((yield* withTimePassing(importing(fake, path))).counts()).toMatchObject({ created: 3, failed: 0 })
        expect(fake.sent.map(({ items }) => items.length)).toEqual([3, 1, 1])
        expect(new Set(fake.sent.map(({ name }) => name)).size).toBe(3)
      })
    )
  )

  it.effect("gives up on a row with a permanent error", () =>
    withFiles({ "sites.csv": sitesFile(2) }, ([path = ""]) =>
      Effect.gen(function* () {
        const fake = fakeBulk()
        fake.tooSlow = ({ referenceId }) => referenceId === "site-2"
        expect((yield* withTimePassing(importing(fake, path))).code).toBe(1)
        expect(fake.sent.length).toBe(4)
        expect(reported(path)[1]).toBe("2,3,failed,,site-2,LOCATION_SERVICE_ERROR,Too slow,")
      })
    )
  )

  it.effect("with --look-up finds existing records at another address by reference, and reports their ids", () =>
    withFiles(
      { "a.csv": sitesFile(2), "b.csv": sitesFile(3, { 2: siteLine(2).replace("2 Main", "22 Main") }) },
      ([a = "", b = ""]) =>
        Effect.gen(function* () {
          const fake = fakeBulk()
          yield* importing(fake, a)
          yield* importing(fake, b, "--look-up")
          expect(reported(b)).toEqual([
            `1,2,exists,${makeId(101)},site-1,,,`,
            `2,3,exists,${makeId(102)},site-2,,,`,
            `3,4,created,${makeId(103)},site-3,,,`
          ])
        })
    )
  )

  it.effect("accepts JSON Lines in the API's format, and writes a report in the same format", () =>
    withFiles(
      {
        "sites.jsonl": [
          '{"referenceId":"site-1","address":{"streetOne":"1 Main Street","city":"Sacramento","state":"CA","postalCode":"95814"},"tags":["a"]}',
          "",
          '{"address":{"streetOne":"","city":"Sacramento","state":"CA"},"nmae":"Home"}',
          "[]",
          '{"referenceId":'
        ].join("\r\n")
      },
      ([path = ""]) =>
        Effect.gen(function* () {
          const report = path.replace("sites.jsonl", "done.jsonl")
          const fake = fakeBulk()
          yield* importing(fake, path, "--report", report)
          const lines = readFileSync(report, "utf8").trimEnd().split("\n")
          const text = "Must be a string of 1 to 255 characters"
          const failed = { status: "failed", id: null, referenceId: null }
          const invalid = { ...failed, code: "VALIDATION_ERROR", message: "The row is not valid" }
          const unreadable = { ...failed, code: "ROW_UNREADABLE", fields: {} }
          expect(lines.map((line) => JSON.parse(line))).toEqual([
            {
              row: 1,
              line: 1,
              status: "created",
              id: makeId(101),
              referenceId: "site-1",
              code: null,
              message: null,
              fields: {}
            },
            {
              row: 2,
              line: 3,
              ...invalid,
              fields: { "address.streetOne": text, "address.postalCode": "Is required", nmae: "Is not known here" }
            },
            { row: 3, line: 4, ...unreadable, message: "Takes a JSON object on one line" },
            { row: 4, line: 5, ...unreadable, message: "Takes a JSON object on one line" }
          ])
        })
    )
  )

  it.effect("splits a request that would exceed the size limit of a body", () =>
    withFiles(
      {
        "sites.jsonl": Array.from({ length: 500 }, (_, at) =>
          JSON.stringify({
            address: { streetOne: `${at} Main Street`, city: "Sacramento", state: "CA", postalCode: "95814" },
            tags: Array.from({ length: 100 }, (_, tag) => `${tag}${"x".repeat(97)}`)
          })
        ).join("\n")
      },
      ([path = ""]) =>
        Effect.gen(function* () {
          const fake = fakeBulk()
          expect((yield* importing(fake, path)).counts()).toMatchObject({ created: 500 })
          expect(fake.sent.map(({ items }) => items.length)).toEqual([250, 250])
          expect(statuses(path).length).toBe(500)
        })
    )
  )
})
