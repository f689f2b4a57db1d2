import { createHash } from "node:crypto"
import { existsSync, openAsBlob } from "node:fs"
import { mkdir, rm, stat } from "node:fs/promises"
import { tmpdir, userInfo } from "node:os"
import { dirname, join } from "node:path"
import { Config, Effect } from "effect"
import { CliFailure, usage } from "../../kernel/CliFailure.ts"
import { writing } from "../../kernel/files.ts"

/** The files of an export by days, in a folder or a bucket. */
export interface Destination {
  readonly has: (name: string) => Effect.Effect<boolean, CliFailure>
  /** The local file in which an export is written, and continued after an interruption. */
  readonly prepare: (name: string) => Effect.Effect<string, CliFailure>
  /** Puts the local file in its place. */
  readonly keep: (name: string) => Effect.Effect<void, CliFailure>
  readonly discard: (name: string) => Effect.Effect<void>
  readonly locate: (name: string) => string
}

const inFolder = (folder: string): Destination => {
  const locate = (name: string) => join(folder, name)
  return {
    has: (name) => Effect.sync(() => existsSync(locate(name))),
    prepare: (name) =>
      writing(locate(name), async () => {
        await mkdir(dirname(locate(name)), { recursive: true })
        return locate(name)
      }),
    keep: () => Effect.void,
    discard: (name) => Effect.promise(() => rm(locate(name), { force: true })),
    locate
  }
}

/** The time limit of a request, of which each carries a part of a file. */
const TIMEOUT = 120_000
const PART_BYTES = 8 * 1024 * 1024

const setting = (name: string) =>
  Config.NonEmptyString(name).pipe(Effect.mapError(() => usage(`An export to S3 needs ${name}`)))

/** A folder for files that are to be uploaded. Another user may have created one of its name, and would read them. */
const openStaging = (folder: string) =>
  writing(folder, async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    if ((await stat(folder)).uid !== userInfo().uid) throw new Error("it belongs to another user")
  })

/** A bucket by the variables of AWS, which other services of the protocol use as well. */
const inBucket = Effect.fnUntraced(function* (name: string, prefix: string) {
  const region = yield* Effect.orDie(Config.NonEmptyString("AWS_REGION").pipe(Config.withDefault("us-east-1")))
  const endpoint = yield* Effect.orDie(
    Config.NonEmptyString("AWS_ENDPOINT_URL_S3").pipe(Config.withDefault(`https://s3.${region}.amazonaws.com`))
  )
  if (!URL.canParse(endpoint)) return yield* usage("AWS_ENDPOINT_URL_S3 must be a URL such as https://s3.example.com")
  const accessKeyId = yield* setting("AWS_ACCESS_KEY_ID")
  const secretAccessKey = yield* setting("AWS_SECRET_ACCESS_KEY")
  const { S3mini } = yield* Effect.promise(() => import("s3mini"))
  const bucket = new S3mini({
    accessKeyId,
    secretAccessKey,
    endpoint: `${endpoint.replace(/\/+$/u, "")}/${name}`,
    region,
    requestSizeInBytes: PART_BYTES,
    requestAbortTimeout: TIMEOUT
  })
  const keyFor = (file: string) => (prefix === "" ? file : `${prefix}/${file}`)
  const locate = (file: string) => `s3://${name}/${keyFor(file)}`
  const asking = <A>(file: string, task: () => Promise<A>) =>
    Effect.tryPromise({
      try: task,
      catch: (cause) =>
        new CliFailure({
          code: "S3_FAILED",
          message: `${locate(file)}: ${cause instanceof Error ? cause.message : "the request failed"}`
        })
    })
  const hash = createHash("sha256").update(locate("")).digest("hex").slice(0, 16)
  const staging = join(tmpdir(), `edp-export-${hash}`)
  yield* openStaging(staging)
  const local = inFolder(staging)
  const destination: Destination = {
    ...local,
    locate,
    has: (file) =>
      Effect.map(
        asking(file, () => bucket.objectExists(keyFor(file))),
        (found) => found === true
      ),
    keep: (file) =>
      asking(file, async () => bucket.putAnyObject(keyFor(file), await openAsBlob(local.locate(file)))).pipe(
        Effect.andThen(local.discard(file))
      )
  }
  return destination
})

/** A folder, or a bucket for `s3://`. */
export const openDestination = (destination: string) => {
  if (!destination.startsWith("s3://")) return Effect.succeed(inFolder(destination))
  const [, name, prefix = ""] = /^s3:\/\/([\w.-]+)(?:\/+(.*?))?\/*$/u.exec(destination) ?? []
  return name === undefined ? usage("The destination must be a folder, or s3://BUCKET/PREFIX") : inBucket(name, prefix)
}
