import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { arrangeCustomers, nobody } from "../../server/customers/arrangeCustomers.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { makeCli } from "../realService.ts"

const app = useTestApp()
const folder = mkdtempSync(join(tmpdir(), "edp-customers-"))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
const arrange = async (lines: ReadonlyArray<string>, extension = "csv") => {
  const place = await arrangeCustomers(app)
  const edp = makeCli(app, place)
  const path = join(folder, `${++files}.${extension}`)
  writeFileSync(path, lines.join("\n"))
  const report = path.replace(`.${extension}`, ".report.jsonl")
  return {
    ...place,
    report: () =>
      readFileSync(report, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    run: (...flags: ReadonlyArray<string>) => edp("customers", "import", path, "--report", report, "--json", ...flags),
    customers: async (): Promise<ReadonlyArray<any>> => (await edp("customers", "list", "--all", "--json")).json().data
  }
}

describe("edp customers import", () => {
  test("creates customers with the sites given by reference or id", async () => {
    const { customers, report, run, site } = await arrange([
      "referenceId,firstName,lastName,email,phone,siteReferenceIds,siteIds",
      'user-1,Ada,Okafor,ada@example.com,+1 916 555 0142,"home-1,home-2",',
      "user-2,,,,,,"
    ])
    const ids = [await site({ referenceId: "home-1" }), await site({ referenceId: "home-2" })].map(({ id }) => id)
    expect((await run()).json()).toMatchObject({ rows: 2, created: 2, failed: 0 })
    const [second, first] = await customers()
    expect(first).toMatchObject({
      referenceId: "user-1",
      firstName: "Ada",
      lastName: "Okafor",
      email: "ada@example.com",
      phone: "+1 916 555 0142",
      connectedSiteIds: ids.toReversed()
    })
    expect(report().map(({ id, referenceId }) => [id, referenceId])).toEqual([
      [first.id, "user-1"],
      [second.id, "user-2"]
    ])
  })

  test("accepts JSON Lines with sites by id and by reference", async () => {
    const { customers, run, site } = await arrange(
      [JSON.stringify({ referenceId: "user-1", siteReferenceIds: ["home, the old one"] })],
      "jsonl"
    )
    const { id } = await site({ referenceId: "home, the old one" })
    expect((await run()).json()).toMatchObject({ created: 1 })
    expect((await customers())[0].connectedSiteIds).toEqual([id])
  })

  test("creates the other rows when one is rejected by the tool or the service", async () => {
    const { customers, report, run, site } = await arrange([
      "referenceId,email,phone,siteReferenceIds,siteIds",
      "user-1,ada,1,,",
      ",ada@example.com,,,",
      "user-3,,,home-9,",
      "user-4,,,home-1,",
      `user-5,,,,${nobody}`,
      "user-6,,,,",
      "user-6,,,,"
    ])
    for (const _ of [1, 2]) await site({ referenceId: "home-1" })
    const { code, json } = await run()
    expect([code, json()]).toMatchObject([1, { rows: 7, created: 1, failed: 6 }])
    expect((await customers()).map(({ referenceId }) => referenceId)).toEqual(["user-6"])
    expect(report().map(({ code, fields }) => [code, fields])).toMatchObject([
      ["VALIDATION_ERROR", { email: expect.any(String), phone: expect.any(String) }],
      ["VALIDATION_ERROR", { referenceId: "Is required" }],
      ["SITE_NOT_FOUND", { siteReferenceIds: "No site has the referenceId home-9" }],
      ["SITE_AMBIGUOUS", { siteReferenceIds: "Several sites have the referenceId home-1: name one in siteIds" }],
      ["SITE_NOT_FOUND", {}],
      [null, {}],
      ["DUPLICATE_ROW", { referenceId: "Is that of row 6" }]
    ])
  })

  test("leaves a customer with a known reference unchanged, and reports its id with --look-up", async () => {
    const { create, get, report, run } = await arrange(["referenceId,firstName", "user-1,Eve", "user-2,Obi"])
    const before = await create({ referenceId: "user-1", firstName: "Ada" })
    const { code, json } = await run()
    expect([code, json()]).toMatchObject([0, { created: 1, exists: 1, failed: 0 }])
    expect(report().map(({ id, status }) => [status, id === null])).toEqual([
      ["exists", true],
      ["created", false]
    ])
    await run("--restart", "--look-up")
    expect(report().map(({ id, status }) => [status, id])).toEqual([
      ["exists", before.id],
      ["exists", expect.stringMatching(/^c/u)]
    ])
    expect(await get(before.id)).toEqual(before)
  })
})
