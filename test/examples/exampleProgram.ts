import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, test } from "vitest"
import { runProgram } from "../support/launch.ts"
import { useTestApp } from "../support/TestApp.ts"

const top = fileURLToPath(new URL("../../", import.meta.url))

/**
 * An example that needs a running service and credentials: call it in a `describe`. It returns a function that runs the command
 * of the example's README against a fresh workspace and returns the output.
 */
export const useExample = (name: string) => {
  const app = useTestApp()
  const dataDir = mkdtempSync(join(tmpdir(), "edp-example-"))
  const readme = readFileSync(join(top, "examples", name, "README.md"), "utf8")
  const [program, ...args] = /^```sh\n(.*)\n```$/m.exec(readme)![1]!.split(" ")
  const run = (env = {}) =>
    runProgram(program!, args, { cwd: top, env: { ...process.env, EDP_DATA_DIR: dataDir, ...env } })

  beforeAll(async () => {
    const { keys } = await app.workspace()
    const credentials = { baseUrl: app.url, serverKey: keys.SERVER, manufacturerKey: keys.MANUFACTURER }
    writeFileSync(join(dataDir, "credentials.json"), JSON.stringify(credentials))
  })
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

  test("reports missing credentials in one line", async () => {
    const failure = await run({ EDP_DATA_DIR: join(dataDir, "nowhere") }).then(String, String)
    expect(failure).toContain("There are no credentials yet: start the service first")
    expect(failure).not.toContain("    at ")
  })
  return run
}
