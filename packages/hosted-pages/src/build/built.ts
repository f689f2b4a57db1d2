import { hash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"

/** The folder of this package. */
export const packageFolder = fileURLToPath(new URL("../..", import.meta.url))

/** The sources of a build, as paths from the folder of the package, with the digest of all of them. */
interface Manifest {
  readonly sources: ReadonlyArray<string>
  readonly digest: string
}

const digestFiles = (folder: string, sources: ReadonlyArray<string>): string =>
  hash("sha256", sources.map((path) => readFileSync(join(folder, path), "utf8")).join("\0"))

export const makeManifest = (folder: string, paths: ReadonlyArray<string>): Manifest => {
  const sources = paths.map((path) => relative(folder, path)).toSorted()
  return { sources, digest: digestFiles(folder, sources) }
}

/** Whether the built files are what the present sources make. An installation without sources has nothing newer. */
export const isFresh = (folder: string): boolean => {
  try {
    const { digest, sources } = JSON.parse(readFileSync(join(folder, "dist/build.json"), "utf8")) as Manifest
    return !existsSync(join(folder, "src")) || digestFiles(folder, sources) === digest
  } catch {
    // There is no build, or one of its sources is gone.
    return false
  }
}

const command = "npx -y pnpm@12 --filter @edp/hosted-pages build"

/** Why the service should not render these pages, in one line: they are not built, or their sources have changed since. */
export const findProblem = (
  folder = packageFolder
): { readonly isMissing: boolean; readonly message: string } | undefined => {
  if (isFresh(folder)) return undefined
  const isMissing = !existsSync(join(folder, "dist/render.js"))
  const reason = isMissing ? "The hosted pages are not built" : "The hosted pages are older than their sources"
  return { isMissing, message: `${reason}: ${command}` }
}
