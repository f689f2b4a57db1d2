import { execFile, execFileSync } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, test } from "vitest"
import { describeServer } from "../support/describeServer.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"

const hasChromium = () => {
  try {
    execFileSync("chromium", ["--version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

describeServer("Chromium", hasChromium(), "the reference in a browser", () => {
  let folder: GuardedFolder
  let server: SpawnedServer
  beforeAll(async () => {
    folder = await guardedFolder("edp-browser")
    server = await spawnServer()
  })
  afterAll(async () => {
    await server.stop()
    await folder.remove()
  })

  /** The page after its script has run, and the browser's messages. */
  const read = async (url: string) => {
    const profile = `--user-data-dir=${join(folder.path, "profile")}`
    const args = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", profile]
    const logged = ["--enable-logging=stderr", "--v=0", "--dump-dom", url]
    const { stderr, stdout } = await promisify(execFile)("chromium", [...args, ...logged], {
      maxBuffer: 64 * 1024 * 1024,
      timeout: 120_000
    })
    return { page: stdout, complaints: stderr.split("\n").filter((line) => line.includes("CONSOLE")) }
  }

  test("its examples call the address that served the page, and its policy allows the script", async () => {
    const { complaints, page } = await read(`${server.baseUrl}/`)
    const calls = [...page.matchAll(/<code>curl (?:-X [A-Z]+ )?(\S+)/g)].map(([, url]) => new URL(url!).origin)
    expect(calls.length).toBeGreaterThan(50)
    expect([...new Set(calls)]).toEqual([server.baseUrl])
    expect(complaints).toEqual([])
  })
})
