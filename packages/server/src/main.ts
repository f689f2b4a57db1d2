import cluster from "node:cluster"
import { existsSync, readFileSync } from "node:fs"
import { enableCompileCache } from "node:module"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { findProblem } from "@edp/hosted-pages/build/built"
import { stopWithLauncher } from "./app/first-start/launcher.ts"
import { beginNewDatabase } from "./platform/embedded/newDatabase.ts"
import { findPortProblem } from "./platform/http/portProblem.ts"
import { formatEntry, readLogFormat } from "./platform/observability/logEntry.ts"
import { returnMemory } from "./platform/observability/returnMemory.ts"
import { planSlots } from "./platform/processes/slots.ts"

// Older versions run this file, too, and would fail where days and time zones are computed.
if (!("Temporal" in globalThis)) {
  process.stderr.write(`edp: the service needs Node.js 26 or newer, and this is ${process.versions.node}\n`)
  process.exit(1)
}

const command = process.argv[2] ?? "serve"
const isServing = command === "serve"
if (isServing) returnMemory(process.env)

/** A setting before the settings are checked; empty where its file cannot be read. */
const given = (name: string) => {
  const file = process.env[`${name}_FILE`]?.trim() || undefined
  try {
    return (process.env[name]?.trim() || (file === undefined ? "" : readFileSync(file, "utf8"))).trim()
  } catch {
    return ""
  }
}

const { DATABASE_URL = "", DATABASE_URL_FILE = "", EDP_DATA_DIR = "" } = process.env
const isEmbedded = `${DATABASE_URL}${DATABASE_URL_FILE}`.trim() === ""

// A new database takes longer to make than the program takes to load. Nothing is written before the settings are checked.
if (isEmbedded && (isServing || command === "migrate")) {
  if (!existsSync(join(EDP_DATA_DIR.trim() || ".edp", "pgdata"))) beginNewDatabase()
}

// Without a writable folder Node compiles the program at each start.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/edp", import.meta.url)))

if (cluster.isPrimary) {
  const unbuilt = findProblem()
  if (unbuilt !== undefined) {
    process.stderr.write(`edp: ${unbuilt.message}\n`)
    if (unbuilt.isMissing) process.exit(1)
  }
  if (isServing) stopWithLauncher()
}

const slots =
  isServing && cluster.isPrimary
    ? planSlots({
        processes: given("EDP_PROCESSES"),
        role: given("EDP_ROLE"),
        isEmbedded,
        cores: availableParallelism()
      })
    : []

if (slots.length === 0) await import("./program.ts")
else {
  const format = readLogFormat(given("EDP_LOG"), process.stdout.isTTY)
  const log = (level: "INFO" | "WARN" | "FATAL", message: string, fields: Readonly<Record<string, unknown>> = {}) => {
    if (level === "FATAL" && format === "pretty") return void process.stderr.write(`edp: ${message}\n`)
    const line = `${formatEntry(format, { time: new Date().toISOString(), level, message, fields })}\n`
    void (level === "FATAL" ? process.stderr : process.stdout).write(line)
  }
  // The processes could not tell it from each other. An invalid port is refused by them.
  const problem = await findPortProblem(given("EDP_HOST") || "127.0.0.1", Number(given("PORT") || 3000)).catch(
    () => undefined
  )
  if (problem !== undefined) {
    log("FATAL", problem)
    process.exit(1)
  }
  const { supervise } = await import("./platform/supervisor/supervise.ts")
  supervise({
    slots,
    now: Date.now,
    monotonic: () => performance.now(),
    log,
    printEnd: (text) => void process.stderr.write(text),
    exit: (code) => process.exit(code)
  })
}
