import { posix } from "node:path"

export type Target =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "module"; readonly name: string }
  | { readonly kind: "wrong"; readonly why: string }

const ownPackage = /^@edp\/([^/]+)\/(.+)$/

/** The folder of a package: an adapter's is below `packages/adapters`. */
const findFolder = (name: string) => `packages/${name.replace(/^adapter-(?!kit$)/, "adapters/")}`

/** The target of an import: a file of the repository or an external module. */
export const resolve = (importer: string, specifier: string): Target => {
  if (specifier.startsWith(".")) return relative(importer, specifier)
  const own = ownPackage.exec(specifier)
  if (own === null) return { kind: "module", name: specifier }
  const [, name, path] = own
  if (path === "openapi.json") return { kind: "file", path: `${findFolder(name!)}/${path}` }
  if (path!.endsWith(".ts")) return { kind: "wrong", why: "a package's file is named without its extension" }
  if (findPackage(importer) === findFolder(name!))
    return { kind: "wrong", why: "files of one package use relative paths" }
  const folder = `${findFolder(name!)}/src`
  if (/\.(?:tsx|css\?inline)$/.test(path!)) return { kind: "file", path: `${folder}/${path!.split("?")[0]}` }
  return { kind: "file", path: `${folder}/${path}.ts` }
}

const relative = (importer: string, specifier: string): Target => {
  if (!/\.(?:tsx?|json|css|(?:css|js|svg)\?(?:inline|raw))$/.test(specifier))
    return { kind: "wrong", why: "relative imports carry .ts" }
  const path = posix.join(posix.dirname(importer), specifier.split("?")[0]!)
  const leaves = findPackage(path) !== findPackage(importer)
  if (leaves && path.startsWith("packages/")) return { kind: "wrong", why: "another package is imported by its name" }
  if (leaves && importer.startsWith("packages/")) return { kind: "wrong", why: "a package imports from packages alone" }
  return { kind: "file", path }
}

const findPackage = (path: string) =>
  path.split("/", path.startsWith("packages/adapters/") ? 3 : path.startsWith("packages/") ? 2 : 1).join("/")
