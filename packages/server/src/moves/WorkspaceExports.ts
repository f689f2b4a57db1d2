import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs"
import { type FileHandle, open, rename } from "node:fs/promises"
import { join, resolve } from "node:path"
import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { InvalidState, NotFound, ServiceUnavailable, type WorkspaceNotFound } from "@edp/domain/errors/ApiErrors"
import {
  ARCHIVE_FORMAT,
  type ArchiveHead,
  type ArchiveManifest,
  type ArchivePart,
  type FormerArchive
} from "@edp/domain/moves/WorkspaceMove"
import { Clock, Context, Effect, Layer, Option, Redacted, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { Ids } from "../platform/Ids.ts"
import { encodeLines, encodeReadings, type FiledReading } from "../platform/archive/partContents.ts"
import { padding, tarEnd, tarHeader } from "../platform/archive/tar.ts"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import { logFailure } from "../platform/logs/repeatedFailures.ts"
import { SecretBox } from "../platform/secrets/SecretBox.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { ArchiveBorder } from "../readings/archive/ArchiveBorder.ts"
import { ArchivedReadings } from "../readings/archive/ArchivedReadings.ts"
import { Workspaces } from "../workspaces/Workspaces.ts"
import { deriveKey, makeProof, newSalt, reseal } from "./archiveKey.ts"
import { ExportRepository } from "./ExportRepository.ts"
import { movedTables } from "./movedTables.ts"

type Caller = CurrentKey["Service"]

const limits = {
  /** Rows of a part: of records, and of readings. */
  rows: 1000,
  readings: 20_000,
  /** Bytes of a part, of which base64 makes a third more. */
  bytes: 3_500_000,
  /** Milliseconds after which an archive is deleted, and after which one that does not grow counts as broken off. */
  keptFor: 24 * 60 * 60 * 1000,
  silentFor: 10 * 60 * 1000,
  /** Bytes of a piece of a response, and milliseconds between two looks for more. */
  piece: 256 * 1024,
  pause: 200
}

/** Before all readings. */
const EARLIEST = Date.UTC(1970, 0)

/** Writes archives of workspaces into the data folder. */
export class WorkspaceExports extends Context.Service<
  WorkspaceExports,
  {
    /** Begins an archive, which is written in the background. */
    readonly start: (
      caller: Caller,
      workspaceId: string,
      passphrase: string,
      after?: FormerArchive
    ) => Effect.Effect<
      { readonly id: string },
      WorkspaceNotFound | InvalidState | ServiceUnavailable | DatabaseUnavailable
    >
    /** The bytes of an archive from a position on, up to its end, also while it is written. */
    readonly read: (
      caller: Caller,
      id: string,
      from: number
    ) => Effect.Effect<Stream.Stream<Uint8Array, NotFound>, NotFound>
    readonly remove: (caller: Caller, id: string) => Effect.Effect<void, NotFound>
  }
>()("@edp/server/moves/WorkspaceExports") {
  static readonly layer = Layer.effect(
    WorkspaceExports,
    Effect.gen(function* () {
      const repository = yield* ExportRepository
      const workspaces = yield* Workspaces
      const audit = yield* AuditTrail
      const box = yield* SecretBox
      const ids = yield* Ids
      const archived = yield* ArchivedReadings
      const border = yield* ArchiveBorder
      const scope = yield* Effect.scope
      const transaction = transactionsOn(yield* SqlClient.SqlClient)
      const folder = join(resolve((yield* ServerConfig).dataDir), "exports")

      // The organization is a part of the name, so that no other one can read the archive.
      const archivePath = ({ organizationId }: Caller, id: string) => join(folder, `${organizationId}.${id}.tar`)
      const partial = (path: string) => `${path}.part`

      const unwritable = new ServiceUnavailable({ message: "The service cannot write into its data folder" })

      /** Whether an archive of the organization grows. */
      const isWriting = ({ organizationId }: Caller, now: number) =>
        readdirSync(folder).some(
          (name) =>
            name.startsWith(`${organizationId}.`) &&
            name.endsWith(".part") &&
            now - statSync(join(folder, name)).mtimeMs < limits.silentFor
        )

      const prepareFolder = (now: number) => {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        for (const name of readdirSync(folder)) {
          const path = join(folder, name)
          if (now - statSync(path).mtimeMs > limits.keptFor) rmSync(path, { force: true })
        }
      }

      /** Hands on the readings before the border of the archive, which are there or wait for their move. */
      const addArchived = Effect.fnUntraced(function* (
        workspaceId: string,
        archivedUntil: number,
        add: (readings: ReadonlyArray<FiledReading>) => Effect.Effect<void>
      ) {
        let filed: ReadonlyArray<FiledReading> = []
        for (const device_id of yield* repository.deviceIds(workspaceId)) {
          for (let from = EARLIEST; ;) {
            const page = yield* archived.page(device_id, { from, to: archivedUntil }, "asc", limits.readings, 0)
            filed = [...filed, ...page.map(({ at, id, state }) => ({ device_id, at: BigInt(at) * 1000n, id, state }))]
            if (filed.length >= limits.readings) {
              yield* add(filed)
              filed = []
            }
            if (page.length < limits.readings) break
            from = page.at(-1)!.at + 1
          }
        }
        yield* add(filed)
      })

      const write = Effect.fnUntraced(function* (
        file: FileHandle,
        head: Omit<ArchiveHead, "schema" | "sequence" | "transaction">,
        key: ReturnType<typeof deriveKey>,
        now: number
      ) {
        const parts: Array<ArchivePart> = []
        const entry = (name: string, content: Uint8Array) =>
          file.appendFile(Buffer.concat([tarHeader(name, content.length, now), content, padding(content.length)]))
        /** Adds rows as a part, or as several where one would be too large for the request of an import. */
        const addRows = async <Row>(
          table: string,
          ending: string,
          rows: ReadonlyArray<Row>,
          encode: (rows: ReadonlyArray<Row>) => Uint8Array | Promise<Uint8Array>
        ): Promise<void> => {
          const content = await encode(rows)
          if (content.length > limits.bytes && rows.length > 1) {
            const half = Math.ceil(rows.length / 2)
            await addRows(table, ending, rows.slice(0, half), encode)
            return addRows(table, ending, rows.slice(half), encode)
          }
          const name = `parts/${String(parts.length).padStart(6, "0")}-${table}.${ending}`
          parts.push({ name, table, rows: rows.length, sha256: createHash("sha256").update(content).digest("hex") })
          await entry(name, content)
        }
        // The box opens at once: it is an effect only to hide its keys.
        const openOne = (purpose: string, bytes: Uint8Array) => Redacted.value(Effect.runSync(box.open(purpose, bytes)))

        const { schema, sequence, transaction } = yield* repository.head
        const numbers = { schema, sequence: Number(sequence), transaction: Number(transaction) }
        const whole: ArchiveHead = { ...head, ...numbers }
        const since = head.after?.transaction
        yield* Effect.promise(() => entry("head.json", Buffer.from(JSON.stringify(whole))))
        for (const moved of movedTables) {
          const { sealed, table } = moved
          if (table === "readings") {
            const add = (filed: ReadonlyArray<FiledReading>) =>
              filed.length === 0 ? Effect.void : Effect.promise(() => addRows(table, "parquet", filed, encodeReadings))
            const archivedUntil = yield* border.refresh
            yield* repository.readings(head.workspaceId, archivedUntil, since, limits.readings, (found) =>
              add(found.map(({ micros, ...one }) => ({ ...one, at: BigInt(micros) })))
            )
            if (archivedUntil > 0) yield* addArchived(head.workspaceId, archivedUntil, add)
            continue
          }
          yield* repository.lines(
            moved,
            head.workspaceId,
            moved.as === "history" ? since : undefined,
            limits.rows,
            (lines) =>
              Effect.promise(async () => {
                const portable =
                  sealed === undefined ? lines : lines.map((line) => reseal(line, sealed, openOne, key.seal))
                await addRows(table, "ndjson.gz", portable, encodeLines)
              })
          )
        }
        const manifest: ArchiveManifest = { parts }
        yield* Effect.promise(async () => {
          await entry("manifest.json", Buffer.from(JSON.stringify(manifest)))
          await file.appendFile(tarEnd)
        })
      })

      return {
        start: Effect.fn("WorkspaceExports.start")(function* (caller, workspaceId, passphrase, after) {
          const workspace = yield* workspaces.get(caller, workspaceId)
          // Readings in ClickHouse do not tell when they were written.
          if (after !== undefined && (yield* border.refresh) > 0) {
            return yield* new InvalidState({
              message: "Readings have moved to the archive of the installation: export the workspace as a whole"
            })
          }
          const id = yield* ids.next
          const now = yield* Clock.currentTimeMillis
          const salt = newSalt()
          const key = deriveKey(passphrase, salt)
          const path = archivePath(caller, id)
          yield* Effect.try({ try: () => prepareFolder(now), catch: () => unwritable })
          if (isWriting(caller, now)) {
            return yield* new InvalidState({
              message: "An export of the organization is being written: wait for its end, or remove it"
            })
          }
          yield* audit
            .record({ action: "workspace.export", resourceId: workspaceId, workspaceId, after: { exportId: id } })
            .pipe(transaction)
          const file = yield* Effect.tryPromise({
            try: () => open(partial(path), "wx", 0o600),
            catch: () => unwritable
          })
          const head = {
            format: ARCHIVE_FORMAT,
            exportId: id,
            workspaceId,
            workspaceName: workspace.name,
            exportedAt: new Date(now).toISOString(),
            salt: Buffer.from(salt).toString("base64"),
            proof: makeProof(key, id),
            ...(after !== undefined && { after })
          }
          yield* repository.snapshot(write(file, head, key, now)).pipe(
            Effect.andThen(Effect.promise(() => file.sync())),
            Effect.andThen(Effect.promise(() => rename(partial(path), path))),
            Effect.onExit((exit) =>
              Effect.promise(async () => {
                await file.close()
                if (exit._tag === "Failure") rmSync(partial(path), { force: true })
              })
            ),
            Effect.catchCause((cause) => logFailure("export", `The export of workspace ${workspaceId} failed`, cause)),
            Effect.forkIn(scope)
          )
          return { id }
        }),
        read: Effect.fn("WorkspaceExports.read")(function* (caller, id, from) {
          const path = archivePath(caller, id)
          /** The file under the name that it has now. */
          const openFile = Effect.promise(() =>
            open(partial(path), "r").catch(() => open(path, "r").catch(() => undefined))
          )
          const isWhole = () => statSync(path, { throwIfNoEntry: false }) !== undefined
          const exists = () => isWhole() || statSync(partial(path), { throwIfNoEntry: false }) !== undefined
          const file = yield* openFile
          if (file === undefined) return yield* new NotFound({})
          const piece = (position: number): Effect.Effect<Uint8Array, NotFound> =>
            Effect.gen(function* () {
              // Asked before the read: what was written by then is read.
              const whole = isWhole()
              const { buffer, bytesRead } = yield* Effect.promise(() =>
                file.read(Buffer.allocUnsafe(limits.piece), 0, limits.piece, position)
              )
              if (bytesRead > 0) return buffer.subarray(0, bytesRead)
              if (whole) return new Uint8Array()
              const { mtimeMs } = yield* Effect.promise(() => file.stat())
              if (!exists() || (yield* Clock.currentTimeMillis) - mtimeMs > limits.silentFor)
                return yield* new NotFound({})
              yield* Effect.sleep(limits.pause)
              return yield* piece(position)
            })
          return Stream.paginate(from, (position: number) =>
            Effect.map(piece(position), (bytes) => [
              [bytes] as const,
              bytes.length === 0 ? Option.none<number>() : Option.some(position + bytes.length)
            ])
          ).pipe(Stream.ensuring(Effect.promise(() => file.close())))
        }),
        remove: Effect.fn("WorkspaceExports.remove")(function* (caller, id) {
          const path = archivePath(caller, id)
          const files = [path, partial(path)].filter((one) => statSync(one, { throwIfNoEntry: false }) !== undefined)
          if (files.length === 0) return yield* new NotFound({})
          for (const one of files) rmSync(one, { force: true })
        })
      }
    })
  )
}
