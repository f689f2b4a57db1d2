import { type ApiKeyType, apiKeyTypes } from "@edp/domain/auth/ApiKeyType"
import { Effect, FileSystem, Option, Path, Predicate, Schema } from "effect"
import { CliFailure } from "./CliFailure.ts"

export const CREDENTIALS = "credentials.json"

/** The file that the first start of the service writes. Unknown fields are kept. */
const Credentials = Schema.StructWithRest(
  Schema.Struct({
    baseUrl: Schema.optionalKey(Schema.String),
    organizationId: Schema.optionalKey(Schema.String),
    workspaceId: Schema.optionalKey(Schema.String)
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)
export type Credentials = typeof Credentials.Type

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Credentials))

/** The field of a key type: `serverKey`, `managementKey`, … */
export const keyField = (type: ApiKeyType) => `${type.toLowerCase()}Key`

export const keysIn = (credentials: Credentials): ReadonlyArray<readonly [ApiKeyType, string]> =>
  apiKeyTypes.flatMap((type) => {
    const key = credentials[keyField(type)]
    return typeof key === "string" ? [[type, key] as const] : []
  })

const unreadable = (path: string, why: string) =>
  new CliFailure({ code: "PROFILE_UNREADABLE", message: `${path}: ${why}` })

export const readCredentials = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* fs
    .readFileString(path)
    .pipe(Effect.mapError((error) => unreadable(path, error.reason.description ?? "can't be read")))
  return yield* decode(text).pipe(
    Effect.mapError(() => unreadable(path, "must be a JSON object as the first start of the service writes it"))
  )
})

/**
 * Changes fields of a credentials file atomically: readers see the old file or the new one. Only the user can read it.
 */
export const updateCredentials = Effect.fnUntraced(
  function* (path: string, fields: Readonly<Record<string, string>>) {
    const fs = yield* FileSystem.FileSystem
    const paths = yield* Path.Path
    const before = (yield* fs.exists(path)) ? yield* readCredentials(path) : {}
    yield* fs.makeDirectory(paths.dirname(path), { recursive: true, mode: 0o700 })
    const temporary = `${path}.${process.pid}.tmp`
    const text = new TextEncoder().encode(`${JSON.stringify({ ...before, ...fields }, null, 2)}\n`)
    const file = yield* fs.open(temporary, { flag: "w", mode: 0o600 })
    yield* file.writeAll(text)
    yield* file.sync
    yield* fs.rename(temporary, path)
  },
  Effect.scoped,
  (effect, path) =>
    Effect.mapError(effect, (error) =>
      error instanceof CliFailure
        ? error
        : new CliFailure({
            code: "PROFILE_UNWRITABLE",
            message: `${path} can't be written: ${error.reason.description ?? error.message}`
          })
    )
)

/**
 * The nearest `.edp/credentials.json` in this folder or a parent. Files of other users are ignored: one could direct this
 * user's keys to an address of its choice.
 */
export const searchCredentials = Effect.fnUntraced(function* (from: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  for (let folder = from; ; folder = paths.dirname(folder)) {
    const path = paths.join(folder, ".edp", CREDENTIALS)
    const info = yield* Effect.option(fs.stat(path))
    if (Option.isSome(info) && info.value.type === "File" && isOwn(info.value.uid)) return Option.some(path)
    if (paths.dirname(folder) === folder) return Option.none()
  }
})

const isOwn = (uid: Option.Option<number>) =>
  Option.isNone(uid) || Predicate.isUndefined(process.getuid) || uid.value === process.getuid() || uid.value === 0
