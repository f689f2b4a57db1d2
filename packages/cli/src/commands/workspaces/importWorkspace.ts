import { Effect, Option } from "effect"
import { Connection } from "../../kernel/Connection.ts"
import { Output } from "../../kernel/Output.ts"
import { withProgress } from "../../kernel/ProgressBar.ts"
import { openArchive } from "./archive.ts"
import { readPassphrase } from "./passphrase.ts"

/** Retries of each call, which outlast a restart of the service. */
const retries = 10

export const importWorkspace = Effect.fnUntraced(function* (options: {
  readonly file: string
  readonly cancel: boolean
  readonly hold: boolean
  readonly name: Option.Option<string>
  readonly passphraseFile: Option.Option<string>
}) {
  const output = yield* Output
  const connection = yield* Connection
  const { contents, head, parts } = yield* openArchive(options.file)
  if (options.cancel) {
    yield* (yield* connection.endpoint("workspaceMoves", "cancelImport"))({
      params: { id: head.after?.exportId ?? head.exportId }
    })
    return yield* output.show({ cancelled: true }, () => "The import is cancelled, and what it had stored is removed.")
  }
  const passphrase = yield* readPassphrase(options.passphraseFile)
  const startImport = yield* connection.endpoint("workspaceMoves", "startImport")
  const importPart = yield* connection.endpoint("workspaceMoves", "importPart", { retries })
  const finishImport = yield* connection.endpoint("workspaceMoves", "finishImport", { retries })

  const name = Option.isSome(options.name) ? { name: options.name.value } : {}
  const begun = yield* startImport({ payload: { head, passphrase, ...name } })
  const params = { id: begun.id }
  const total = parts.reduce((sum, part) => sum + part.rows, 0)
  if (begun.parts > 0) yield* output.note(`Continuing the import after ${begun.parts} of ${parts.length} parts`)
  yield* withProgress(
    "Import",
    total,
    Effect.fnUntraced(function* (report) {
      let done = 0
      for (const [index, { name, rows, sha256, table }] of parts.entries()) {
        done += rows
        if (index < begun.parts) continue
        const data = (yield* Effect.promise(() => contents(name))).toString("base64")
        yield* importPart({ params, payload: { index, table, rows, sha256, data } })
        yield* report(done)
      }
    }),
    "rows"
  )
  if (options.hold) {
    return yield* output.show(
      { workspaceId: head.workspaceId, held: true, rows: total },
      () =>
        `${total.toLocaleString("en-US")} rows are stored. The workspace is not here before an archive that follows is imported.`
    )
  }
  const finish = finishImport({ params, payload: { passphrase } })
  const finished = yield* Effect.repeat(finish, { until: (result) => result.finished })
  yield* output.show(
    { workspaceId: finished.workspaceId, name: finished.name, rows: total },
    () => `The workspace "${finished.name}" is here, with ${total.toLocaleString("en-US")} rows.`
  )
}, Effect.scoped)
