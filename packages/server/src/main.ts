import { existsSync } from "node:fs"
import { enableCompileCache } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { findProblem } from "@edp/hosted-pages/build/built"
import { beginNewDatabase } from "./platform/embedded/newDatabase.ts"
import { returnMemory } from "./platform/observability/returnMemory.ts"

// Older versions run this file, too, and would fail where days and time zones are computed.
if (!("Temporal" in globalThis)) {
  process.stderr.write(`edp: the service needs Node.js 26 or newer, and this is ${process.versions.node}\n`)
  process.exit(1)
}

if ([undefined, "serve"].includes(process.argv[2])) returnMemory(process.env)

const { DATABASE_URL = "", DATABASE_URL_FILE = "", EDP_DATA_DIR = "" } = process.env
const isEmbedded = `${DATABASE_URL}${DATABASE_URL_FILE}`.trim() === ""

// A new database takes longer to make than the program takes to load. Nothing is written before the settings are checked.
if (isEmbedded && [undefined, "serve", "migrate"].includes(process.argv[2])) {
  if (!existsSync(join(EDP_DATA_DIR.trim() || ".edp", "pgdata"))) beginNewDatabase()
}

// Without a writable folder Node compiles the program at each start.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/edp", import.meta.url)))

const unbuilt = findProblem()
if (unbuilt !== undefined) {
  process.stderr.write(`edp: ${unbuilt.message}\n`)
  if (unbuilt.isMissing) process.exit(1)
}

await import("./program.ts")
