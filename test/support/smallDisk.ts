import { spawnSync } from "node:child_process"
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const MIB = 2 ** 20
/** What a new database leaves free, and what is left of that when the disk is nearly full. */
const size = 220 * MIB
const leftFree = 12 * MIB

export interface SmallDisk {
  readonly path: string
  /** Leaves hardly any room. The programs that are to run short of it are started through the answer. */
  readonly fill: () => ReadonlyArray<string>
  readonly makeRoom: () => void
  readonly remove: () => void
}

const mounted = (path: string) =>
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  spawnSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", path]).status === 0

const fileSystem = (path: string): SmallDisk => {
  const ballast = join(path, "ballast")
  return {
    path,
    fill: () => {
      const { bavail, bsize } = statfsSync(path)
      writeFileSync(ballast, Buffer.alloc(bavail * bsize - leftFree))
      return []
    },
    makeRoom: () => rmSync(ballast),
    remove: () => void spawnSync("umount", ["-l", path])
  }
}

/** Files can't grow beyond some MiB, less than a segment of the database's log, which is all that a full disk does to it. */
const limitedFiles = (path: string): SmallDisk => ({
  path,
  fill: () => ["sh", "-c", 'ulimit -f 8192; exec "$0" "$@"'],
  makeRoom: () => {},
  remove: () => {}
})

/** A disk that can be filled: a file system in memory where this account may mount one, else a limit for a process's files. */
export const smallDisk = (folder: string, kind: "any" | "limit" = "any"): SmallDisk => {
  const path = join(folder, kind)
  mkdirSync(path)
  return kind === "any" && mounted(path) ? fileSystem(path) : limitedFiles(path)
}
