import { execFile } from "node:child_process"
import { chown, mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Account } from "./serverAccount.ts"

const run = promisify(execFile)

export interface ClusterPlace {
  readonly binaries: string
  readonly root: string
  readonly data: string
  readonly sockets: string
  readonly account: Account | undefined
}

/** Fills the data folder of a new server whose superuser is `postgres`. */
export const createPostgresCluster = async (
  place: ClusterPlace,
  method: "trust" | "scram-sha-256",
  password: string
) => {
  const passwordFile = join(place.root, "password")
  await mkdir(place.data, { mode: 0o700 })
  await mkdir(place.sockets, { mode: 0o700 })
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (place.account !== undefined) {
    const { uid, gid } = place.account
    for (const path of [place.root, place.data, place.sockets, passwordFile]) await chown(path, uid, gid)
  }
  const args = ["--username=postgres", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]
  await run(
    join(place.binaries, "initdb"),
    [...args, `--pgdata=${place.data}`, `--auth=${method}`, `--pwfile=${passwordFile}`],
    { cwd: place.root, ...place.account }
  )
}
