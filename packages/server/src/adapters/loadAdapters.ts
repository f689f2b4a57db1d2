import { existsSync, readFileSync, statSync } from "node:fs"
import { createRequire, findPackageJSON, registerHooks } from "node:module"
import { dirname, join, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { type AdapterPackage, ManifestSchema, PORT_VERSION } from "@edp/adapter-kit/AdapterPackage"
import type { AnyManufacturerAdapter } from "@edp/adapter-kit/ManufacturerAdapter"
import { schemaDetails } from "@edp/domain/errors/schemaDetails"
import { Data, Effect, Schema } from "effect"
import { StartError } from "../platform/StartError.ts"

/** The reason for which an adapter can't be used. */
class Unusable extends Data.TaggedError("Unusable")<{ readonly reason: string }> {}

const refuse = (reason: string) => Effect.fail(new Unusable({ reason }))

/** The first line of an error, without the file that imports. */
const firstLine = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).split("\n", 1)[0]!.replace(/ imported from .*$/u, "")

const attempt = <A>(failed: string, read: () => A) =>
  Effect.try({ try: read, catch: (error) => new Unusable({ reason: `${failed}: ${firstLine(error)}` }) })

/** Packages of which this process has one copy, whoever imports them: a `Redacted` of one copy of Effect is no value of another. */
const shared = /^(?:effect|@edp\/domain|@edp\/adapter-kit)(?:\/|$)/u

/** The names of packages whose main modules are imported, by the addresses of their manifests. */
const mains = new Map<string, string>()

/**
 * Gives the service's copies of the shared packages to modules outside of the repository, and makes the address of a package's manifest
 * one of its main module.
 */
const adaptImports = () =>
  registerHooks({
    resolve: (specifier, context, next) => {
      if (shared.test(specifier)) return next(specifier, { ...context, parentURL: import.meta.url })
      const name = mains.get(specifier)
      return name === undefined ? next(specifier, context) : next(name, { ...context, parentURL: specifier })
    }
  })

/** The folder of a package or an entry that names a path. */
const findFolder = Effect.fnUntraced(function* (entry: string) {
  const isPath = /^(?:\.{0,2}[\\/]|\.{1,2}$|file:|[a-z]:[\\/])/iu.test(entry)
  if (isPath) {
    const folder = entry.startsWith("file:")
      ? yield* attempt("is no address of a folder", () => fileURLToPath(entry))
      : resolve(entry)
    return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true
      ? folder
      : yield* refuse(`there is no folder ${folder}`)
  }
  const manifest = yield* Effect.sync(() => {
    try {
      return findPackageJSON(entry, pathToFileURL(join(process.cwd(), "package.json")))
    } catch {
      return undefined
    }
  })
  return manifest === undefined
    ? yield* refuse(`there is no package of this name in ${process.cwd()}; a folder begins with / or ./`)
    : dirname(manifest)
})

const PackageManifest = Schema.fromJsonString(
  Schema.Struct({
    name: Schema.optionalKey(Schema.String),
    exports: Schema.optionalKey(Schema.Unknown)
  })
)

/** The address of a package's main module, or of its manifest if the package names its main module under `exports`. */
const findMain = Effect.fnUntraced(function* (folder: string) {
  const path = join(folder, "package.json")
  if (!existsSync(path)) return yield* refuse(`there is no ${path}`)
  const text = yield* attempt(`${path} can't be read`, () => readFileSync(path, "utf8"))
  const { exports, name } = yield* Schema.decodeUnknownEffect(PackageManifest)(text).pipe(
    Effect.mapError(() => new Unusable({ reason: `${path} is no manifest of a package` }))
  )
  if (exports === undefined || name === undefined) {
    return pathToFileURL(yield* attempt("has no main module", () => createRequire(path).resolve(folder))).href
  }
  const { href } = pathToFileURL(path)
  mains.set(href, name)
  return href
})

/** Seconds after which a module that waits for something while it is loaded counts as one that never will be. */
const LOAD_LIMIT = 10

const load = (address: string) =>
  Effect.tryPromise({
    try: async (): Promise<unknown> => (await import(address)).default,
    catch: (error) => new Unusable({ reason: `can't be loaded: ${firstLine(error)}` })
  }).pipe(
    Effect.timeoutOrElse({
      duration: `${LOAD_LIMIT} seconds`,
      orElse: () => refuse(`can't be loaded: not finished after ${LOAD_LIMIT} seconds`)
    })
  )

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Checks the form of a module's default export. */
const checkExport = Effect.fnUntraced(function* (found: unknown) {
  if (!isObject(found) || !isObject(found["adapter"])) {
    return yield* refuse("exports no adapter: its default export must be { port, adapter }")
  }
  const { adapter, port } = found
  if (port !== PORT_VERSION) {
    return yield* refuse(
      `is written for version ${String(port)} of the port, and this service has version ${PORT_VERSION}`
    )
  }
  yield* Schema.decodeUnknownEffect(ManifestSchema)(adapter["manifest"], { errors: "all" }).pipe(
    Effect.mapError((error) => {
      const [[field, message] = ["manifest", "Is required"]] = Object.entries(
        schemaDetails(error, "manifest", ["manifest"])
      )
      return new Unusable({ reason: `${field}: ${message}` })
    })
  )
  for (const field of ["settings", "credentials"]) {
    if (!Schema.isSchema(adapter[field])) return yield* refuse(`${field}: Must be a schema`)
  }
  if (typeof adapter["create"] !== "function") return yield* refuse("create: Must be a function")
  return (found as unknown as AdapterPackage).adapter
})

/**
 * The adapters with those of packages and folders outside of the repository. One that can't be used ends the start: half of an
 * installation is worse than none.
 */
export const loadAdapters = Effect.fnUntraced(function* (
  own: ReadonlyArray<AnyManufacturerAdapter>,
  entries: ReadonlyArray<string>
) {
  if (entries.length > 0) yield* Effect.sync(adaptImports)
  const adapters = [...own]
  for (const entry of entries) {
    const adapter = yield* findFolder(entry).pipe(
      Effect.flatMap(findMain),
      Effect.flatMap(load),
      Effect.flatMap(checkExport),
      Effect.flatMap((found) =>
        adapters.some(({ manifest }) => manifest.slug === found.manifest.slug)
          ? refuse(`another adapter has the slug ${found.manifest.slug}`)
          : Effect.succeed(found)
      ),
      Effect.mapError(({ reason }) => new StartError({ message: `EDP_ADAPTERS: ${entry}: ${reason}` }))
    )
    adapters.push(adapter)
  }
  return adapters
})
