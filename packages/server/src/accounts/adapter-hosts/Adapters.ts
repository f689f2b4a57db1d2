import { listSettings } from "@edp/adapter-kit/adapterSettings"
import { Context, Effect, Exit, Layer, Option, Schema, SchemaIssue, Scope } from "effect"
import { builtInAdapters } from "../../adapters/builtInAdapters.ts"
import { addTemplates } from "../../adapters/templateAdapters.ts"
import type { AdapterInstance, AnyManufacturerAdapter, Manifest } from "@edp/adapter-kit/ManufacturerAdapter"
import { Manufacturers } from "../../manufacturers/Manufacturers.ts"
import { ServerConfig, adapterVariable } from "../../platform/config/ServerConfig.ts"
import type { GuardedSend } from "../../platform/outbound/GuardedHttp.ts"
import { StartError } from "../../platform/StartError.ts"
import { AdapterHosts } from "./AdapterHosts.ts"

/** An adapter that takes longer is left out. */
const START_LIMIT = "30 seconds"

/** The adapters of this process. Tests replace the list. */
export const AdapterRegistry = Context.Reference<ReadonlyArray<AnyManufacturerAdapter>>(
  "@edp/server/accounts/AdapterRegistry",
  { defaultValue: () => builtInAdapters }
)

/** An adapter at work in this process. */
export interface RunningAdapter {
  readonly adapter: AnyManufacturerAdapter
  readonly manifest: Manifest
  readonly instance: AdapterInstance<unknown>
  /** For the calls of its accounts. */
  readonly send: GuardedSend
}

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** Names the variable; the value may be a secret. */
const invalidSetting = (slug: string, error: Schema.SchemaError) => {
  const [issue] = format(error.issue).issues
  const [field] = issue?.path ?? []
  const name = typeof field === "object" ? field.key : field
  return new StartError({
    message:
      name === undefined
        ? `the settings EDP_${slug.toUpperCase()}_* are invalid`
        : `${adapterVariable(slug, String(name))} is not a valid value for the adapter of ${slug}`
  })
}

/** Reads an adapter's settings; none if a required one is missing. */
const readSettings = Effect.fnUntraced(function* (adapter: AnyManufacturerAdapter) {
  const { adapterSetting } = yield* ServerConfig
  const { slug } = adapter.manifest
  const given = yield* Effect.forEach(listSettings(adapter), (field) =>
    Effect.map(adapterSetting(slug, field.name), (text) => ({ ...field, text: Option.getOrUndefined(text) }))
  )
  const missing = given.filter(({ isRequired, text }) => isRequired && text === undefined)
  if (missing.length > 0) {
    if (given.some(({ text }) => text !== undefined)) {
      const names = missing.map(({ name }) => adapterVariable(slug, name)).join(" and ")
      yield* Effect.logWarning(`${adapter.manifest.name} can't be connected: ${names} must be set, too`)
    }
    return Option.none()
  }
  const present = Object.fromEntries(given.flatMap(({ name, text }) => (text === undefined ? [] : [[name, text]])))
  const settings = yield* Schema.decodeUnknownEffect(adapter.settings)(present).pipe(
    Effect.mapError((error) => invalidSetting(slug, error))
  )
  return Option.some({ settings, texts: Object.values(present) })
})

/**
 * The running instance of each adapter whose settings are complete: one for a process, for as long as its Layer lives. An
 * adapter that fails to start is logged and left out.
 */
export class Adapters extends Context.Service<
  Adapters,
  {
    readonly running: ReadonlyArray<RunningAdapter>
    readonly get: (slug: string) => RunningAdapter | undefined
  }
>()("@edp/server/accounts/Adapters") {
  static readonly layer = Layer.effect(
    Adapters,
    Effect.gen(function* () {
      const { simulator, templatesDir } = yield* ServerConfig
      const registry = (yield* AdapterRegistry).filter(({ manifest }) => simulator || manifest.slug !== "simulator")
      const adapters = Option.isNone(templatesDir)
        ? registry
        : yield* Effect.mapError(
            addTemplates(registry, templatesDir.value),
            ({ message }) => new StartError({ message: `EDP_TEMPLATES_DIR: ${message}` })
          )
      const hosts = yield* AdapterHosts
      const manufacturers = yield* Manufacturers
      const scope = yield* Effect.scope

      const start = Effect.fnUntraced(function* (adapter: AnyManufacturerAdapter) {
        const found = yield* readSettings(adapter)
        if (Option.isNone(found)) return []
        const { host, send } = yield* hosts.make(adapter, found.value.texts)
        const created = yield* Effect.exit(
          Effect.provideService(adapter.create(found.value.settings, host), Scope.Scope, scope).pipe(
            Effect.timeout(START_LIMIT)
          )
        )
        if (Exit.isSuccess(created)) {
          return [{ adapter, manifest: adapter.manifest, instance: created.value as AdapterInstance<unknown>, send }]
        }
        yield* Effect.logError(`The adapter of ${adapter.manifest.name} does not start`, created.cause)
        return []
      })

      const running = (yield* Effect.forEach(adapters, start)).flat()
      const bySlug = new Map<string, RunningAdapter>(running.map((each) => [each.manifest.slug, each]))
      yield* manufacturers.syncConnectable(running.map(({ manifest }) => manifest))
      return { running, get: (slug) => bySlug.get(slug) }
    })
  )
}
