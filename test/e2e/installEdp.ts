import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { makeOnce } from "../support/buildOnce.ts"
import { runProgram } from "../support/launch.ts"

const top = fileURLToPath(new URL("../..", import.meta.url))

/** The package of the command line. Packing rebuilds its folder, so it is done once a run. */
const pack = async () => {
  const folder = join(process.env["EDP_TEST_BUILDS"] ?? mkdtempSync(join(tmpdir(), "edp-packed-")), "command-line")
  const tarball = "edp-cli-2.0.0.tgz"
  await makeOnce(folder, tarball, async (draft) => {
    await runProgram("npx", ["-y", "pnpm@12", "--filter", "@edp/cli", "pack", "--pack-destination", draft], {
      cwd: top
    })
  })
  return join(folder, tarball)
}

/** Packs the command line and installs it into a folder, as docs/cli.md tells. Returns the folder of the installed package. */
export const installEdp = async (folder: string): Promise<string> => {
  const tarball = await pack()
  // The installation must not need to download anything.
  await runProgram("npm", ["install", "--global", "--offline", "--prefix", folder, tarball], { cwd: folder })
  return join(folder, "lib/node_modules/@edp/cli")
}
