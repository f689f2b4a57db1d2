import { execFileSync } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { delimiter, join } from "node:path"

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

/** The folder with `initdb` and `postgres` of the newest installed PostgreSQL, undefined when there is none. */
export const postgresBinaries = (): string | undefined =>
  debianFolders().find(holdsServer) ??
  [...configuredFolder(), ...(process.env.PATH ?? "").split(delimiter)].find(holdsServer)
