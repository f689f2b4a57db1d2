import { execFileSync } from "node:child_process"
import { cpSync, existsSync, readFileSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { runProgram } from "./launch.ts"
import { surroundings } from "./surroundings.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

const git = (...args: ReadonlyArray<string>) => {
  try {
    return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()
  } catch {
    return ""
  }
}

/**
 * The last release before the present commit: the newest version of the changelog with its commit, which is that of its tag or, in a clone without
 * tags, the one that added its heading. Undefined where the clone has neither.
 */
export const findLastRelease = () => {
  const versions = [...readFileSync(join(root, "CHANGELOG.md"), "utf8").matchAll(/^## \[(\d[\d.]*)\]/gmu)]
  const present = git("rev-parse", "HEAD")
  // The oldest commit of a shallow clone seems to have added every line.
  const isWhole = git("rev-parse", "--is-shallow-repository") === "false"
  for (const [, version] of versions) {
    const tagged = git("rev-parse", "--verify", "--quiet", `v${version}^{commit}`)
    const added = () =>
      git("log", "--reverse", "--format=%H", "-S", `## [${version}]`, "--", "CHANGELOG.md").split("\n")[0]!
    const commit = tagged === "" && isWhole ? added() : tagged
    if (commit !== "" && commit !== present) return { version: version!, commit }
  }
  return undefined
}

/** Puts the files of a commit into an empty folder, with the packages that it needs and its hosted pages built. */
export const checkOut = async (commit: string, folder: string) => {
  const archive = join(folder, "commit.tar")
  execFileSync("git", ["archive", "--output", archive, commit], { cwd: root })
  execFileSync("tar", ["--extract", "--file", archive, "--directory", folder])
  const lockfile = "pnpm-lock.yaml"
  if (readFileSync(join(folder, lockfile), "utf8") !== readFileSync(join(root, lockfile), "utf8")) {
    const args = ["-y", "pnpm@12", "install", "--frozen-lockfile", "--prefer-offline"]
    await runProgram("npx", args, { cwd: folder, env: surroundings() })
    return
  }
  // The links of each package lead to the packages of its own folder and, by way of the root, to installed ones.
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  for (const manifest of git("ls-tree", "-r", "--name-only", commit).split("\n")) {
    const modules = join(dirname(manifest), "node_modules")
    if (!manifest.endsWith("/package.json") || !existsSync(join(root, modules))) continue
    const filter = (path: string) => !path.endsWith("/.cache")
    cpSync(join(root, modules), join(folder, modules), { recursive: true, verbatimSymlinks: true, filter })
  }
  const build = "packages/hosted-pages/src/build/build.ts"
  await runProgram(process.execPath, ["--conditions=@edp/source", join(folder, build)], { cwd: folder })
}
