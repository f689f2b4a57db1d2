import { readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { runProgram } from "../support/launch.ts"

const top = fileURLToPath(new URL("../..", import.meta.url))

/** Packs the command line and installs it into a folder, as docs/cli.md tells. Returns the folder of the installed package. */
export const installEdp = async (folder: string): Promise<string> => {
  const pack = ["-y", "pnpm@12", "--filter", "@edp/cli", "pack", "--pack-destination", folder]
  await runProgram("npx", pack, { cwd: top })
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith(".tgz"))
  // The installation must not need to download anything.
  const install = ["install", "--global", "--offline", "--prefix", folder, join(folder, tarball!)]
  await runProgram("npm", install, { cwd: folder })
  return join(folder, "lib/node_modules/@edp/cli")
}
