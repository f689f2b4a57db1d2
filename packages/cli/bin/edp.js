#!/usr/bin/env node
// Old syntax, and nothing imported but what every Node.js has: this file must run to say that Node.js is too old.
import { existsSync } from "node:fs"
import * as nodeModule from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const built = new URL("../lib/main.js", import.meta.url)
const isBuilt = existsSync(fileURLToPath(built))

/** Compiled it runs from here on; a clone runs its TypeScript as it is. */
const [major, minor] = isBuilt ? [20, 0] : [22, 18]
const [ownMajor, ownMinor] = process.versions.node.split(".").map(Number)
if (ownMajor < major || (ownMajor === major && ownMinor < minor)) {
  process.stderr.write(`edp needs Node.js ${major}.${minor} or newer, and this is ${process.versions.node}\n`)
  process.exit(1)
}

// The compiled code is kept from one start to the next, in a folder of the user alone.
if (isBuilt && typeof nodeModule.enableCompileCache === "function" && process.env.NODE_COMPILE_CACHE === undefined) {
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), ".cache")
  nodeModule.enableCompileCache(join(caches, "edp"))
}

let program = built
if (!isBuilt) {
  const conditions = ["@edp/source"]
  nodeModule.registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: [...context.conditions, ...conditions] })
  })
  program = new URL("../src/main.ts", import.meta.url)
}
const { main } = await import(program.href)
main(process.argv.slice(2))
