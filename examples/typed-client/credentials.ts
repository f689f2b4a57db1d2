import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Config, Data, Effect, Option, Schema } from "effect"

/** The credentials that the first start of the service writes into its data folder. */
const Credentials = Schema.Struct({
  baseUrl: Schema.String,
  serverKey: Schema.RedactedFromValue(Schema.String),
  manufacturerKey: Schema.RedactedFromValue(Schema.String)
})

/** The service was never started here. */
export class NoCredentials extends Data.TaggedError("NoCredentials")<{ readonly message: string }> {}

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Credentials))

/** `.edp/credentials.json` of this folder or of the nearest one above it. */
const search = (folder: string): string | undefined => {
  const path = join(folder, ".edp", "credentials.json")
  if (existsSync(path)) return path
  return dirname(folder) === folder ? undefined : search(dirname(folder))
}

/** Reads the credentials in `EDP_DATA_DIR`, or those that lie nearest. */
export const readCredentials = Effect.gen(function* () {
  const dataDir = yield* Config.option(Config.NonEmptyString("EDP_DATA_DIR"))
  const path = Option.isSome(dataDir) ? join(dataDir.value, "credentials.json") : search(process.cwd())
  if (path === undefined || !existsSync(path)) {
    return yield* new NoCredentials({ message: "There are no credentials yet: start the service first" })
  }
  return yield* decode(readFileSync(path, "utf8"))
})
