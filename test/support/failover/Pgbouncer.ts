import { chown, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describeServer } from "../describeServer.ts"
import { freePort } from "../freePort.ts"
import { guardedFolder } from "../guardedFolder.ts"
import { launch } from "../launch.ts"
import { postgresBinaries, serverAccount } from "../postgresCluster.ts"
import { findProgram } from "./findProgram.ts"

const deployed = fileURLToPath(new URL("../../../deploy/failover/", import.meta.url))

/** pgbouncer in front of a throwaway server. It ends when this process ends at the latest. */
export const startPgbouncer = async (databaseUrl: string, poolMode: "session" | "transaction") => {
  const { hostname, password, pathname, port: serverPort, username } = new URL(databaseUrl)
  const folder = await guardedFolder("edp-pgbouncer", { parent: "/tmp" })
  const port = await freePort()
  const account = serverAccount()
  const [ini, users] = [join(folder.path, "pgbouncer.ini"), join(folder.path, "users.txt")]
  const text = (await readFile(join(deployed, "pgbouncer.ini"), "utf8"))
    .replace("edp = host=127.0.0.1 port=5000", `${pathname.slice(1)} = host=${hostname} port=${serverPort}`)
    .replace("6432", String(port))
    .replace("auth_type = scram-sha-256", "auth_type = trust")
    .replace("/etc/pgbouncer/userlist.txt", users)
    .replace("pool_mode = session", `pool_mode = ${poolMode}`)
  await writeFile(ini, text)
  await writeFile(users, `"${username}" "${password}"\n`)
  if (account !== undefined) for (const path of [folder.path, ini, users]) await chown(path, account.uid, account.gid)
  const started = await launch(findProgram("pgbouncer")!, [ini], { cwd: folder.path, ...account })
  folder.protect(started.pid)
  await started.printed(/process up/u)
  return {
    url: `postgres://${username}@127.0.0.1:${port}${pathname}`,
    stop: async () => {
      started.kill("SIGKILL")
      await started.exited
      folder.forget()
      await folder.remove()
    }
  }
}

/** Gives the role the settings of sessions, as docs/failover.md says. */
export const readRoleSettings = () => readFile(join(deployed, "pgbouncer.sql"), "utf8")

/** A suite on pgbouncer in front of PostgreSQL. */
export const describePgbouncer = (name: string, suite: () => void): void => {
  const isThere = postgresBinaries() !== undefined && findProgram("pgbouncer") !== undefined
  describeServer("pgbouncer or PostgreSQL", isThere, name, suite)
}
