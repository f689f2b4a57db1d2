import { spawnSync } from "node:child_process"
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const MIB = 2 ** 20
/** What a new database leaves free, and what is left of that when the disk is nearly full. */
const size = 220 * MIB
const leftFree = 12 * MIB
/** Less than a segment of the database's log. */
const fileLimit = 8 * MIB

export interface SmallDisk {
  readonly path: string
  /** Leaves hardly any room to the process and to those that are started through `through`. */
  readonly fill: (pid: number) => void
  readonly through: ReadonlyArray<string>
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
    },
    through: [],
    makeRoom: () => rmSync(ballast),
    remove: () => void spawnSync("umount", ["-l", path])
  }
}

/** Files can't grow beyond a limit, so that no new segment of the log can be written, as on a full disk. */
const limitedFiles = (path: string): SmallDisk => ({
  path,
  fill: (pid) => {
    const limited = spawnSync("prlimit", ["--pid", `${pid}`, `--fsize=${fileLimit}`], { encoding: "utf8" })
    if (limited.status !== 0) throw new Error(`prlimit: ${limited.stderr}`)
  },
  through: ["prlimit", `--fsize=${fileLimit}`],
  makeRoom: () => {},
  remove: () => {}
})

/** A disk that can be filled: a file system in memory where this account may mount one, else a limit for a process's files. */
export const smallDisk = (folder: string, kind: "any" | "limit" = "any"): SmallDisk => {
  const path = join(folder, kind)
  mkdirSync(path)
  return kind === "any" && mounted(path) ? fileSystem(path) : limitedFiles(path)
}
