import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { runProgram } from "../support/launch.ts"
import { useTestApp } from "../support/TestApp.ts"

const top = fileURLToPath(new URL("../../", import.meta.url))
const readme = readFileSync(join(top, "examples/promise-client/README.md"), "utf8")
const [, command] = /^```sh\n(.*)\n```$/m.exec(readme)!

describe("the example of the promise client", () => {
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

  test("runs by the command of its README, and again with what it made", async () => {
    const first = await run()
    expect(first).toContain("at Promise client example (c")
    expect(first).toContain("1 reading stored")
    expect(first).toContain("now: 640 W")
    expect(first).toContain("renaming nothing: There is no such device (404)")
    const [meter] = /\(c[0-9a-z]{24}\)/.exec(first)!
    expect(await run()).toContain(meter)
  })

  test("says in a line that there are no credentials yet", async () => {
    const failure = await run({ EDP_DATA_DIR: join(dataDir, "nowhere") }).then(String, String)
    expect(failure).toContain("There are no credentials yet: start the service first")
    expect(failure).not.toContain("    at ")
  })
})
