import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { runProgram } from "../support/launch.ts"
import { useTestApp } from "../support/TestApp.ts"

const top = fileURLToPath(new URL("../../", import.meta.url))
const readme = readFileSync(join(top, "examples/typed-client/README.md"), "utf8")
const [, command] = /^```sh\n(.*)\n```$/m.exec(readme)!

describe("the example of the typed client", () => {
  const app = useTestApp()
  const dataDir = mkdtempSync(join(tmpdir(), "edp-example-"))
  const run = (env = {}) => {
    const [program, ...args] = command!.split(" ")
    return runProgram(program!, args, { cwd: top, env: { ...process.env, EDP_DATA_DIR: dataDir, ...env } })
  }

  beforeAll(async () => {
    const { keys } = await app.workspace()
    const credentials = { baseUrl: app.url, serverKey: keys.SERVER, manufacturerKey: keys.MANUFACTURER }
    writeFileSync(join(dataDir, "credentials.json"), JSON.stringify(credentials))
  })
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

  test("runs by the command of its README, and again without storing anything twice", async () => {
    const first = await run()
    expect(first).toContain("Example inverter at Typed client example, Sacramento")
    expect(first).toContain("pushed yesterday: 96 readings stored, 0 known before")
    expect(first).toContain("its highest power was 4200 W")
    expect(first).toContain("renaming nothing: There is no such device")
    expect(await run()).toContain("pushed yesterday: 0 readings stored, 96 known before")
  })

  test("says in a line that there are no credentials yet", async () => {
    const nowhere = { EDP_DATA_DIR: join(dataDir, "nowhere") }
    const failure = await run(nowhere).then(String, String)
    expect(failure).toContain("There are no credentials yet: start the service first")
    expect(failure).not.toContain("    at ")
  })
})
