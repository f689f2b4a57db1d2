/**
 * Creates the files of a new database in memory and writes them into the folder that its parent names. It runs in a separate
 * process, because this takes some 400 MB that a process does not return to the system.
 */
import { MemoryFS, PGlite } from "@electric-sql/pglite"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"

const folder = new Promise<string>((resolve) => process.once("message", resolve))

// The files are useless without the server.
process.once("disconnect", () => process.exit(1))
if (!process.connected) process.exit(1)

class Draft extends MemoryFS {
  /** PGlite calls this when the files are complete and not yet in use. */
  override async syncToFs() {
    this.#write(PGlite.paths.PGDATA, await folder)
    // Releasing the memory takes a while, for which the parent need not wait.
    process.send!("written", () => process.exit(0))
    await new Promise(() => undefined)
  }

  #write(from: string, to: string): void {
    const { FS } = this.pg!.Module
    mkdirSync(to, { mode: 0o700 })
    for (const name of FS.readdir(from)) {
      if (name === "." || name === "..") continue
      const [source, target] = [`${from}/${name}`, join(to, name)]
      if (FS.isDir(FS.stat(source).mode)) this.#write(source, target)
      else writeFileSync(target, FS.readFile(source), { mode: 0o600 })
    }
  }
}

// Optimizing the engine takes longer than it saves within two seconds.
for (const flag of ["--no-wasm-tier-up", "--no-wasm-dynamic-tiering"]) setFlagsFromString(flag)

await PGlite.create({ fs: new Draft() })
