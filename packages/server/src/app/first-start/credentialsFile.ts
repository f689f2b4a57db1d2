import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { Effect } from "effect"
import { StartError } from "../../platform/StartError.ts"

/** What the CLI and the examples read to find the platform and its keys. */
export interface Credentials {
  readonly baseUrl: string
  readonly organizationId: string
  readonly workspaceId: string
  readonly managementKey: string
  readonly serverKey: string
  readonly manufacturerKey: string
}

export const credentialsPath = (dataDir: string) => join(resolve(dataDir), "credentials.json")

const flush = (path: string, flags: string, write: (file: number) => void) => {
  const file = openSync(path, flags, 0o600)
  try {
    write(file)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Writes the file whole or not at all, readable by its owner alone, and on disk when this returns. */
export const writeCredentials = (dataDir: string, credentials: Credentials) =>
  Effect.try({
    try: () => {
      const path = credentialsPath(dataDir)
      const temporary = `${path}.${process.pid}.tmp`
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      flush(temporary, "w", (file) => {
        chmodSync(temporary, 0o600)
        writeSync(file, `${JSON.stringify(credentials, null, 2)}\n`)
      })
      renameSync(temporary, path)
      flush(dirname(path), "r", () => {})
    },
    catch: (cause) =>
      new StartError({
        message: `cannot write ${credentialsPath(dataDir)}: ${cause instanceof Error ? cause.message : String(cause)}`
      })
  })
