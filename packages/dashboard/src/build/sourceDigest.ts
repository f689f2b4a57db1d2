import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** The folder of this package. */
export const packageFolder = fileURLToPath(new URL("../..", import.meta.url))

/** The folder of the built files. */
export const builtFolder = join(packageFolder, "dist")

/** Files and folders that the built page is made of. */
const sources = ["src", "index.html", "vite.config.ts", "package.json", "../domain/src", "../domain/package.json"]

const filesIn = async (path: string): Promise<ReadonlyArray<string>> => {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch((error) => {
    if (error.code === "ENOTDIR") return undefined
    throw error
  })
  if (entries === undefined) return [path]
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

/** A digest of everything in the repository that the built page is made of. */
export const sourceDigest = async (): Promise<string> => {
  const files = (await Promise.all(sources.map((name) => filesIn(join(packageFolder, name))))).flat().toSorted()
  const hash = createHash("sha256")
  for (const path of files) hash.update(`${path.slice(packageFolder.length)}\0`).update(await readFile(path))
  return hash.digest("hex")
}

/** The digest of the sources from which the built files of a folder were made; undefined if there are none. */
export const builtDigest = (folder = builtFolder): string | undefined => {
  try {
    return JSON.parse(readFileSync(join(folder, "build.json"), "utf8")).digest
  } catch {
    return undefined
  }
}
