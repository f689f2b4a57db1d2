import { existsSync } from "node:fs"
import { enableCompileCache } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { beginNewDatabase } from "./platform/embedded/newDatabase.ts"

const { DATABASE_URL = "", DATABASE_URL_FILE = "", EDP_DATA_DIR = "" } = process.env
const isEmbedded = `${DATABASE_URL}${DATABASE_URL_FILE}`.trim() === ""

/**
 * glibc raises the size from which a block gets pages of its own whenever one is freed; from then on large blocks lie
 * among small ones, whose pages nobody gets back. Said before the process starts, it stays. The embedded database's
 * engine takes many blocks of medium size while it is compiled, and would start later with the smaller one.
 */
const allocation = { MALLOC_MMAP_THRESHOLD_: isEmbedded ? "65536" : "16384", MALLOC_TRIM_THRESHOLD_: "131072" }

const isSaid = Object.keys(allocation).some((name) => process.env[name] !== undefined)

// The same process, begun once more. A parent's channel would not outlive it.
if (process.platform === "linux" && !isSaid && process.channel === undefined) {
  const args = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  process.execve?.(process.execPath, args, { ...process.env, ...allocation })
}

// Begun before the settings are known to be right, because it takes longest; it writes nothing until it is asked to.
if (isEmbedded && [undefined, "serve", "migrate"].includes(process.argv[2])) {
  if (!existsSync(join(EDP_DATA_DIR.trim() || ".edp", "pgdata"))) beginNewDatabase()
}

// Where the folder can't be written, the program is compiled anew as ever.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/edp", import.meta.url)))

await import("./program.ts")
