import { spawnSync } from "node:child_process"
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const MIB = 2 ** 20
/** Large enough for a new database; `fill` leaves only a little of it free. */
const ordinarySize = 220
const leftFree = 12 * MIB
/** Less than a segment of the database's log. */
const fileLimit = 8 * MIB

export interface SmallDisk {
  readonly path: string
  /** Leaves little space to the process and to processes that are started through `through`. */
  readonly fill: (pid: number) => void
  /** Leaves no space at all; undefined if only the size of files is limited. */
  readonly fillUp: (() => void) | undefined
  readonly through: ReadonlyArray<string>
  readonly makeRoom: () => void
  readonly remove: () => void
}

const mounted = (path: string, mebibytes: number) =>
  process.platform === "linux" &&
  process.getuid?.() === 0 &&
  spawnSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", path]).status === 0

const fileSystem = (path: string): SmallDisk => {
  const ballast = join(path, "ballast")
  return {
    path,
    fill: () => {
      const { bavail, bsize } = statfsSync(path)
      writeFileSync(ballast, Buffer.alloc(bavail * bsize - leftFree))
    },
    fillUp: () => {
      const { bavail, bsize } = statfsSync(path)
      try {
        writeFileSync(ballast, Buffer.alloc(bavail * bsize))
      } catch (error) {
        // Others may have written meanwhile.
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error
      }
    },
    through: [],
    makeRoom: () => rmSync(ballast),
    remove: () => void spawnSync("umount", ["-l", path])
  }
}

/** Limits the size of files, so that no new log segment can be written, as on a full disk. */
const limitedFiles = (path: string): SmallDisk => ({
  path,
  fill: (pid) => {
    const limited = spawnSync("prlimit", ["--pid", `${pid}`, `--fsize=${fileLimit}`], { encoding: "utf8" })
    if (limited.status !== 0) throw new Error(`prlimit: ${limited.stderr}`)
  },
  fillUp: undefined,
  through: ["prlimit", `--fsize=${fileLimit}`],
  makeRoom: () => {},
  remove: () => {}
})

/** A disk that can be filled: an in-memory file system if this account may mount one, otherwise a file size limit for a process. */
export const smallDisk = (folder: string, kind: "any" | "limit" = "any", mebibytes = ordinarySize): SmallDisk => {
  const path = join(folder, kind)
  mkdirSync(path)
  return kind === "any" && mounted(path, mebibytes) ? fileSystem(path) : limitedFiles(path)
}
