import { randomBytes } from "node:crypto"
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { StartError } from "../StartError.ts"
import { ServerConfig } from "../config/ServerConfig.ts"
import { KEY_BYTES, parseEncryptionKey } from "../config/parsers.ts"
import { inTransaction, query } from "../sql/transaction.ts"
import { keyFingerprint } from "./sealed.ts"
import { decodeRows } from "../sql/rows.ts"

export const encryptionKeyPath = (dataDir: string) => join(resolve(dataDir), "encryption.key")

const errorText = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))

const isMissing = (cause: unknown) => (cause as NodeJS.ErrnoException).code === "ENOENT"

/** Writes a new key atomically. The key of another process that was faster is kept. */
const writeNew = (path: string) => {
  const temporary = `${path}.${process.pid}.tmp`
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const file = openSync(temporary, "w", 0o600)
  try {
    writeSync(file, `${randomBytes(KEY_BYTES).toString("base64")}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  try {
    linkSync(temporary, path)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause
  } finally {
    rmSync(temporary, { force: true })
  }
}

const readOrMake = (path: string) => {
  try {
    return readFileSync(path, "utf8")
  } catch (cause) {
    if (!isMissing(cause)) throw cause
    writeNew(path)
    return readFileSync(path, "utf8")
  }
}

/** The key in the data folder, created by the first start and readable by its owner alone. */
const readKeyFile = (dataDir: string) =>
  Effect.flatMap(
    Effect.try({
      try: () => readOrMake(encryptionKeyPath(dataDir)),
      catch: (cause) =>
        new StartError({ message: `cannot read or write ${encryptionKeyPath(dataDir)}: ${errorText(cause)}` })
    }),
    (text) => {
      const key = parseEncryptionKey(text.trim())
      return key === undefined
        ? Effect.fail(new StartError({ message: `${encryptionKeyPath(dataDir)} must hold 32 bytes in base64` }))
        : Effect.succeed(key)
    }
  )

/** The key that encrypts secrets, and the previous one while secrets are still encrypted with it. */
export class EncryptionKeys extends Context.Service<
  EncryptionKeys,
  {
    readonly current: Redacted.Redacted<Uint8Array>
    readonly previous: Option.Option<Redacted.Redacted<Uint8Array>>
  }
>()("@edp/server/platform/secrets/EncryptionKeys") {
  /** The keys of the settings; by default the key in the data folder, which the first start creates. */
  static readonly layer = Layer.effect(
    EncryptionKeys,
    Effect.gen(function* () {
      const { dataDir, encryptionKey, previousEncryptionKey } = yield* ServerConfig
      const current = Option.isSome(encryptionKey)
        ? encryptionKey.value
        : Redacted.make<Uint8Array>(yield* readKeyFile(dataDir), { label: "encryption key" })
      return { current, previous: previousEncryptionKey }
    })
  )
}

const hex = (key: Redacted.Redacted<Uint8Array>) => Buffer.from(keyFingerprint(Redacted.value(key))).toString("hex")

const otherKey = new StartError({
  message:
    "EDP_ENCRYPTION_KEY must be the key that this database's secrets are encrypted with, or that one must be given as EDP_ENCRYPTION_KEY_PREVIOUS; without the setting it is encryption.key in the data folder of the first instance"
})

const FingerprintRow = Schema.Struct({ fingerprint: Schema.String })

/**
 * Refuses to start with a key that does not open the database's secrets. The first instance stores its key's fingerprint; a new
 * key is accepted together with the previous one.
 */
export const requireSameKeys = Effect.gen(function* () {
  const { current, previous } = yield* EncryptionKeys
  const sql = yield* SqlClient.SqlClient
  yield* inTransaction(
    Effect.gen(function* () {
      // Another instance may hold the lock for long.
      yield* sql`SET LOCAL lock_timeout = 0`
      yield* sql`SELECT pg_advisory_xact_lock(hashtextextended('encryption key', 0))`
      const known = yield* decodeRows(FingerprintRow)(sql`SELECT encode(fingerprint, 'hex') AS fingerprint
        FROM encryption_keys`)
      const mine = new Set([hex(current), ...Option.toArray(previous).map(hex)])
      if (known.some(({ fingerprint }) => !mine.has(fingerprint))) return yield* otherKey
      yield* sql`INSERT INTO encryption_keys (fingerprint, taken_at) VALUES (decode(${hex(current)}, 'hex'), now())
        ON CONFLICT DO NOTHING`
    })
  )
})

/** Refuses other keys from now on. Only after all secrets are encrypted with the current key. */
export const forgetOtherKeys = Effect.gen(function* () {
  const { current } = yield* EncryptionKeys
  const sql = yield* SqlClient.SqlClient
  yield* query(sql`DELETE FROM encryption_keys WHERE fingerprint <> decode(${hex(current)}, 'hex')`)
})
