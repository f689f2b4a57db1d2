import { type FileHandle, open, readFile, rename, rm, writeFile } from "node:fs/promises"
import { Effect, Option, Redacted, Schedule, Stream } from "effect"
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

  const begin = Effect.gen(function* () {
    const workspace = Option.isSome(options.workspace) ? { workspaceId: options.workspace.value } : {}
    yield* writing(partial, () => writeFile(partial, "", { mode: 0o600 }))
    const { id } = yield* request("workspaceMoves", "startExport", { payload: { ...workspace, ...after, passphrase } })
    yield* writing(state, () => writeFile(state, JSON.stringify({ id })))
    return id
  })
  const earlier = yield* Effect.promise(() =>
    readFile(state, "utf8").then(
      (text) => (JSON.parse(text) as { readonly id: string }).id,
      () => undefined
    )
  )
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

  let id = earlier ?? (yield* begin)
  if (earlier !== undefined) yield* output.note("Continuing the interrupted export")
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
