import { readFileSync, truncateSync, writeFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { withFiles } from "../withFiles.ts"
import { fakeBulk, makeId } from "./fakeBulk.ts"
import { importing, journalPath, reported, reportPath, siteLine, sitesFile, statuses } from "./importing.ts"

const listNames = ({ sent }: ReturnType<typeof fakeBulk>) => sent.map(({ name }) => name)
const listSizes = ({ sent }: ReturnType<typeof fakeBulk>) => sent.map(({ items }) => items.length)

describe("an import that is run again", () => {
  it.effect("sends nothing when all rows are settled, and prints the same result", () =>
    withFiles({ "sites.csv": sitesFile(700) }, ([path = ""]) =>
      Effect.gen(function* () {
        const fake = fakeBulk()
        yield* importing(fake, path)
        const before = reported(path)
        const again = yield* importing(fake, path)
        expect(again.code).toBe(0)
        expect(again.counts()).toEqual({ rows: 700, created: 700, exists: 0, failed: 0, earlier: 700 })
        expect(listSizes(fake)).toEqual([500, 200])
        expect(reported(path)).toEqual(before)
      })
    )
  )

  it.effect("resends failed rows with new idempotency keys", () =>
    withFiles({ "sites.csv": sitesFile(3, { 2: siteLine(2, "nowhere") }) }, ([path = ""]) =>
      Effect.gen(function* () {
        const fake = fakeBulk()
        expect((yield* importing(fake, path)).code).toBe(1)
        yield* importing(fake, path)
        yield* importing(fake, path)
        expect(listSizes(fake)).toEqual([3, 1, 1])
        expect(new Set(listNames(fake)).size).toBe(3)
        expect(statuses(path)).toEqual(["created", "failed", "created"])
      })
    )
  )

  it.effect("sends edited rows, without their neighbours", () =>
    withFiles({ "sites.csv": sitesFile(3, { 2: siteLine(2, "nowhere") }) }, ([path = ""]) =>
      Effect.gen(function* () {
        const fake = fakeBulk()
        yield* importing(fake, path)
        const [first] = reported(path)
        writeFileSync(path, sitesFile(4))
        const again = yield* importing(fake, path)
        expect(again.code).toBe(0)
        expect(fake.sent[1]?.items.map(({ referenceId }) => referenceId)).toEqual(["site-2", "site-4"])
        expect(statuses(path)).toEqual(["created", "created", "created", "created"])
        expect(reported(path)[0]).toBe(first)
      })
    )
  )

  it.effect("continues after an interruption, and prints that it can", () =>
    withFiles({ "sites.csv": sitesFile(2600) }, ([path = ""]) =>
      Effect.gen(function* () {
        const fake = fakeBulk()
        fake.refuse = (request) => (request >= 2 ? "before" : undefined)
        const broken = yield* importing(fake, path)
        expect([broken.code, broken.stdout]).toEqual([1, ""])
        expect(broken.stderr).toMatch(/^UNAUTHENTICATED: /mu)
        expect(broken.stderr).toContain("Run the same command again to continue: nothing is created twice.")
        const settled = statuses(path).length
        fake.refuse = () => undefined
        const again = yield* importing(fake, path)
        expect(again.counts()).toEqual({ rows: 2600, created: 2600, exists: 0, failed: 0, earlier: settled })
        expect(statuses(path)).toEqual(Array.from({ length: 2600 }, () => "created"))
        expect(new Set(fake.streets).size).toBe(fake.streets.length)
      })
    )
  )

  it.effect("repeats a request without a response under the same idempotency key, and gets the created records", () =>
    withFiles({ "sites.csv": sitesFile(1200) }, ([path = ""]) =>
      Effect.gen(function* () {
        const fake = fakeBulk()
        fake.refuse = () => "after"
        yield* importing(fake, path)
        const unseen = listNames(fake)
        expect(fake.streets.length).toBeGreaterThan(0)
        fake.refuse = () => undefined
        const again = yield* importing(fake, path)
        expect(again.counts()).toMatchObject({ created: 1200, exists: 0, failed: 0 })
        expect(listNames(fake)).toEqual(expect.arrayContaining(unseen))
        expect(fake.streets.length).toBe(1200)
      })
    )
  )

  it.effect("keeps the results of the first run beyond the point where the second was interrupted", () =>
    withFiles({ "sites.csv": sitesFile(1200) }, ([path = ""]) =>
      Effect.gen(function* () {
        const fake = fakeBulk()
        yield* importing(fake, path)
        writeFileSync(path, sitesFile(1200, { 1: siteLine(9001) }))
        fake.refuse = () => "before"
        for (const _ of [1, 2]) expect((yield* importing(fake, path)).code).toBe(1)
        fake.refuse = () => undefined
        const last = yield* importing(fake, path)
        expect(last.counts()).toEqual({ rows: 1200, created: 1200, exists: 0, failed: 0, earlier: 1199 })
        expect(fake.sent.at(-1)?.items.length).toBe(1)
      })
    )
  )

  it.effect("without its journal and report asks the service for existing records", () =>
    withFiles({ "sites.csv": sitesFile(3) }, ([path = ""]) =>
      Effect.gen(function* () {
        const fake = fakeBulk()
        yield* importing(fake, path)
        const again = yield* importing(fake, path, "--restart")
        expect(again.code).toBe(0)
        expect(again.counts()).toEqual({ rows: 3, created: 0, exists: 3, failed: 0, earlier: 0 })
        expect(fake.streets.length).toBe(3)
      })
    )
  )
})

describe("the journal of an import", () => {
  it.effect("may end in an incomplete line, whose row counts as not settled", () =>
    withFiles({ "sites.csv": sitesFile(3) }, ([path = ""]) =>
      Effect.gen(function* () {
        const fake = fakeBulk()
        yield* importing(fake, path)
        truncateSync(journalPath(path), readFileSync(journalPath(path)).length - 10)
        const again = yield* importing(fake, path)
        expect(again.counts()).toEqual({ rows: 3, created: 2, exists: 1, failed: 0, earlier: 2 })
      })
    )
  )

  it.effect("is reported when damaged, and ignored with --restart", () =>
    withFiles({ "sites.csv": sitesFile(3) }, ([path = ""]) =>
      Effect.gen(function* () {
        const fake = fakeBulk()
        yield* importing(fake, path)
        const lines = readFileSync(journalPath(path), "utf8").split("\n")
        writeFileSync(journalPath(path), [lines[0], "", ...lines.slice(2)].join("\n"))
        const refused = yield* importing(fake, path)
        expect([refused.code, fake.sent.length]).toEqual([1, 1])
        expect(refused.stderr).toContain(`JOURNAL_DAMAGED: ${journalPath(path)} line 2 is not a line of a journal`)
        expect((yield* importing(fake, path, "--restart")).code).toBe(0)
      })
    )
  )

  it.effect("is not used in another workspace", () =>
    withFiles({ "sites.csv": sitesFile(3) }, ([path = ""]) =>
      Effect.gen(function* () {
        const fake = fakeBulk()
        yield* importing(fake, path)
        const before = reported(path)
        fake.workspaceId = makeId(7)
        const refused = yield* importing(fake, path)
        expect([refused.code, fake.sent.length]).toEqual([1, 1])
        expect(refused.stderr).toContain(`REPORT_OF_ANOTHER_IMPORT: ${reportPath(path)} is the report of sites`)
        expect(reported(path)).toEqual(before)
      })
    )
  )

  it.effect("is never created beside a foreign report file, which is not overwritten", () =>
    withFiles({ "sites.csv": sitesFile(3), "sites.csv.report.csv": "mine" }, ([path = ""]) =>
      Effect.gen(function* () {
        const fake = fakeBulk()
        const refused = yield* importing(fake, path)
        expect([refused.code, fake.sent.length]).toEqual([1, 0])
        expect(refused.stderr).toContain("REPORT_EXISTS")
        expect(readFileSync(reportPath(path), "utf8")).toBe("mine")
      })
    )
  )
})
