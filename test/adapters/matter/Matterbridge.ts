import { spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { freePort } from "../../support/freePort.ts"

const packages = fileURLToPath(new URL("../../matterbridge/node_modules", import.meta.url))
const PLUGIN = "matterbridge-example-dynamic-platform"
const program = join(packages, "matterbridge/bin/matterbridge.js")

/** Whether Matterbridge is installed: `npm ci --prefix test/matterbridge`. */
export const hasMatterbridge = existsSync(program)

/** The devices of the plugin that concern energy. */
const devices = [
  "Air Conditioner",
  "Battery Storage",
  "Evse",
  "Heat Pump",
  "OutletEnergy",
  "Solar Power",
  "Thermostat (Auto)",
  "Thermostat (Heat)",
  "Water Heater"
]

export interface Matterbridge {
  /** The manual pairing code of the bridge. */
  readonly code: string
  /** Ends the program at once, as a power failure does. */
  readonly kill: () => Promise<void>
  readonly restart: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Runs Matterbridge with its example devices, in a home folder of its own. */
export const startMatterbridge = async (): Promise<Matterbridge> => {
  const home = mkdtempSync(join(tmpdir(), "edp-matterbridge-"))
  // The plugin finds the program in which it runs beside its own packages.
  const link = join(packages, PLUGIN, "node_modules/matterbridge")
  if (!existsSync(link)) {
    mkdirSync(join(packages, PLUGIN, "node_modules"), { recursive: true })
    symlinkSync("../../matterbridge", link)
  }
  const common = ["--homedir", home, "--nosudo", "--norestore", "--no-ansi"]
  const [frontend, port] = [await freePort(), await freePort()]

  const run = (options: ReadonlyArray<string>, until: RegExp | null) => {
    const child = spawn(process.execPath, [program, ...common, ...options], { stdio: ["ignore", "pipe", "ignore"] })
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
    const found = new Promise<RegExpExecArray | null>((resolve, reject) => {
      const lines = createInterface(child.stdout)
      const last: Array<string> = []
      lines.on("line", (line) => {
        last.push(line)
        const match = until?.exec(line) ?? null
        if (match !== null) resolve(match)
      })
      lines.once("close", () =>
        until === null ? resolve(null) : reject(new Error(`Matterbridge ended: ${last.slice(-20).join("\n")}`))
      )
    })
    return { child, ended, found }
  }

  const add = run(["--add", join(packages, PLUGIN)], null)
  await add.ended
  const settings = { name: PLUGIN, type: "DynamicPlatform", version: "2.0.15", whiteList: devices, blackList: [] }
  writeFileSync(
    join(home, `.matterbridge/${PLUGIN}.config.json`),
    JSON.stringify({ ...settings, useInterval: false, enableServerRvc: false, debug: false })
  )
  const serve = [
    "--bridge",
    "--novirtual",
    "--bind",
    "127.0.0.1",
    "--frontend",
    String(frontend),
    "--port",
    String(port)
  ]
  let running = run(serve, /Matterbridge is uncommissioned .*manual pairing code: (\d+)/)
  const [, code] = (await running.found)!
  const kill = async () => {
    running.child.kill("SIGKILL")
    await running.ended
  }
  return {
    code: code!,
    kill,
    restart: async () => {
      running = run(serve, /Server node for Matterbridge is online/)
      await running.found
    },
    close: async () => {
      await kill()
      rmSync(home, { recursive: true, force: true })
    }
  }
}
