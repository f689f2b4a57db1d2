import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { makeOnce } from "./buildOnce.ts"
import { runProgram } from "./launch.ts"

const top = fileURLToPath(new URL("../..", import.meta.url))

/** The tarballs of the packages for other projects. Packing rebuilds their folders, so it is done once a run. */
export const packOnce = async () => {
  const folder = join(process.env["EDP_TEST_BUILDS"] ?? mkdtempSync(join(tmpdir(), "edp-packed-")), "packages")
  const tarballs = {
    domain: join(folder, "edp-domain-2.0.0.tgz"),
    adapterKit: join(folder, "edp-adapter-kit-2.0.0.tgz")
  }
  await makeOnce(folder, "edp-adapter-kit-2.0.0.tgz", async (draft) => {
    const filters = ["--filter", "@edp/domain", "--filter", "@edp/adapter-kit"]
    await runProgram("npx", ["-y", "pnpm@12", ...filters, "pack", "--pack-destination", draft], {
      cwd: top,
      env: { ...process.env, npm_config_prefer_offline: "true", pnpm_config_verify_deps_before_run: "false" }
    })
  })
  return tarballs
}
