import { randomBytes, scryptSync } from "node:crypto"
import { type FileHandle, open, readFile, rename, rm, writeFile } from "node:fs/promises"
import { Effect, Option, Redacted, Schedule, Schema, Stream } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { CliFailure } from "../../kernel/CliFailure.ts"
import { Connection, request } from "../../kernel/Connection.ts"
import { writing } from "../../kernel/files.ts"
import { Output } from "../../kernel/Output.ts"
import { openArchive } from "./archive.ts"
import { readPassphrase } from "./passphrase.ts"

/** Attempts to continue a download, and the pause between two. */
const again = { times: 30, schedule: Schedule.spaced("2 seconds") }

const interrupted = new CliFailure({
  code: "DOWNLOAD_INTERRUPTED",
  message: "The archive has not arrived whole",
  details: ["Run the command again to continue."]
})

const size = async (file: FileHandle) => (await file.stat()).size

const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`

/** Appends the archive from where the file ends. */
const download = Effect.fnUntraced(function* (id: string, path: string, file: FileHandle) {
  const connection = yield* Connection
  const output = yield* Output
  const { baseUrl } = yield* connection.profile
  const key = yield* connection.keyFor(["MANAGEMENT"])
  let at = yield* Effect.promise(() => size(file))
  const response = yield* HttpClient.execute(
    HttpClientRequest.get(`${baseUrl}/dashboard/api/workspace-exports/${id}?from=${at}`).pipe(
      HttpClientRequest.setHeader("service-api-key", Redacted.value(key))
    )
  )
  if (response.status === 404) return false
  if (response.status !== 200) return yield* interrupted
  yield* Stream.runForEach(
    response.stream,
    Effect.fnUntraced(function* (bytes) {
      yield* writing(path, () => file.write(bytes, 0, bytes.length, at))
      at += bytes.length
      yield* output.status(`Export ${megabytes(at)}`)
    })
  )
  return true
})

/** The facts of an archive that one which follows it needs. */
const readFormer = Effect.fnUntraced(function* (path: string) {
  const { head, parts } = yield* Effect.scoped(openArchive(path))
  const { exportId, transaction } = head
  if (transaction === undefined || head.after !== undefined) {
    return yield* new CliFailure({ code: "ARCHIVE_UNSUITABLE", message: `${path} is no whole archive of this version` })
  }
  return { exportId, transaction, parts: parts.length }
})

/** The export whose archive has not arrived whole, and what was asked for with it: a salted hash, since the passphrase is a part of it. */
const Begun = Schema.fromJsonString(Schema.Struct({ id: Schema.String, salt: Schema.String, asked: Schema.String }))

const hash = (payload: object, salt: string) =>
  scryptSync(JSON.stringify(payload), Buffer.from(salt, "base64"), 32).toString("base64")

export const exportWorkspace = Effect.fnUntraced(function* (options: {
  readonly file: string
  readonly workspace: Option.Option<string>
  readonly after: Option.Option<string>
  readonly passphraseFile: Option.Option<string>
}) {
  const { file: path } = options
  const output = yield* Output
  const [partial, state] = [`${path}.part`, `${path}.part.json`]
  const passphrase = yield* readPassphrase(options.passphraseFile)

  const after = Option.isNone(options.after) ? {} : { after: yield* readFormer(options.after.value) }

  const workspace = Option.isSome(options.workspace) ? { workspaceId: options.workspace.value } : {}
  const payload = { ...workspace, ...after, passphrase }

  const begin = Effect.gen(function* () {
    yield* writing(partial, () => writeFile(partial, "", { mode: 0o600 }))
    const { id } = yield* request("workspaceMoves", "startExport", { payload })
    const salt = randomBytes(16).toString("base64")
    yield* writing(state, () =>
      writeFile(state, JSON.stringify({ id, salt, asked: hash(payload, salt) }), { mode: 0o600 })
    )
    return id
  })
  const begun = yield* Effect.option(
    Effect.flatMap(
      Effect.tryPromise(() => readFile(state, "utf8")),
      Schema.decodeEffect(Begun)
    )
  )
  const isSame = Option.isSome(begun) && begun.value.asked === hash(payload, begun.value.salt)
  const attempt = (id: string) =>
    Effect.scoped(
      Effect.flatMap(
        Effect.acquireRelease(
          Effect.promise(() => open(partial, "r+")),
          (file) => Effect.promise(() => file.close())
        ),
        (file) => download(id, partial, file)
      )
    ).pipe(
      Effect.mapError((failure) => (failure instanceof CliFailure ? failure : interrupted)),
      Effect.retry({ ...again, while: (failure) => failure.code === interrupted.code })
    )

  if (Option.isSome(begun)) {
    yield* output.note(
      isSame
        ? "Continuing the interrupted export"
        : "The interrupted export was of something else, or had another passphrase: it begins anew"
    )
  }
  let id = isSame ? begun.value.id : yield* begin
  // An export that the service no longer has begins anew.
  if (!(yield* attempt(id))) {
    id = yield* begin
    if (!(yield* attempt(id))) return yield* interrupted
  }
  yield* output.status("")
  const { head, parts } = yield* Effect.scoped(openArchive(partial)).pipe(
    Effect.tapError(() => Effect.promise(() => Promise.all([partial, state].map((one) => rm(one, { force: true })))))
  )
  yield* writing(path, () => rename(partial, path))
  yield* Effect.promise(() => rm(state, { force: true }))
  yield* Effect.ignore(request("workspaceMoves", "removeExport", { params: { id } }))
  const rows = parts.reduce((sum, part) => sum + part.rows, 0)
  yield* output.show(
    { file: path, workspaceId: head.workspaceId, name: head.workspaceName, rows },
    () => `The workspace "${head.workspaceName}" is in ${path}, with ${rows.toLocaleString("en-US")} rows.`
  )
})
