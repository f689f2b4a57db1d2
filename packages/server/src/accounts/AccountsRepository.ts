import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { isReady } from "../platform/jobs/isolation.ts"
import { linkedDeviceTable } from "../devices/linkedDeviceTable.ts"
import { query, uniqueTo } from "../platform/sql/transaction.ts"
import { type AccountError, AccountRow, CallableAccount, type ListedDevice } from "./accountRow.ts"
import { queryIds, queryRows } from "../platform/sql/rows.ts"
import { selectList } from "../platform/sql/selectList.ts"

/** New credentials and their times. */
export interface StoredCredentials {
  readonly sealed: Uint8Array
  readonly expiresAt: Date | null
  readonly refreshAt: Date | null
}

interface NewRow extends StoredCredentials {
  readonly id: string
  readonly workspaceId: string
  readonly manufacturer: string
  readonly externalId: string
  readonly name: string
  readonly referenceId: string
  readonly tags: ReadonlyArray<string>
}

/** The changes with which an account becomes connected. */
interface Connected extends StoredCredentials {
  readonly id: string
  readonly name: string
  readonly customerId: string | null
  readonly siteId: string | null
  readonly referenceId: string
  readonly tags: ReadonlyArray<string>
  readonly discovered: ReadonlyArray<ListedDevice>
  readonly now: Date
}

/** Another account of the workspace was connected with the same identity first. */
export const IDENTITY_TAKEN = "identity taken"

/** The work, as its failing accounts are stored under. */
export const ABANDONED = "removal of abandoned accounts"

const NameRow = Schema.Struct({ name: Schema.String })
const StatusRow = Schema.Struct({ status: Schema.Literals(["pending", "connected", "failed", "disconnected"]) })
const ManufacturerNRow = Schema.Struct({ manufacturer: Schema.String, n: Schema.Finite })
const IdSealedRow = Schema.Struct({ id: Schema.String, sealed: Schema.Uint8Array })

export const AccountsRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(selectList(AccountRow))
  const ofAccount = sql.literal(selectList(AccountRow, {}, "a"))
  const first = Effect.map(([row]: ReadonlyArray<AccountRow>) => row)
  const identityTaken = uniqueTo("accounts_external_key", () => IDENTITY_TAKEN)

  return {
    insert: (row: NewRow, now: Date) =>
      query(sql`WITH made AS (
          INSERT INTO accounts (id, workspace_id, manufacturer, external_id, name, reference_id, tags, status,
            sealed_credentials, expires_at, refresh_at, created_at, updated_at)
          VALUES (${row.id}, ${row.workspaceId}, ${row.manufacturer}, ${row.externalId}, ${row.name},
            ${row.referenceId}, ${row.tags}::text[], 'pending', ${row.sealed}, ${row.expiresAt}, ${row.refreshAt},
            ${now}, ${now})
          RETURNING id, manufacturer)
        INSERT INTO account_work (account_id, manufacturer, due_at, discover_at)
        SELECT id, manufacturer, 'infinity', ${now} FROM made`),
    get: (id: string) => queryRows(AccountRow)(sql`SELECT ${columns} FROM accounts WHERE id = ${id}`).pipe(first),
    /** Accounts with what calls for them need besides: the memory of their adapter, and the end of a present pause. */
    callable: (ids: ReadonlyArray<string>) =>
      queryRows(CallableAccount)(sql`SELECT ${ofAccount}, w.memory, (
            SELECT max(p.until) FROM manufacturer_pauses p
            WHERE p.manufacturer = a.manufacturer AND p.account_id IN ('', a.id) AND p.until > now()) AS "pausedUntil"
          FROM accounts a LEFT JOIN account_work w ON w.account_id = a.id WHERE a.id = ANY(${ids}::text[])`),
    byIds: (ids: ReadonlyArray<string>) =>
      queryRows(AccountRow)(sql`SELECT ${columns} FROM accounts WHERE id = ANY(${ids}::text[])`),
    /** Locks the account until the transaction ends. */
    lock: (id: string) =>
      queryRows(AccountRow)(sql`SELECT ${columns} FROM accounts WHERE id = ${id} FOR NO KEY UPDATE`).pipe(first),
    /** Pending accounts that were begun before a time. */
    abandoned: (before: Date, limit: number) =>
      queryIds(sql`SELECT id FROM accounts WHERE status = 'pending' AND created_at < ${before}
          AND ${isReady(sql, ABANDONED, "accounts.id")} ORDER BY created_at LIMIT ${limit}`),
    /** The account of an identity that is not pending. */
    byExternalId: (workspaceId: string, manufacturer: string, externalId: string) =>
      queryRows(AccountRow)(sql`SELECT ${columns} FROM accounts WHERE workspace_id = ${workspaceId}
        AND manufacturer = ${manufacturer} AND external_id = ${externalId} AND status <> 'pending'`).pipe(first),
    /** The account with which a device with an inbound connection is linked or being linked. */
    inbound: (manufacturer: string, externalId: string) =>
      queryRows(AccountRow)(sql`SELECT ${columns} FROM accounts WHERE manufacturer = ${manufacturer}
          AND external_id = ${externalId} AND status IN ('connected', 'pending')
        ORDER BY status = 'connected' DESC, id DESC LIMIT 1`).pipe(first),
    /** The names of the connected accounts of a reference, oldest first. */
    connectedByReference: (workspaceId: string, manufacturer: string, referenceId: string, limit: number) =>
      queryRows(NameRow)(sql`SELECT name FROM accounts WHERE workspace_id = ${workspaceId}
          AND manufacturer = ${manufacturer} AND status = 'connected' AND reference_id = ${referenceId}
          AND reference_key = CASE WHEN char_length(${referenceId}::text) <= 200 THEN ${referenceId}::text
            ELSE left(${referenceId}::text, 200) || md5(${referenceId}::text) END
        ORDER BY id LIMIT ${limit}`).pipe(Effect.map((rows) => rows.map(({ name }) => name))),
    connect: (row: Connected) =>
      sql`UPDATE accounts SET status = 'connected', name = ${row.name}, customer_id = ${row.customerId},
          site_id = ${row.siteId}, reference_id = ${row.referenceId}, tags = ${row.tags}::text[],
          sealed_credentials = ${row.sealed}, expires_at = ${row.expiresAt}, refresh_at = ${row.refreshAt},
          generation = generation + 1, last_error = NULL, discovered = ${JSON.stringify(row.discovered)}::jsonb,
          connected_at = ${row.now}, disconnected_at = NULL, updated_at = ${row.now}
        WHERE id = ${row.id}`.pipe(identityTaken, query),
    /** Replaces credentials of one generation. Returns the status, or nothing if they were replaced before. */
    renew: (id: string, generation: number, { expiresAt, refreshAt, sealed }: StoredCredentials, now: Date) =>
      queryRows(StatusRow)(sql`UPDATE accounts SET sealed_credentials = ${sealed},
          expires_at = ${expiresAt}, refresh_at = ${refreshAt}, generation = generation + 1, updated_at = ${now}
        WHERE id = ${id} AND generation = ${generation} RETURNING status`).pipe(Effect.map(([row]) => row?.status)),
    setStatus: (id: string, status: "connected" | "failed", error: AccountError | null, now: Date) =>
      query(sql`UPDATE accounts SET status = ${status}, last_error = ${error && JSON.stringify(error)}::jsonb,
        updated_at = ${now}, disconnected_at = ${status === "failed" ? now : null} WHERE id = ${id}`),
    setError: (id: string, error: AccountError | null) =>
      query(sql`UPDATE accounts SET last_error = ${error && JSON.stringify(error)}::jsonb
        WHERE id = ${id} AND status = 'connected'`),
    setDiscovered: (id: string, discovered: ReadonlyArray<ListedDevice>) =>
      query(sql`UPDATE accounts SET discovered = ${JSON.stringify(discovered)}::jsonb WHERE id = ${id}`),
    /** A disconnected account keeps no credentials. */
    disconnect: (id: string, now: Date) =>
      query(sql`UPDATE accounts SET status = 'disconnected', sealed_credentials = NULL, expires_at = NULL,
        refresh_at = NULL, generation = generation + 1, disconnected_at = ${now}, updated_at = ${now} WHERE id = ${id}`),
    remove: (id: string) => query(sql`DELETE FROM accounts WHERE id = ${id}`),
    /** The devices of accounts, with the time of their newest reading. */
    devices: (accountIds: ReadonlyArray<string>) => query(linkedDeviceTable(sql).ofAccounts(accountIds)),
    /** Connected accounts of each manufacturer. */
    counts: queryRows(ManufacturerNRow)(sql`SELECT manufacturer, count(*)::int AS n
      FROM accounts WHERE status = 'connected' GROUP BY manufacturer`),
    sealedOtherwise: (fingerprint: Uint8Array, limit: number) =>
      queryRows(IdSealedRow)(sql`SELECT id, sealed_credentials AS sealed
        FROM accounts WHERE sealed_credentials IS NOT NULL
          AND substring(sealed_credentials FROM 2 FOR 8) <> ${fingerprint}
        ORDER BY id LIMIT ${limit} FOR NO KEY UPDATE`),
    reseal: (id: string, sealed: Uint8Array) =>
      query(sql`UPDATE accounts SET sealed_credentials = ${sealed} WHERE id = ${id}`)
  }
})
