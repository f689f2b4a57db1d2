import { copyFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, test } from "vitest"
import { makeCli } from "../cli/realService.ts"
import { useTestApp } from "../support/TestApp.ts"

const app = useTestApp()
const examples = fileURLToPath(new URL("../../examples/import/", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "edp-examples-"))
afterAll(() => rmSync(folder, { recursive: true }))

describe("the example files to import", () => {
  test("are created completely, the customers at their sites and in a program", async () => {
    for (const name of readdirSync(examples)) copyFileSync(join(examples, name), join(folder, name))
    const workspace = await app.workspace()
    const edp = makeCli(app, workspace)
    const steps = [
      ["sites", "sites.csv", 4],
      ["customers", "customers.csv", 3],
      ["sites", "sites.jsonl", 2]
    ] as const
    for (const [noun, name, rows] of steps) {
      const report = join(folder, `${name}.report.csv`)
      const result = await edp(noun, "import", join(folder, name), "--report", report, "--json")
      expect(result.code, result.stderr).toBe(0)
      expect(result.json()).toMatchObject({ rows, created: rows, failed: 0 })
    }
    const place = {
      title: "Solar Share",
      description: "",
      eligibilityCriteria: "",
      programTerms: "Cancel at any time."
    }
    const { keys } = workspace
    const program = { slug: `solar-${workspace.workspaceId}`, name: "Solar Share", states: ["CA"] }
    await app.call("POST", "/v1/programs", { key: keys.MANAGEMENT, body: program })
    const instance = { ...place, slug: "solar-share-valley", programSlug: program.slug }
    expect((await app.call("POST", "/v1/programInstances", { key: keys.SERVER, body: instance })).status).toBe(201)
    const file = join(folder, "enrollments.csv")
    const enrolled = await edp("enrollments", "import", file, "--instance", "solar-share-valley", "--json")
    expect(enrolled.json(), enrolled.stderr).toMatchObject({ rows: 3, created: 3, failed: 0 })
    const statuses = (await edp("enrollments", "list", "--instance", "solar-share-valley", "--json")).json().data
    expect(statuses.map(({ status }: { readonly status: string }) => status)).toEqual(Array(3).fill("submitted"))
    const { connectedSiteIds } = (await edp("customers", "show", "user-502", "--json")).json()
    expect(connectedSiteIds.length).toBe(2)
  })
})
