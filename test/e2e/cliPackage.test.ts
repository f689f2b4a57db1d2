import { spawn } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { guardedFolder, type GuardedFolder } from "../support/guardedFolder.ts"
import { launch } from "../support/launch.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"
import { installEdp } from "./installEdp.ts"

const top = fileURLToPath(new URL("../..", import.meta.url))
const sample = join(top, "examples/sample-home/home.csv")

let folder: GuardedFolder
let server: SpawnedServer
let edp: string

beforeAll(async () => {
  folder = await guardedFolder("edp-package")
  server = await spawnServer()
  await installEdp(folder.path)
  edp = join(folder.path, "bin/edp")
})
afterAll(async () => {
  await server?.stop()
  await folder?.remove()
})

/** Runs a program in a folder outside the repository, with the Node.js that runs the tests. */
const run = async (
  program: string,
  args: ReadonlyArray<string>,
  options: { cwd?: string; env?: NodeJS.ProcessEnv; input?: string } = {}
) => {
  const { PATH = "" } = process.env
  const child = spawn(program, args, {
    cwd: options.cwd ?? folder.path,
    env: { PATH, HOME: folder.path, EDP_DATA_DIR: server.dataDir, ...options.env },
    stdio: ["pipe", "pipe", "pipe"]
  })
  const output = { stdout: "", stderr: "" }
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text))
  child.stdin.end(options.input ?? "")
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", resolve)
  })
  return { code, ...output }
}
const ok = async (...args: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await run(edp, args)
  expect(code, stderr).toBe(0)
  return stdout
}

describe("the installed package of the command line", () => {
  it("needs no other package, and holds no TypeScript and no server", () => {
    const installed = join(folder.path, "lib/node_modules/@edp/cli")
    const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"))
    expect(manifest).toMatchObject({ name: "@edp/cli", bin: { edp: "bin/edp.js" }, engines: { node: ">=20" } })
    expect(manifest).not.toHaveProperty("dependencies")
    expect(existsSync(join(installed, "node_modules"))).toBe(false)
    const files = readdirSync(installed, { recursive: true, encoding: "utf8" })
    expect(files.filter((name) => /\.tsx?$|PGlite|pglite/u.test(name))).toEqual([])
    const licences = readFileSync(join(installed, "THIRD-PARTY.md"), "utf8")
    for (const name of ["effect", "echarts", "@resvg/resvg-wasm", "@expo-google-fonts/inter"]) {
      expect(licences).toContain(`## ${name} `)
    }
  })

  it("prints its version and its help, and exits with 2 for an unknown command", async () => {
    expect(await ok("--version")).toBe("edp v2.0.0\n")
    expect(await ok("devices", "--help")).toContain("push")
    expect(await run(edp, ["nope"])).toMatchObject({ code: 2, stdout: "" })
  })

  it("works against a service: doctor, import, lists, a push from standard input, charts and completions", async () => {
    expect(await ok("doctor")).not.toContain("✗")
    const place = ["--address", "1 Capitol Mall, Sacramento, CA 95814", "--timezone", "America/Los_Angeles"]
    await ok("telemetry", "import", sample, "--provision", ...place)
    expect(await ok("devices", "list")).toMatch(/home inverter +inverter +home +offline/u)
    const reading = JSON.stringify({ state: { power: 340 } })
    const pushed = await run(edp, ["devices", "push", "home-meter", "--data", "@-", "--json"], { input: reading })
    expect(JSON.parse(pushed.stdout)).toMatchObject({ accepted: 1 })
    const [svg, png] = [join(folder.path, "year.svg"), join(folder.path, "year.png")]
    await ok("metrics", "show", "generation", "--site", "home", "--year", "2025", "--svg", svg, "--png", png)
    expect(readFileSync(svg, "utf8")).toContain("<svg")
    expect(readFileSync(png).subarray(1, 4).toString()).toBe("PNG")
    expect(await ok("completions", "bash")).toContain("device-models")
  })

  it("removes the destination of a listener that was killed when the next one ends", async () => {
    const destinations = async () => JSON.parse(await ok("destinations", "list", "--json")).data
    const env = { PATH: process.env["PATH"], HOME: folder.path, EDP_DATA_DIR: server.dataDir }
    const listen = () => launch(edp, ["listen", "--port", "0"], { cwd: folder.path, env })
    const killed = await listen()
    await killed.printed(/Listening on/u)
    const secret = /Signing secret: (\S+)/u.exec(killed.stderr())?.[1]
    killed.kill("SIGKILL")
    await killed.exited
    const [left] = await destinations()

    const next = await listen()
    await next.printed(/Listening on/u)
    expect(await destinations()).toMatchObject([{ id: left.id }])
    expect(next.stderr()).toContain(`Signing secret: ${secret}`)
    await ok("trigger", "SITE_CREATED")
    await next.printed(/SITE_CREATED/u)
    next.kill("SIGTERM")
    expect((await next.exited).code).toBe(130)
    expect(await destinations()).toEqual([])
  })
})

describe("npx -y pnpm@12 edp, in a clone", () => {
  it("prints nothing but the command's output, and exits with its code", async () => {
    // pnpm locates its store by the user's home folder.
    const pnpm = (...args: ReadonlyArray<string>) =>
      run("npx", ["-y", "pnpm@12", "edp", ...args], { cwd: top, env: process.env })
    expect(await pnpm("--version")).toMatchObject({ code: 0, stdout: "edp v2.0.0\n" })
    const wrong = await pnpm("devices", "lsit")
    expect(wrong).toMatchObject({ code: 2, stdout: "" })
    expect(wrong.stderr).toContain("USAGE: ")
    expect(wrong.stderr).not.toMatch(/ELIFECYCLE|\$ |packages\/cli/u)
  })
})
