import { execFile, execFileSync } from "node:child_process"
import { existsSync, readFileSync, readdirSync } from "node:fs"
import { chown, mkdir, writeFile } from "node:fs/promises"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

export interface ClusterPlace {
  readonly binaries: string
  readonly root: string
  readonly data: string
  readonly sockets: string
  readonly account: Account | undefined
}

const prepareFolders = async ({ account, data, root, sockets }: ClusterPlace) => {
  await mkdir(data, { mode: 0o700 })
  await mkdir(sockets, { mode: 0o700 })
  if (account === undefined) return
  for (const path of [root, data, sockets]) await chown(path, account.uid, account.gid)
}

/** Fills the data folder of a replica from the server on a port, which it follows when it starts. */
export const copyPostgresCluster = async (place: ClusterPlace, port: number) => {
  await prepareFolders(place)
  const args = ["--host=127.0.0.1", `--port=${port}`, "--username=postgres", `--pgdata=${place.data}`]
  await run(
    join(place.binaries, "pg_basebackup"),
    [...args, "--write-recovery-conf", "--checkpoint=fast", "--no-sync"],
    {
      cwd: place.root,
      ...place.account
    }
  )
}

/** Initializes the data folder of a new server whose superuser is `postgres`. */
export const createPostgresCluster = async (
  place: ClusterPlace,
  method: "trust" | "scram-sha-256",
  password: string
) => {
  const passwordFile = join(place.root, "password")
  await prepareFolders(place)
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (place.account !== undefined) await chown(passwordFile, place.account.uid, place.account.gid)
  const args = ["--username=postgres", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]
  await run(
    join(place.binaries, "initdb"),
    [...args, `--pgdata=${place.data}`, `--auth=${method}`, `--pwfile=${passwordFile}`],
    { cwd: place.root, ...place.account }
  )
}

/** Debian keeps the server's programs out of PATH, one folder per major version. */
const debianRoot = "/usr/lib/postgresql"

const debianFolders = () =>
  existsSync(debianRoot)
    ? readdirSync(debianRoot)
        .sort((left, right) => Number(right) - Number(left))
        .map((version) => join(debianRoot, version, "bin"))
    : []

const configuredFolder = () => {
  try {
    return [execFileSync("pg_config", ["--bindir"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()]
  } catch {
    return []
  }
}

const holdsServer = (folder: string) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres"))

/** The folder with `initdb` and `postgres` of the newest installed PostgreSQL, if any. */
export const postgresBinaries = (): string | undefined =>
  debianFolders().find(holdsServer) ??
  [...configuredFolder(), ...(process.env.PATH ?? "").split(delimiter)].find(holdsServer)

interface Account {
  readonly uid: number
  readonly gid: number
}

/** PostgreSQL refuses to run as root. Other users run it under their own account (undefined). */
export const serverAccount = (): Account | undefined => {
  if (process.getuid?.() !== 0) return undefined
  const accounts = new Map(
    readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .map((line) => line.split(":"))
      .map(([name, , uid, gid]) => [name, { uid: Number(uid), gid: Number(gid) }] as const)
  )
  const account = accounts.get("postgres") ?? accounts.get("nobody")
  if (account === undefined) throw new Error("PostgreSQL needs an account other than root: add `postgres` or `nobody`")
  return account
}
