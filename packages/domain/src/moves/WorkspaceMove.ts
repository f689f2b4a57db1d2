import { Schema } from "effect"
import { Cuid } from "../shared/Cuid.ts"
import { StoredText, Text } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"

/** The version of the archive's form. */
export const ARCHIVE_FORMAT = 1

/** A base64 part of an archive is at most this long, so that it fits into a request with the rest. */
export const PART_CHARACTERS = 4_900_000

const Passphrase = Text(8, 1000).annotate({
  description: "Encrypts the secrets in the archive, and decrypts them in the other installation; 8 to 1,000 characters"
})

/** Above every sequence that an installation reaches, and far below the largest that all programs read exactly. */
const MOST_EVENTS = 2 ** 50

/** A whole archive that another one follows with what has changed since. */
export const FormerArchive = Schema.Struct({
  exportId: Cuid,
  parts: Schema.Int.annotate({ description: "The number of its parts" }),
  transaction: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 32 - 1 })).annotate({
    description: "The transaction of its head"
  })
})
export type FormerArchive = typeof FormerArchive.Type

/** The first entry of an archive, `head.json`. */
export const ArchiveHead = Schema.Struct({
  format: Schema.Int.annotate({ description: "The version of the archive's form" }),
  schema: Schema.Int.annotate({ description: "The last migration of the database that was exported" }),
  exportId: Cuid,
  workspaceId: Cuid,
  workspaceName: Text(1, 100),
  exportedAt: Text(1, 40),
  sequence: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: MOST_EVENTS })).annotate({
    description: "The last event sequence of the installation"
  }),
  transaction: Schema.optionalKey(
    Schema.Int.annotate({ description: "The oldest transaction of the database that the archive may not have" })
  ),
  after: Schema.optionalKey(FormerArchive),
  salt: Text(1, 100).annotate({
    description: "The salt of the key that scrypt derives from the passphrase, in base64"
  }),
  proof: Text(1, 200).annotate({ description: "A text that the key opens if the passphrase fits, in base64" })
})
export type ArchiveHead = typeof ArchiveHead.Type

/** A part of an archive as its manifest lists it. */
export const ArchivePart = Schema.Struct({
  name: Text(1, 100),
  table: Text(1, 100),
  rows: Schema.Int,
  sha256: Text(64, 64)
})
export type ArchivePart = typeof ArchivePart.Type

/** The last entry of an archive, `manifest.json`: a file without it is not whole. */
export const ArchiveManifest = Schema.Struct({ parts: Schema.Array(ArchivePart) })
export type ArchiveManifest = typeof ArchiveManifest.Type

export const StartExport = Schema.Struct({
  workspaceId: Schema.optionalKey(Cuid.annotate({ description: "Default: the workspace of the key" })),
  after: Schema.optionalKey(
    FormerArchive.annotate({
      description: "Of readings, rollups and events, write only those that have changed since this archive"
    })
  ),
  passphrase: Passphrase
})

export const StartedExport = Schema.Struct({ id: Cuid })

export const StartImport = Schema.Struct({
  head: ArchiveHead,
  passphrase: Passphrase,
  name: Schema.optionalKey(
    Text(1, 100).annotate({ description: "Another name of the workspace than the exported one" })
  )
})

export const ImportPart = Schema.Struct({
  index: Schema.Int.annotate({ description: "The place of the part in the archive, from 0" }),
  table: Text(1, 100),
  rows: Schema.Int,
  sha256: Text(64, 64),
  data: Text(1, PART_CHARACTERS).annotate({ description: "The part as it is in the archive, in base64" })
})
export type ImportPart = typeof ImportPart.Type

export const FinishImport = Schema.Struct({ passphrase: Passphrase })

/** A paused workspace. */
export const WorkspacePause = Schema.Struct({
  workspaceId: Cuid,
  pausedAt: Timestamp,
  running: Schema.Int.annotate({
    description:
      "Work that began before the pause and has not ended: calls to manufacturers, commands, deliveries and mails"
  })
})
export type WorkspacePause = typeof WorkspacePause.Type

/** How far an import is. */
export const ImportProgress = Schema.Struct({
  id: Cuid,
  parts: Schema.Int.annotate({ description: "Parts that are stored; the next one has this index" }),
  finished: Schema.Boolean
})
export type ImportProgress = typeof ImportProgress.Type

export const FinishedImport = Schema.Struct({
  workspaceId: Cuid,
  name: StoredText(100),
  finished: Schema.Boolean.annotate({ description: "False while the rows are still being stored: ask again" })
})
export type FinishedImport = typeof FinishedImport.Type
