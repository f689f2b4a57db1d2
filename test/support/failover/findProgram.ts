import { existsSync } from "node:fs"
import { delimiter, join } from "node:path"

/** The path of an installed program. Debian keeps some servers in /usr/sbin, which is not in the PATH of an ordinary user. */
export const findProgram = (name: string): string | undefined =>
  [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"].map((path) => join(path, name)).find(existsSync)
