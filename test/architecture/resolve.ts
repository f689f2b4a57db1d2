import { posix } from "node:path"

export type Target =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "module"; readonly name: string }
  | { readonly kind: "wrong"; readonly why: string }

const ownPackage = /^@edp\/([^/]+)\/(.+)$/

/** The target of an import: a file of the repository or an external module. */
export const resolve = (importer: string, specifier: string): Target => {
  if (specifier.startsWith(".")) return relative(importer, specifier)
  const own = ownPackage.exec(specifier)
  if (own === null) return { kind: "module", name: specifier }
  const [, name, path] = own
  if (path === "openapi.json") return { kind: "file", path: `packages/${name}/${path}` }
  if (path!.endsWith(".ts")) return { kind: "wrong", why: "a package's file is named without its extension" }
  if (findPackage(importer) === `packages/${name}`)
    return { kind: "wrong", why: "files of one package use relative paths" }
  return { kind: "file", path: `packages/${name}/src/${path}.ts` }
}

const relative = (importer: string, specifier: string): Target => {
  if (!/\.(tsx?|json|css)$/.test(specifier)) return { kind: "wrong", why: "relative imports carry .ts" }
  const path = posix.join(posix.dirname(importer), specifier)
  const leaves = findPackage(path) !== findPackage(importer)
  if (leaves && path.startsWith("packages/")) return { kind: "wrong", why: "another package is imported by its name" }
  if (leaves && importer.startsWith("packages/")) return { kind: "wrong", why: "a package imports from packages alone" }
  return { kind: "file", path }
}

const findPackage = (path: string) =>
  path.startsWith("packages/") ? path.split("/", 2).join("/") : path.split("/", 1)[0]
