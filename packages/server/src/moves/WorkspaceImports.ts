import { createHash, randomUUID } from "node:crypto"
import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { DuplicateName, InvalidState, NotFound, type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import {
  ARCHIVE_FORMAT,
  type ArchiveHead,
  type FinishedImport,
  type ImportPart,
  type ImportProgress
} from "@edp/domain/moves/WorkspaceMove"
import { Clock, Context, Effect, Fiber, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { decodeLines, decodeReadings } from "../platform/archive/partContents.ts"
import { SecretBox } from "../platform/secrets/SecretBox.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { deriveKey, fits, reseal } from "./archiveKey.ts"
import { brokenPart, ImportsRepository, type ImportRow, type Target } from "./ImportsRepository.ts"
import { type MovedTable, movedTables } from "./movedTables.ts"
import { readingLine } from "./readingLines.ts"

type Caller = CurrentKey["Service"]

const limits = {
  /** Rows of one statement. */
  rows: 2000,
  /** Milliseconds after which a request no longer waits for the end of an import. */
  patience: 20_000,
  /** Milliseconds after which an import that nobody continues is removed. */
  keptFor: 7 * 24 * 60 * 60 * 1000
}

const byName: ReadonlyMap<string, MovedTable> = new Map(movedTables.map((moved) => [moved.table, moved]))

const progress = ({ id, isFinished, parts }: ImportRow): ImportProgress => ({ id, parts, finished: isFinished })

const inChunks = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / limits.rows) }, (_, at) =>
    all.slice(at * limits.rows, (at + 1) * limits.rows)
  )

/** An archive may have been made by anybody: it must not reach into another workspace. */
const foreignRows = (place: string) =>
  new InvalidState({ message: `The archive has rows of ${place} that belong to another workspace` })

/** The rows of a part as JSON. */
const decode = (table: string, content: Uint8Array): Effect.Effect<ReadonlyArray<string>, ValidationError> =>
  Effect.tryPromise({
    try: async () => {
      const lines = table === "readings" ? (await decodeReadings(content)).map(readingLine) : await decodeLines(content)
      for (const line of lines) JSON.parse(line)
      return lines
    },
    catch: brokenPart
  })

const field = (line: string, name: string) => (JSON.parse(line) as Readonly<Record<string, unknown>>)[name]

/** The service takes no readings from before. An archive, which may have been made by anybody, must not make partitions without end. */
const earliest = Date.parse("2000-01-01T00:00:00Z")

/** The days of the partitions that rows go to, as the name of each begins. */
const partitionDays = Effect.fnUntraced(function* (table: string, lines: ReadonlyArray<string>) {
  if (table !== "readings" && table !== "events") return []
  const latest = (yield* Clock.currentTimeMillis) + 86_400_000
  const days = new Set<string>()
  for (const line of lines) {
    const time = new Date(field(line, table === "readings" ? "at" : "created_at") as string)
    if (!(time.getTime() >= earliest && time.getTime() <= latest)) return yield* brokenPart()
    days.add(table === "readings" ? `${time.toISOString().slice(0, 7)}-01` : time.toISOString().slice(0, 10))
  }
  return [...days].toSorted()
})

type FinishFailure = ValidationError | NotFound | InvalidState | DuplicateName | DatabaseUnavailable

/** Reads archives of workspaces into the database. Nothing of a workspace is visible before its import is finished. */
export class WorkspaceImports extends Context.Service<
  WorkspaceImports,
  {
    /** Begins the import of an archive, or finds how far it is. */
    readonly start: (
      caller: Caller,
      input: { readonly head: ArchiveHead; readonly passphrase: string; readonly name?: string }
    ) => Effect.Effect<ImportProgress, ValidationError | InvalidState | DuplicateName | DatabaseUnavailable>
    /** Stores the next part; one that is stored changes nothing. */
    readonly add: (caller: Caller, id: string, part: ImportPart) => Effect.Effect<ImportProgress, FinishFailure>
    /** Makes the workspace visible. */
    readonly finish: (caller: Caller, id: string, passphrase: string) => Effect.Effect<FinishedImport, FinishFailure>
    readonly cancel: (caller: Caller, id: string) => Effect.Effect<void, NotFound | InvalidState | DatabaseUnavailable>
    /** Removes imports that nobody continues. */
    readonly removeAbandoned: Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/moves/WorkspaceImports") {
  static readonly layer = Layer.effect(
    WorkspaceImports,
    Effect.gen(function* () {
      const repository = yield* ImportsRepository
      const audit = yield* AuditTrail
      const box = yield* SecretBox
      const transaction = transactionsOn(yield* SqlClient.SqlClient)
      const scope = yield* Effect.scope

      const find = (caller: Caller, id: string) =>
        Effect.flatMap(repository.find(caller.organizationId, id), (found) =>
          found === undefined ? Effect.fail(new NotFound({})) : Effect.succeed(found)
        )

      const requireFit = (passphrase: string, head: ArchiveHead) => {
        const key = deriveKey(passphrase, Buffer.from(head.salt, "base64"))
        return fits(key, head.exportId, head.proof)
          ? Effect.succeed(key)
          : Effect.fail(invalid({ passphrase: "Must be the passphrase with which the archive was made" }))
      }

      /** Rows of the archive that this installation has already, of whatever workspace. */
      const requireNew = Effect.fnUntraced(function* ({ as, table }: MovedTable, lines: ReadonlyArray<string>) {
        if (as !== "records") return
        const ids = lines.map((line) => field(line, "id")).filter((id) => typeof id === "string")
        if (ids.length === 0) return
        if (yield* repository.anyExists(table, ids)) {
          return yield* new InvalidState({
            message: `A row of ${table} in the archive exists in this installation already`
          })
        }
        if (table === "devices" && (yield* repository.isForgetting(ids))) {
          return yield* new InvalidState({
            message:
              "Readings of the workspace's former devices are still being deleted here: try again in some minutes"
          })
        }
      })

      const storeAll = Effect.fnUntraced(function* (
        moved: MovedTable,
        lines: ReadonlyArray<string>,
        to: Target,
        isReplacing = false
      ) {
        let stored = 0
        for (const chunk of inChunks(lines)) {
          const { foreign, n } = yield* repository.store(moved, chunk, to, isReplacing)
          if (foreign > 0) return yield* foreignRows(moved.table)
          stored += n
        }
        return stored
      })

      /** Programs and manufacturers that every organization sees come with the service and its adapters, and not with an archive. */
      const requireKnown = Effect.fnUntraced(function* (table: string, lines: ReadonlyArray<string>) {
        if (table !== "manufacturers" && table !== "programs") return
        const [missing] = yield* repository.missingForAll(table, lines)
        if (missing !== undefined) {
          return yield* new InvalidState({ message: `This installation has no ${table.slice(0, -1)} "${missing}"` })
        }
      })

      const nowhere = (workspaceId: string): Target => ({
        workspaceId,
        organizationId: "",
        name: "",
        holder: randomUUID(),
        mapping: "{}"
      })

      /**
       * History is stored at once. A part is stored once, so that each of its rows must be new; events of a workspace that was deleted here
       * are still there.
       */
      const storeHistory = Effect.fnUntraced(function* (
        moved: MovedTable,
        lines: ReadonlyArray<string>,
        { head, workspaceId }: ImportRow
      ) {
        // Rows that have changed since the former archive replace those of it. Events never change.
        const isReplacing = head.after !== undefined && moved.table !== "events"
        const stored = yield* storeAll(moved, lines, nowhere(workspaceId), isReplacing)
        if (stored === lines.length || moved.table === "events") return
        return yield* new InvalidState({
          message: `Rows of ${moved.table} in the archive exist in this installation already`
        })
      })

      const start = Effect.fn("WorkspaceImports.start")(function* (
        caller: Caller,
        { head, name, passphrase }: { readonly head: ArchiveHead; readonly passphrase: string; readonly name?: string }
      ) {
        yield* requireFit(passphrase, head)
        const schema = yield* repository.schema
        if (head.format !== ARCHIVE_FORMAT || head.schema !== schema) {
          return yield* new InvalidState({
            message: `The archive is of another version (format ${head.format}, migration ${head.schema}; here ${ARCHIVE_FORMAT} and ${schema}): export and import with the same version`
          })
        }
        return yield* Effect.gen(function* () {
          const { after, exportId } = head
          const known = yield* repository.find(caller.organizationId, after?.exportId ?? exportId)
          if (after !== undefined) {
            const isBegun = known?.head.exportId === exportId
            const isNext =
              known?.isFinished === false && (known.head.after !== undefined || known.parts === after.parts)
            if (known === undefined || known.workspaceId !== head.workspaceId || !(isBegun || isNext)) {
              return yield* new InvalidState({
                message: `Import the whole archive ${after.exportId} with --hold before`
              })
            }
            if (isBegun) return progress(known)
            return progress(yield* repository.follow(known.id, head, new Date(yield* Clock.currentTimeMillis)))
          }
          if (known !== undefined) return progress(known)
          if ((yield* repository.obstacles(head)) > 0) {
            return yield* new InvalidState({
              message: `Workspace ${head.workspaceId} exists in this installation, or is being imported`
            })
          }
          const wanted = name ?? head.workspaceName
          if (yield* repository.isNameTaken(caller.organizationId, wanted)) {
            return yield* new DuplicateName({
              message: `The organization has a workspace "${wanted}": import it under another name`
            })
          }
          const now = new Date(yield* Clock.currentTimeMillis)
          return progress(yield* repository.insert(caller.organizationId, head, wanted, now))
        }).pipe(transaction)
      })

      const add = Effect.fn("WorkspaceImports.add")(function* (caller: Caller, id: string, part: ImportPart) {
        const moved = byName.get(part.table)
        const content = Buffer.from(part.data, "base64")
        if (moved === undefined || createHash("sha256").update(content).digest("hex") !== part.sha256) {
          return yield* brokenPart()
        }
        const lines = yield* decode(part.table, content)
        if (lines.length !== part.rows) return yield* brokenPart()
        const days = yield* partitionDays(part.table, lines)
        if (part.table === "readings") {
          const keptFrom = yield* repository.keptFrom
          if (keptFrom !== undefined && days.some((day) => new Date(day) < keptFrom)) {
            return yield* new InvalidState({
              message: `The archive has readings of ${days[0]!.slice(0, 7)}, and this installation keeps them from ${keptFrom.toISOString().slice(0, 10)} on`
            })
          }
        }
        yield* find(caller, id)
        yield* Effect.forEach(days, (day) => repository.ensurePartition(moved.table as "readings" | "events", day))
        return yield* Effect.gen(function* () {
          const found = yield* find(caller, id)
          if (found.isFinished || part.index < found.parts) return progress(found)
          if (part.index > found.parts) return yield* new InvalidState({ message: `The next part is ${found.parts}` })
          yield* requireNew(moved, lines)
          if (moved.as === "history") yield* storeHistory(moved, lines, found)
          else yield* repository.stage(id, part.index, moved.table, content)
          yield* repository.counted(id, part.index + 1, new Date(yield* Clock.currentTimeMillis))
          return progress({ ...found, parts: part.index + 1 })
        }).pipe(transaction)
      })

      /** Devices of an archive whose history may be stored. */
      const devicesIn = Effect.fnUntraced(function* (
        id: string,
        staged: ReadonlyArray<{ readonly part: number; readonly table: string }>
      ) {
        const found: Array<string> = []
        for (const { part, table } of staged) {
          if (table !== "devices") continue
          const lines = yield* Effect.orDie(decode(table, yield* repository.content(id, part)))
          found.push(...lines.map((line) => field(line, "id") as string))
        }
        return found
      })

      const store = (caller: Caller, id: string, passphrase: string) =>
        Effect.gen(function* () {
          const { head, isFinished, name, workspaceId } = yield* find(caller, id)
          if (isFinished) return { workspaceId, name, finished: true }
          const key = yield* requireFit(passphrase, head)
          const holder = randomUUID()
          const shared = new Map<string, ReadonlyArray<string>>()
          let mapping: string | undefined
          const staged = yield* repository.staged(id)
          const former = yield* devicesIn(
            id,
            staged.filter(({ part }) => part < 0)
          )
          for (const { part, table } of staged.filter(({ part }) => part >= 0)) {
            const moved = byName.get(table)!
            const { sealed } = moved
            const lines = yield* decode(table, yield* repository.content(id, part))
            if (table === "device_models" || table === "programs")
              shared.set(table, [...(shared.get(table) ?? []), ...lines])
            else if (moved.as === "records" && mapping === undefined) {
              const pairs = yield* repository.mapping(shared.get("device_models") ?? [], shared.get("programs") ?? [])
              mapping = JSON.stringify(Object.fromEntries(pairs.map(({ from, to }) => [from, to])))
            }
            const own =
              sealed === undefined
                ? lines
                : lines.map((line) =>
                    // The box seals at once: it is an effect only to hide its keys.
                    reseal(line, sealed, key.open, (purpose, secret) =>
                      Effect.runSync(box.seal(purpose, Redacted.make(secret)))
                    )
                  )
            yield* requireKnown(table, own)
            yield* storeAll(moved, own, {
              workspaceId,
              organizationId: caller.organizationId,
              name,
              holder,
              mapping: mapping ?? "{}"
            })
          }
          for (const moved of movedTables) {
            // History by device is of devices that are checked.
            if (moved.as === "shared" || (moved.as === "history" && moved.table !== "events")) continue
            const column = yield* repository.foreignReference(moved, workspaceId)
            if (column !== undefined) return yield* foreignRows(`${moved.table}.${column}`)
          }
          const [kept] = yield* repository.keptByOthers(workspaceId, caller.organizationId)
          if (kept !== undefined) {
            return yield* new InvalidState({
              message: `Another organization keeps "${kept}" of the archive for itself`
            })
          }
          yield* repository.addGoneHolder(holder)
          yield* repository.forget(yield* repository.departed(former))
          yield* audit.record({
            action: "workspace.import",
            resourceId: workspaceId,
            workspaceId,
            after: { name, exportId: id }
          })
          yield* repository.finish(id, new Date(yield* Clock.currentTimeMillis))
          // Last, because it stops all events until the end of the transaction.
          yield* repository.passSequence(head.sequence)
          return { workspaceId, name, finished: true }
        }).pipe(transaction, Effect.withSpan("WorkspaceImports.store"))

      /** Imports that are being finished, which goes on when a request ends. */
      const running = new Map<string, Fiber.Fiber<FinishedImport, FinishFailure>>()

      const finish = Effect.fn("WorkspaceImports.finish")(function* (caller: Caller, id: string, passphrase: string) {
        const { name, workspaceId } = yield* find(caller, id)
        const fiber =
          running.get(id) ??
          (yield* Effect.forkIn(
            Effect.ensuring(
              store(caller, id, passphrase),
              Effect.sync(() => running.delete(id))
            ),
            scope
          ))
        if (!running.has(id)) running.set(id, fiber)
        const done = yield* Effect.timeoutOption(Fiber.join(fiber), limits.patience)
        return Option.getOrElse(done, () => ({ workspaceId, name, finished: false }))
      })

      const removeAll = Effect.fnUntraced(function* ({ id, isFinished, workspaceId }: ImportRow) {
        if (!isFinished) {
          yield* repository.forget(yield* devicesIn(id, yield* repository.staged(id)))
          while ((yield* repository.removeEvents(workspaceId)).length > 0);
        }
        yield* repository.remove(id)
      })

      return {
        start,
        add,
        finish,
        cancel: Effect.fn("WorkspaceImports.cancel")((caller, id) =>
          Effect.gen(function* () {
            const found = yield* find(caller, id)
            if (found.isFinished)
              return yield* new InvalidState({ message: "The import is finished: delete the workspace" })
            yield* removeAll(found)
          }).pipe(transaction)
        ),
        removeAbandoned: Effect.gen(function* () {
          const before = new Date((yield* Clock.currentTimeMillis) - limits.keptFor)
          for (const id of yield* repository.abandoned(before)) {
            yield* Effect.flatMap(repository.lock(id), (found) =>
              found === undefined ? Effect.void : removeAll(found)
            ).pipe(transaction)
          }
        }).pipe(Effect.withSpan("WorkspaceImports.removeAbandoned"))
      }
    })
  )
}
