import { type ApiKeyType, apiKeyTypes } from "@edp/domain/auth/ApiKeyType"
import { isWellFormedKey, parseKeyType } from "@edp/domain/auth/keyFormat"
import { Config, Effect, FileSystem, Option, Path, Redacted } from "effect"
import { CliFailure } from "./CliFailure.ts"
import { CREDENTIALS, type Credentials, keysIn, readCredentials, searchCredentials } from "./credentialsFile.ts"

export interface StoredKey {
  readonly key: Redacted.Redacted
  /** The variable or file that it comes from. */
  readonly source: string
}

/** The service and the keys to use. */
export interface Profile {
  readonly baseUrl: string
  /** The credentials file that was read, if any. */
  readonly file: Option.Option<string>
  /** The file that stores keys created by the tool. */
  readonly store: string
  readonly keys: ReadonlyMap<ApiKeyType, StoredKey>
}

export interface ProfileFlags {
  /** Whether a missing credentials file may be created. */
  readonly provision?: boolean
  readonly url: Option.Option<string>
  readonly profile: Option.Option<string>
  readonly dataDir: Option.Option<string>
}

const DEFAULT_URL = "http://127.0.0.1:3000"

const setting = (name: string) => Effect.orDie(Config.option(Config.NonEmptyString(name)))

const existing = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  return (yield* Effect.orElseSucceed(fs.exists(path), () => false)) ? Option.some(path) : Option.none()
})

const START_ADVICE = "The first start of the service writes it. Is it the folder that the service runs with?"

const missing = Effect.fnUntraced(function* (named: { readonly store: string; readonly by: string }) {
  const paths = yield* Path.Path
  const folder = paths.dirname(named.store)
  if (named.by === "--profile") {
    return new CliFailure({
      code: "PROFILE_NOT_FOUND",
      message: `--profile names ${named.store}, which does not exist`
    })
  }
  return Option.isNone(yield* existing(folder))
    ? new CliFailure({
        code: "DATA_DIR_NOT_FOUND",
        message: `${named.by} names ${folder}, which does not exist`
      })
    : new CliFailure({
        code: "PROFILE_NOT_FOUND",
        message: `${named.by} names ${folder}, which has no ${CREDENTIALS}`,
        details: [START_ADVICE]
      })
})

/** Precedence: `--profile`, `--data-dir`, EDP_DATA_DIR, then `.edp` in this folder or a parent. */
const locate = Effect.fnUntraced(function* (flags: ProfileFlags) {
  const paths = yield* Path.Path
  const inFolder = (by: string) => (folder: string) => ({ by, store: paths.join(folder, CREDENTIALS) })
  const variable = yield* setting("EDP_DATA_DIR")
  const named = Option.firstSomeOf([
    Option.map(flags.profile, (store) => ({ by: "--profile", store })),
    Option.map(flags.dataDir, inFolder("--data-dir")),
    Option.map(variable, inFolder("EDP_DATA_DIR"))
  ])
  if (Option.isSome(named)) return { ...named.value, file: yield* existing(named.value.store) }
  const found = yield* searchCredentials(paths.resolve("."))
  return { by: undefined, file: found, store: Option.getOrElse(found, () => paths.join(".edp", CREDENTIALS)) }
})

const checked = (type: ApiKeyType, text: string, source: string) =>
  isWellFormedKey(text) && parseKeyType(text) === type
    ? Effect.succeed([type, { key: Redacted.make(text, { label: `${type} key` }), source }] as const)
    : Effect.fail(
        new CliFailure({
          code: "KEY_MALFORMED",
          message: `${source} has no well-formed ${type} key`,
          details: ["Is a character missing? A key is 38 letters and digits after its prefix."]
        })
      )

const collectKeys = Effect.fnUntraced(function* (credentials: Credentials, file: string) {
  const inFile = yield* Effect.forEach(keysIn(credentials), ([type, text]) => checked(type, text, file))
  const inVariables = yield* Effect.forEach(apiKeyTypes, (type) =>
    Effect.flatMap(setting(`EDP_KEY_${type}`), (text) =>
      Option.isNone(text)
        ? Effect.succeed([])
        : Effect.map(checked(type, text.value.trim(), `EDP_KEY_${type}`), (entry) => [entry])
    )
  )
  return new Map([...inFile, ...inVariables.flat()])
})

const parseUrl = (text: string) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/u.test(url.protocol)
    ? Effect.succeed(url.href.replace(/\/+$/u, ""))
    : Effect.fail(
        new CliFailure({ code: "URL_MALFORMED", message: `${text} is not an http or https address`, exitCode: 2 })
      )
}

/** Precedence: flags, variables, the credentials file. */
export const loadProfile = Effect.fnUntraced(function* (flags: ProfileFlags) {
  const { by, file, store } = yield* locate(flags)
  const credentials: Credentials = Option.isSome(file) ? yield* readCredentials(file.value) : {}
  const keys = yield* collectKeys(credentials, store)
  // EDP_DATA_DIR is often set for the service: with keys in variables the folder need not exist.
  const isNeeded = by !== "EDP_DATA_DIR" || keys.size === 0
  if (by !== undefined && Option.isNone(file) && isNeeded && flags.provision !== true) {
    return yield* yield* missing({ store, by })
  }
  const url = Option.isSome(flags.url) ? flags.url : yield* setting("EDP_URL")
  const profile: Profile = {
    baseUrl: yield* parseUrl(Option.getOrElse(url, () => credentials.baseUrl ?? DEFAULT_URL)),
    file,
    store,
    keys
  }
  return profile
})
