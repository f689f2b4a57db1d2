/**
 * Makes the files of a new database in memory and writes them into the folder that its parent names. It is a process of
 * its own, because the memory that this takes, some 400 MB, is never given back to the system by the process that
 * needed it.
 */
import { MemoryFS, PGlite } from "@electric-sql/pglite"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"

const folder = new Promise<string>((resolve) => process.once("message", resolve))

// Without the server that wants the files nobody would ever use what is made here.
process.once("disconnect", () => process.exit(1))
if (!process.connected) process.exit(1)

class Draft extends MemoryFS {
  /** PGlite asks for this when the files are whole and nobody works with them yet. */
  override async syncToFs() {
    await this.#write(PGlite.paths.PGDATA, await folder)
    process.exit(0)
  }

  async #write(from: string, to: string): Promise<void> {
    const { FS } = this.pg!.Module
    await mkdir(to, { mode: 0o700 })
    for (const name of FS.readdir(from)) {
      if (name === "." || name === "..") continue
      const [source, target] = [`${from}/${name}`, join(to, name)]
      if (FS.isDir(FS.stat(source).mode)) await this.#write(source, target)
      else await writeFile(target, FS.readFile(source), { mode: 0o600 })
    }
  }
}

await PGlite.create({ fs: new Draft() })
