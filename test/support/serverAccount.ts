import { readFileSync } from "node:fs"

export interface Account {
  readonly uid: number
  readonly gid: number
}

/** PostgreSQL refuses to run as root; everybody else runs it under their own account (undefined). */
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
