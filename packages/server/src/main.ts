import { existsSync } from "node:fs"
import { enableCompileCache } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { beginNewDatabase } from "./platform/embedded/newDatabase.ts"

const { DATABASE_URL = "", DATABASE_URL_FILE = "", EDP_DATA_DIR = "" } = process.env
const isEmbedded = `${DATABASE_URL}${DATABASE_URL_FILE}`.trim() === ""

// A new database takes longer to make than the program takes to load. Nothing is written before the settings are checked.
if (isEmbedded && [undefined, "serve", "migrate"].includes(process.argv[2])) {
  if (!existsSync(join(EDP_DATA_DIR.trim() || ".edp", "pgdata"))) beginNewDatabase()
}

// Without a writable folder Node compiles the program at each start.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/edp", import.meta.url)))

await import("./program.ts")
