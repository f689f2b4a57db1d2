import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { aBattery, arrangeEnrollments } from "../../server/enrollments/arrangeEnrollments.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { makeCli } from "../realService.ts"

const app = useTestApp()
const folder = mkdtempSync(join(tmpdir(), "edp-enrollments-"))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
let street = 0

const arrange = async (instanceFields: object = {}, programFields: object = {}) => {
  const place = await arrangeEnrollments(app)
  const { id, slug } = await place.instance(programFields, instanceFields)
  const edp = makeCli(app, place)
  const path = join(folder, `${++files}.csv`)
  const report = `${path}.report.jsonl`
  return {
    ...place,
    id: id as string,
    write: (lines: ReadonlyArray<string>) => writeFileSync(path, lines.join("\n")),
    report: () =>
      readFileSync(report, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    run: (...flags: ReadonlyArray<string>) =>
      edp("enrollments", "import", path, "--instance", slug, "--report", report, "--json", ...flags),
    runInto: (instance: string) =>
      edp("enrollments", "import", path, "--instance", instance, "--report", report, "--json"),
    enrollments: async (): Promise<ReadonlyArray<any>> =>
      (await edp("enrollments", "list", "--instance", slug, "--all", "--json")).json().data
  }
}

const header =
  "customerReferenceId,customerId,firstName,lastName,email,phone,streetOne,city,state,postalCode,siteReferenceId,manufacturerSlugs,referenceId,tags,termsVersion,submit"
const newcomer = (email: string, state = "CA") =>
  `,,Ada,Okafor,${email},,${++street} Import Road,Sacramento,${state},95814,,,,,,`

describe("edp enrollments import", () => {
  test("enrolls customers by reference and id, and new persons with the addresses of their sites", async () => {
    const { customer, enrollments, report, run, site, write } = await arrange()
    const one = await customer({ referenceId: "user-1" })
    const { id: siteId } = await site({ customerId: one.id, referenceId: "home-1" })
    const two = await customer()
    write([
      header,
      'user-1,,,,,,,,,,home-1,"generic,simulator",application-1,"pilot,north",1,',
      `,${two.id},,,,,,,,,,,,,,false`,
      newcomer("new@example.com")
    ])
    expect((await run()).json()).toMatchObject({ rows: 3, created: 3, exists: 0, failed: 0 })
    const [third, second, first] = await enrollments()
    expect(first).toMatchObject({
      customerId: one.id,
      siteId,
      identificationType: "customerId",
      status: "submitted",
      manufacturerSlugs: ["generic", "simulator"],
      referenceId: "application-1",
      tags: ["pilot", "north"],
      acceptedTerms: { version: 1 }
    })
    expect(second).toMatchObject({ customerId: two.id, status: "eligible" })
    expect(third).toMatchObject({ identificationType: "customerInfo", address: { city: "Sacramento" } })
    expect(report().map(({ id, status }) => [id, status])).toEqual(
      [first, second, third].map(({ id }) => [id, "created"])
    )
  })

  test("reports each row that is refused by the tool or the service, and enrolls the others", async () => {
    const { customer, enrollments, report, run, write } = await arrange()
    const known = await customer({ referenceId: "user-1" })
    write([
      header,
      ",,,,,,,,,,,,,,,",
      `user-1,${known.id},,,,,,,,,,,,,,`,
      "nobody,,,,,,,,,,,,,,,",
      "user-1,,,,,,,,,,home-9,,,,,",
      newcomer("lost@example.com", "NV"),
      ",,Ada,,ada,,,,,,,,,,,maybe",
      "user-1,,,,,,,,,,,,,,7,",
      newcomer("new@example.com"),
      newcomer("NEW@example.com")
    ])
    const { code, json } = await run()
    expect([code, json()]).toMatchObject([1, { rows: 9, created: 1, failed: 8 }])
    expect(report().map(({ code, fields }) => [code, fields])).toMatchObject([
      ["VALIDATION_ERROR", { row: "Must name the person by one of customerId, customerReferenceId and customerInfo" }],
      ["VALIDATION_ERROR", {}],
      ["CUSTOMER_NOT_FOUND", { customerReferenceId: "No customer has the referenceId nobody" }],
      ["SITE_NOT_FOUND", { siteReferenceId: "No site has the referenceId home-9" }],
      ["INVALID_LOCATION", {}],
      ["VALIDATION_ERROR", { lastName: "Is required", email: expect.any(String), submit: "Must be true or false" }],
      ["DUPLICATE_ROW", { customerReferenceId: "Is that of row 4" }],
      [null, {}],
      ["DUPLICATE_ROW", { email: "Is that of row 8" }]
    ])
    expect(await enrollments()).toHaveLength(1)
  })

  test("run again it sends nothing twice, and without its journal it recognises whoever is enrolled", async () => {
    const { customer, enroll, enrollments, id, report, run, write } = await arrange()
    const enrolled = await customer({ referenceId: "user-1" })
    const before = await enroll(id, enrolled.id)
    write([header, "user-1,,,,,,,,,,,,,,,", newcomer("new@example.com")])
    expect((await run()).json()).toMatchObject({ created: 1, exists: 1, failed: 0 })
    expect(report()[0]).toMatchObject({ status: "exists", id: before.id })
    expect((await run()).json()).toMatchObject({ rows: 2, earlier: 2 })
    expect((await run("--restart")).json()).toMatchObject({ created: 0, exists: 2, failed: 0, earlier: 0 })
    expect(await enrollments()).toHaveLength(2)
  })

  test("a dry run checks the rows without the service, and sends nothing", async () => {
    const { enrollments, run, write } = await arrange()
    write([header, newcomer("new@example.com"), ",,,,,,,,,,,,,,,"])
    const { code, json } = await run("--dry-run")
    expect([code, json()]).toMatchObject([1, { rows: 2, valid: 1, failed: 1, requests: 1, dryRun: true }])
    expect(await enrollments()).toEqual([])
  })

  test("the journal belongs to one instance, and an instance that takes no enrollments is refused at once", async () => {
    const { instance, required, run, runInto, id, write } = await arrange({}, { eligibility: aBattery })
    write([header, newcomer("new@example.com")])
    await run()
    const other = await runInto((await instance()).slug)
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining("REPORT_OF_ANOTHER_IMPORT")])
    await required(200, "PATCH", `/v1/programInstances/${id}`, { status: "INACTIVE" })
    const closed = await run("--restart")
    expect([closed.code, closed.stderr]).toEqual([1, expect.stringContaining("is INACTIVE: it takes no enrollments")])
  })
})
