import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"
import { makeCli } from "../realService.ts"

const app = useTestApp()
const battery = '{"attribute":"type","operator":"eq","value":"battery"}'

let count = 0

const arrange = async () => {
  const place = await app.workspace()
  const edp = makeCli(app, place, {
    EDP_DATA_DIR: "/nonexistent",
    EDP_URL: app.url,
    EDP_KEY_MANAGEMENT: place.keys.MANAGEMENT,
    EDP_KEY_SERVER: place.keys.SERVER
  })
  const slug = `cli-peak-${++count}`
  const createProgram = async (...flags: ReadonlyArray<string>) =>
    (await edp("programs", "create", "--slug", slug, "--name", "Evening Peak", ...flags, "--json")).json()
  const createInstance = async (...flags: ReadonlyArray<string>) => {
    const named = ["--slug", "peak-2026", "--program", slug, "--title", "Evening Peak 2026"]
    return edp("instances", "create", ...named, ...flags, "--json")
  }
  return { ...place, edp, slug, createProgram, createInstance }
}

describe("edp programs", () => {
  test("create, show, update and list print the same program", async () => {
    const { createProgram, edp, organizationId, slug } = await arrange()
    const times = ["--starts", "2026-05-01T00:00:00-07:00", "--year", "2026"]
    const made = await createProgram("--state", "CA", "--state", "NY", ...times, "--eligibility", battery)
    expect(made).toMatchObject({
      slug,
      states: ["CA", "NY"],
      active: true,
      visibility: "PRIVATE",
      organizationId,
      year: 2026,
      startsAt: "2026-05-01T07:00:00.000Z",
      eligibility: JSON.parse(battery)
    })
    const shown = (await edp("programs", "show", slug)).stdout
    expect(shown).toMatch(/^states +CA, NY$/mu)
    expect(shown).toMatch(/^eligibility +\{"attribute":"type"/mu)
    const changed = (await edp("programs", "update", slug, "--state", "OR", "--no-active", "--json")).json()
    expect(changed).toMatchObject({ states: ["OR"], active: false, year: 2026 })
    const cleared = ["--clear", "states", "--clear", "year", "--clear", "starts", "--clear", "eligibility"]
    expect((await edp("programs", "update", slug, ...cleared, "--json")).json()).toMatchObject({
      states: [],
      year: null,
      startsAt: null,
      eligibility: null
    })
    const listed = await edp("programs", "list", "--visibility", "PRIVATE", "--active", "false", "--state", "CA")
    expect(listed.stdout.split("\n")[1]).toMatch(new RegExp(`^${slug} +Evening Peak +all +no +PRIVATE$`, "u"))
  })

  test("a wrong state is reported with its field; criteria that are not an object and an empty update send nothing", async () => {
    const { edp, slug } = await arrange()
    const args = ["programs", "create", "--slug", slug, "--name", "Peak"]
    const wrong = await edp(...args, "--state", "California")
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/^VALIDATION_ERROR: .*\n {2}states\.0: /u)])
    expect((await edp(...args, "--eligibility", "[]")).code).toBe(2)
    expect((await edp("programs", "update", slug)).code).toBe(2)
  })
})

describe("edp instances", () => {
  test("create reads the terms of a file, and periods with and without a time of activation", async () => {
    const folder = mkdtempSync(join(tmpdir(), "edp-terms-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, "terms.txt")
    writeFileSync(file, "Up to 20 evenings.\nOf 3 hours each.\n")
    const { createInstance, createProgram, edp, slug } = await arrange()
    await createProgram()
    const periods = ["--period", "2026-05-31T23:59:59Z/2026-06-15T00:00:00Z", "--period", "2026-06-30T23:59:59Z"]
    const fields = ["--for", "Homes with a battery", "--custom-fields", '{"code":"U-1"}', "--status", "INACTIVE"]
    const made = (await createInstance("--terms", `@${file}`, ...periods, ...fields)).json()
    expect(made).toMatchObject({
      slug: "peak-2026",
      programSlug: slug,
      description: "",
      eligibilityCriteria: "Homes with a battery",
      programTerms: "Up to 20 evenings.\nOf 3 hours each.\n",
      enrollmentPeriods: [
        { deadline: "2026-05-31T23:59:59.000Z", activatesAt: "2026-06-15T00:00:00.000Z" },
        { deadline: "2026-06-30T23:59:59.000Z", activatesAt: "2026-06-30T23:59:59.000Z" }
      ],
      customFields: { code: "U-1" },
      status: "INACTIVE"
    })
    for (const name of ["peak-2026", made.id]) {
      expect((await edp("instances", "show", name, "--json")).json()).toEqual(made)
    }
    const shown = (await edp("instances", "show", "peak-2026")).stdout
    expect(shown).toMatch(/^terms, version 1 +Up to 20 evenings\. Of 3 hours each\./mu)
    expect(shown).toMatch(/^period 0 +until 2026-05-31T23:59:59.000Z, active from 2026-06-15T00:00:00.000Z$/mu)
  })

  test("update changes the given fields, clears others, and the status moves", async () => {
    const { createInstance, createProgram, edp } = await arrange()
    await createProgram()
    await createInstance("--terms", "First", "--period", "2026-05-31T23:59:59Z", "--custom-fields", '{"a":1,"b":2}')
    const changes = ["--terms", "Second", "--custom-fields", '{"a":null,"c":3}', "--clear", "periods"]
    const changed = (await edp("instances", "update", "peak-2026", ...changes, "--json")).json()
    expect(changed).toMatchObject({ termsVersion: 2, customFields: { b: 2, c: 3 }, enrollmentPeriods: [] })
    for (const status of ["INACTIVE", "ACTIVE", "ARCHIVED"]) {
      expect((await edp("instances", "update", "peak-2026", "--status", status, "--json")).json()).toMatchObject({
        status
      })
    }
    const refused = await edp("instances", "update", "peak-2026", "--status", "ACTIVE")
    expect([refused.code, refused.stderr]).toEqual([1, "INVALID_STATUS: An archived program instance stays archived"])
    expect((await edp("instances", "update", "peak-2026")).code).toBe(2)
  })

  test("list filters, delete asks first, and an unknown slug is reported", async () => {
    const { createInstance, createProgram, edp, slug } = await arrange()
    await createProgram()
    await createInstance()
    const listed = await edp("instances", "list", "--program", slug, "--status", "ACTIVE")
    expect(listed.stdout.split("\n")[1]).toMatch(new RegExp(`^peak-2026 +Evening Peak 2026 +${slug} +ACTIVE$`, "u"))
    expect((await edp("instances", "list", "--status", "ARCHIVED", "--json")).json().totalItems).toBe(0)
    expect((await edp("instances", "delete", "peak-2026")).code).toBe(2)
    const deleted = await edp("instances", "delete", "peak-2026", "--yes")
    expect([deleted.code, deleted.stdout]).toEqual([0, 'The program instance "Evening Peak 2026" is deleted.'])
    expect((await edp("instances", "show", "peak-2026")).stderr).toBe(
      "NOT_FOUND: There is no program instance with the id or slug peak-2026"
    )
  })
})
