import { FIRST_WORKSPACE_NAME } from "@edp/domain/workspaces/Workspace"
import { randomBytes } from "node:crypto"
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import type { ApiKeyType } from "@edp/domain/auth/ApiKeyType"
import { generateKey } from "@edp/domain/auth/keyFormat"
import { Clock, Effect, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { insertFirstKey } from "../../api-keys/apiKeyTable.ts"
import { keyHash, keyPrefix } from "../../api-keys/KeyAuthenticator.ts"
import { Ids } from "../../platform/Ids.ts"
import { StartError } from "../../platform/StartError.ts"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import { inTransaction } from "../../platform/sql/transaction.ts"
import { type FirstWorkspace, workspaceTable } from "../../workspaces/workspaceTable.ts"

/** The content of credentials.json, where the CLI and the examples find the platform and its keys. */
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

/** Writes the file atomically, readable by its owner alone, and flushes it to disk. */
const writeCredentials = (dataDir: string, credentials: Credentials) =>
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

const OWNER = "bootstrap"
const FIRST_SCOPE = ["simulator", "generic"]

const insertKey = Effect.fnUntraced(function* (workspace: FirstWorkspace, type: ApiKeyType, name: string, key: string) {
  const sql = yield* SqlClient.SqlClient
  const id = yield* (yield* Ids).next
  const now = new Date(yield* Clock.currentTimeMillis)
  const ownerId = type === "MANAGEMENT" ? OWNER : null
  const manufacturerScope = type === "MANUFACTURER" ? FIRST_SCOPE : null
  const hashed = { keyHash: keyHash(key), keyPrefix: keyPrefix(key) }
  yield* insertFirstKey(sql, { ...workspace, ...hashed, id, name, type, ownerId, manufacturerScope }, now)
})

const insertWorkspace = Effect.fnUntraced(function* (name: string) {
  const sql = yield* SqlClient.SqlClient
  const ids = yield* Ids
  const now = new Date(yield* Clock.currentTimeMillis)
  const workspace = { organizationId: yield* ids.next, workspaceId: yield* ids.next }
  const tables = workspaceTable(sql)
  yield* tables.insertOrganization(workspace.organizationId, name, now)
  yield* tables.insertWorkspace(workspace, FIRST_WORKSPACE_NAME, now)
  return workspace
})

/**
 * Creates an organization, a workspace and the first keys in an empty database. With several instances the first one creates them.
 * credentials.json is on disk before the transaction commits, so no key is ever lost.
 */
export const makeFirstKeys = Effect.gen(function* () {
  const config = yield* ServerConfig
  const sql = yield* SqlClient.SqlClient
  return yield* inTransaction(
    Effect.gen(function* () {
      // Another instance may hold the lock for long.
      yield* sql`SET LOCAL lock_timeout = 0`
      yield* sql`SELECT pg_advisory_xact_lock(hashtextextended('first keys', 0))`
      const existing = yield* workspaceTable(sql).anyOrganization
      if (existing.length > 0) return Option.none<Credentials>()
      const workspace = yield* insertWorkspace("My organization")
      if (Option.isSome(config.bootstrapManagementKey)) {
        yield* insertKey(workspace, "MANAGEMENT", "First", Redacted.value(config.bootstrapManagementKey.value))
        return Option.none<Credentials>()
      }
      const [managementKey, serverKey, manufacturerKey] = (["MANAGEMENT", "SERVER", "MANUFACTURER"] as const).map(
        (type) => generateKey(type, randomBytes)
      ) as [string, string, string]
      yield* insertKey(workspace, "MANAGEMENT", "First", managementKey)
      yield* insertKey(workspace, "SERVER", "First", serverKey)
      yield* insertKey(workspace, "MANUFACTURER", "First", manufacturerKey)
      const credentials = { baseUrl: config.baseUrl, ...workspace, managementKey, serverKey, manufacturerKey }
      yield* writeCredentials(config.dataDir, credentials)
      return Option.some(credentials)
    })
  )
})

/** Creates a MANAGEMENT key when all are lost. The caller has access to the database anyway. */
export const recoverKey = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* inTransaction(
    Effect.gen(function* () {
      const [workspace] = yield* workspaceTable(sql).firstWorkspace
      if (workspace === undefined) return Option.none<string>()
      const key = generateKey("MANAGEMENT", randomBytes)
      yield* insertKey(workspace, "MANAGEMENT", "Recovered", key)
      return Option.some(key)
    })
  )
})

export interface NewOrganization extends FirstWorkspace {
  readonly managementKey: string
}

/**
 * Creates an organization with a workspace and a MANAGEMENT key. None in an empty database: the first organization is created
 * by the first start.
 */
export const createOrganization = Effect.fn("createOrganization")(function* (name: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* inTransaction(
    Effect.gen(function* () {
      const existing = yield* workspaceTable(sql).anyOrganization
      if (existing.length === 0) return Option.none<NewOrganization>()
      const workspace = yield* insertWorkspace(name)
      const managementKey = generateKey("MANAGEMENT", randomBytes)
      yield* insertKey(workspace, "MANAGEMENT", "First", managementKey)
      return Option.some({ ...workspace, managementKey })
    })
  )
})
