import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { readSource, type SourceFile } from "./sourceFile.ts"

/** The top folder of the repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url))

const generated = new Set(["node_modules", ".git", "dist", ".types", ".edp", "coverage"])

/** Every file below a folder, as paths from the top; what is generated or installed is left out. */
export const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`
    if (generated.has(entry.name)) return []
    return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : []
  })

export const readText = (path: string): string => readFileSync(join(root, path), "utf8")

/** Every TypeScript file, with markup or without, of the packages, the tests and the examples. */
export const sourceFiles = (): ReadonlyArray<SourceFile> =>
  ["packages", "test", "examples"]
    .flatMap(filesBelow)
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => readSource(path, readText(path)))
