import { randomUUID } from "node:crypto"
import { connect } from "node:net"
import type { Account, AccountReport } from "../Account.ts"
import { AdapterError } from "../AdapterError.ts"
import type { AdapterHost, AdapterRecords, FoundAccount } from "../AdapterHost.ts"
import { Effect } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"

interface StoredRecord {
  readonly json: string
  readonly version: number
}

/** Records of an adapter in memory. Values pass through JSON, as in the database. */
export const memoryRecords = () => {
  const stored = new Map<string, StoredRecord>()
  let writes = 0
  const read = ({ json, version }: StoredRecord) => ({ value: JSON.parse(json) as unknown, version })
  const records: AdapterRecords = {
    get: (key) =>
      Effect.sync(() => {
        const found = stored.get(key)
        return found && read(found)
      }),
    list: (prefix, limit, after = "") =>
      Effect.sync(() =>
        [...stored]
          .filter(([key]) => key.startsWith(prefix) && key > after)
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .slice(0, limit)
          .map(([key, record]) => ({ key, ...read(record) }))
      ),
    put: (key, version, value) =>
      Effect.sync(() => {
        if ((stored.get(key)?.version ?? 0) !== version) return false
        stored.set(key, { json: JSON.stringify(value), version: version + 1 })
        writes += 1
        return true
      }),
    remove: (key) => Effect.sync(() => void stored.delete(key))
  }
  return {
    records,
    /** Number of records written since the start. */
    writes: () => writes,
    /** The records as JSON, by key. */
    stored: () => new Map([...stored].map(([key, { json }]) => [key, json]))
  }
}

export interface TestHost {
  readonly host: AdapterHost
  /** The reports of devices that reported by themselves, oldest first. */
  readonly reports: Array<{ readonly accountId: string; readonly report: AccountReport }>
  /** Everything that `findAccount` finds, by external id. */
  readonly accounts: Map<string, FoundAccount>
}

/** The platform as an adapter sees it, without a database. Two hosts over the same records are two instances. */
export const testHost = (
  options: {
    readonly publicUrl?: string
    readonly records?: AdapterRecords
    readonly http?: HttpClient.HttpClient
  } = {}
): TestHost => {
  const reports: TestHost["reports"] = []
  const accounts: TestHost["accounts"] = new Map()
  const { publicUrl = "http://127.0.0.1:3000", records = memoryRecords().records, http = testHttp } = options
  return {
    reports,
    accounts,
    host: {
      publicUrl,
      instance: randomUUID(),
      records,
      http,
      dial: (host, port) =>
        Effect.callback((resume) => {
          const socket = connect({ host, port })
          const refused = ({ code, message }: NodeJS.ErrnoException) =>
            resume(
              Effect.fail(
                AdapterError.of("unreachable", `No connection to ${host}:${port}: ${message}`, {
                  upstream: { statusCode: null, errorCode: code ?? null, errorMessage: message, requestId: null }
                })
              )
            )
          socket.once("error", refused)
          socket.once("connect", () => {
            socket.off("error", refused)
            resume(Effect.succeed(socket))
          })
          return Effect.sync(() => socket.destroy())
        }),
      contained: (_, register) => Effect.callback((resume) => register(resume)),
      findAccount: (externalId) => Effect.sync(() => accounts.get(externalId)),
      report: (accountId, report) => Effect.sync(() => void reports.push({ accountId, report }))
    }
  }
}

/** A client for servers of the test. */
export const testHttp: HttpClient.HttpClient = Effect.runSync(
  HttpClient.HttpClient.pipe(Effect.provide(FetchHttpClient.layer))
)

/** A linked account for calls of an adapter. */
export const testAccount = <Credentials>(
  externalId: string,
  credentials: Credentials,
  more: { readonly memory?: unknown; readonly http?: HttpClient.HttpClient } = {}
): Account<Credentials> => ({
  id: `account-${externalId}`,
  externalId,
  credentials,
  memory: null,
  http: testHttp,
  ...more
})
