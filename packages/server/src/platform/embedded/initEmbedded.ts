/**
 * Makes the files of a new database in memory and writes them into the folder that its parent names. It is a process of
 * its own, because the memory that this takes, some 400 MB, is never given back to the system by the process that
 * needed it.
 */
import { MemoryFS, PGlite } from "@electric-sql/pglite"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setFlagsFromString } from "node:v8"

const folder = new Promise<string>((resolve) => process.once("message", resolve))

// Without the server that wants the files nobody would ever use what is made here.
process.once("disconnect", () => process.exit(1))
if (!process.connected) process.exit(1)

class Draft extends MemoryFS {
  /** PGlite asks for this when the files are whole and nobody works with them yet. */
  override async syncToFs() {
    this.#write(PGlite.paths.PGDATA, await folder)
    // To let go of so much memory takes this process a while, for which its parent need not wait.
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

// The engine would be compiled again, and better, beside what it does: that does not pay within two seconds.
for (const flag of ["--no-wasm-tier-up", "--no-wasm-dynamic-tiering"]) setFlagsFromString(flag)

await PGlite.create({ fs: new Draft() })
