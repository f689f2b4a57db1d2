import { createHash } from "node:crypto"
import { type FileHandle, open } from "node:fs/promises"
import { ArchiveHead, ArchiveManifest } from "@edp/domain/moves/WorkspaceMove"
import { Effect, Schema } from "effect"
import { CliFailure } from "../../kernel/CliFailure.ts"

const BLOCK = 512

/** A file in an archive. */
interface Entry {
  readonly name: string
  readonly at: number
  readonly size: number
}

/** The entries of an archive of the form ustar, by their headers. */
const entriesIn = async (file: FileHandle): Promise<ReadonlyArray<Entry>> => {
  const { size: whole } = await file.stat()
  const entries: Array<Entry> = []
  for (let at = 0; at + BLOCK <= whole;) {
    const { buffer: header } = await file.read(Buffer.alloc(BLOCK), 0, BLOCK, at)
    const name = header.toString("utf8", 0, 100).replace(/\0.*$/su, "")
    if (name === "") break
    const size = Number.parseInt(header.toString("latin1", 124, 135), 8)
    if (!(size >= 0) || at + BLOCK + size > whole) return []
    entries.push({ name, at: at + BLOCK, size })
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
  }
  return entries
}

const decodeHead = Schema.decodeUnknownSync(Schema.fromJsonString(ArchiveHead))
const decodeManifest = Schema.decodeUnknownSync(Schema.fromJsonString(ArchiveManifest))

const read = async (file: FileHandle, { at, size }: Entry) => (await file.read(Buffer.alloc(size), 0, size, at)).buffer

/** Opens a whole archive, whose parts are as its manifest says. */
export const openArchive = (path: string) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => open(path, "r"),
      catch: () => new CliFailure({ code: "FILE_UNREADABLE", message: `${path} can't be read` })
    }),
    (file) => Effect.promise(() => file.close())
  ).pipe(
    Effect.flatMap((file) =>
      Effect.tryPromise({
        try: async () => {
          const entries = new Map((await entriesIn(file)).map((entry) => [entry.name, entry]))
          const contents = (name: string) => read(file, entries.get(name)!)
          const head = decodeHead((await contents("head.json")).toString("utf8"))
          const { parts } = decodeManifest((await contents("manifest.json")).toString("utf8"))
          for (const { name, sha256 } of parts) {
            if (
              createHash("sha256")
                .update(await contents(name))
                .digest("hex") !== sha256
            )
              throw new Error(name)
          }
          return { head, parts, contents }
        },
        catch: () =>
          new CliFailure({
            code: "ARCHIVE_DAMAGED",
            message: `${path} is no whole archive of a workspace`,
            details: ["Export the workspace again."]
          })
      })
    )
  )
