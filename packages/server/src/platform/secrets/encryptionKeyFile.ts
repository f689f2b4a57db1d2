import { randomBytes } from "node:crypto"
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { Effect } from "effect"
import { StartError } from "../StartError.ts"
import { KEY_BYTES, parseEncryptionKey } from "../config/encryptionKey.ts"

export const encryptionKeyPath = (dataDir: string) => join(resolve(dataDir), "encryption.key")

const textOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))

const isMissing = (cause: unknown) => (cause as NodeJS.ErrnoException).code === "ENOENT"

/** A new key on disk, whole or not at all; the one of another process that was quicker stays. */
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

/** The key of the data folder, made at the first start, readable by its owner alone. */
export const readKeyFile = (dataDir: string) =>
  Effect.flatMap(
    Effect.try({
      try: () => readOrMake(encryptionKeyPath(dataDir)),
      catch: (cause) =>
        new StartError({ message: `cannot read or write ${encryptionKeyPath(dataDir)}: ${textOf(cause)}` })
    }),
    (text) => {
      const key = parseEncryptionKey(text.trim())
      return key === undefined
        ? Effect.fail(new StartError({ message: `${encryptionKeyPath(dataDir)} must hold 32 bytes in base64` }))
        : Effect.succeed(key)
    }
  )
