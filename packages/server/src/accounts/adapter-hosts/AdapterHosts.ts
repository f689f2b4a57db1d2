import { Clock, Effect, Schema } from "effect"
import type { AdapterHost, AdapterRecords } from "@edp/adapter-kit/AdapterHost"
import type { AnyManufacturerAdapter } from "@edp/adapter-kit/ManufacturerAdapter"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import { deviceNetworks } from "../../platform/config/requireSettings.ts"
import { isInNetworks } from "../../platform/network/deviceNetworks.ts"
import { isPublicAddress } from "../../platform/network/publicAddress.ts"
import { Instances } from "../../platform/observability/Instances.ts"
import { contained } from "../../platform/outbound/contained.ts"
import { type GuardedSend, GuardedHttp } from "../../platform/outbound/GuardedHttp.ts"
import { dialDevice } from "../../platform/device-networks/dialDevice.ts"
import type { AddressRule } from "../../platform/outbound/OutboundDial.ts"
import { hideUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { AccountCalls } from "../calls/AccountCalls.ts"
import { AccountCredentials } from "../credentials/AccountCredentials.ts"
import { AccountReports } from "../reports/AccountReports.ts"
import { AccountsRepository } from "../AccountsRepository.ts"
import { AccountWorkRepository } from "../AccountWorkRepository.ts"
import { SqlClient } from "effect/sql"
import { query } from "../../platform/sql/transaction.ts"
import { queryRows } from "../../platform/sql/rows.ts"

const RecordRow = Schema.Struct({ key: Schema.String, value: Schema.Unknown, version: Schema.Finite })
type RecordRow = typeof RecordRow.Type

/** Records of adapters: JSON under a key, with a version. */
const statements = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return {
    get: (adapter: string, key: string) =>
      queryRows(RecordRow)(
        sql`SELECT key, value, version FROM adapter_records WHERE adapter = ${adapter} AND key = ${key}`
      ).pipe(Effect.map(([row]) => row)),
    /** In the order of keys. */
    list: (adapter: string, prefix: string, limit: number, after: string) =>
      queryRows(RecordRow)(sql`SELECT key, value, version FROM adapter_records
        WHERE adapter = ${adapter} AND key > ${after} AND key >= ${prefix} AND starts_with(key, ${prefix})
          AND key < ${prefix} || chr(1114111)
        ORDER BY key LIMIT ${limit}`),
    insert: (adapter: string, key: string, value: string, now: Date) =>
      query(sql`INSERT INTO adapter_records (adapter, key, version, value, updated_at)
        VALUES (${adapter}, ${key}, 1, ${value}::jsonb, ${now}) ON CONFLICT DO NOTHING RETURNING key`).pipe(
        Effect.map((rows) => rows.length > 0)
      ),
    update: (adapter: string, key: string, version: number, value: string, now: Date) =>
      query(sql`UPDATE adapter_records SET version = version + 1, value = ${value}::jsonb, updated_at = ${now}
        WHERE adapter = ${adapter} AND key = ${key} AND version = ${version} RETURNING key`).pipe(
        Effect.map((rows) => rows.length > 0)
      ),
    remove: (adapter: string, key: string) =>
      query(sql`DELETE FROM adapter_records WHERE adapter = ${adapter} AND key = ${key}`)
  }
})

/** The hosts of addresses among an operator's settings, such as a vendor's test system: the operator vouches for them. */
const settingHosts = (texts: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(texts.filter((text) => URL.canParse(text)).map((text) => new URL(text).hostname))

/** Makes the services of the platform for adapters. */
export const AdapterHosts = Effect.gen(function* () {
  const config = yield* ServerConfig
  const repository = yield* statements
  const accounts = yield* AccountsRepository
  const work = yield* AccountWorkRepository
  const credentials = yield* AccountCredentials
  const calls = yield* AccountCalls
  const reports = yield* AccountReports
  const clients = yield* GuardedHttp
  const { own } = yield* Instances
  const networks = deviceNetworks(config)
  const inDeviceNetworks: AddressRule = (address) => isInNetworks(networks, address)

  const makeRecords = (slug: string): AdapterRecords => ({
    get: (key) => hideUnavailable(repository.get(slug, key)),
    list: (prefix, limit, after = "") => hideUnavailable(repository.list(slug, prefix, limit, after)),
    put: (key, version, value) =>
      Effect.flatMap(Clock.currentTimeMillis, (at) =>
        version === 0
          ? repository.insert(slug, key, JSON.stringify(value), new Date(at))
          : repository.update(slug, key, version, JSON.stringify(value), new Date(at))
      ).pipe(hideUnavailable),
    remove: (key) => Effect.asVoid(hideUnavailable(repository.remove(slug, key)))
  })

  const dial = dialDevice(inDeviceNetworks)

  const findAccount = (adapter: AnyManufacturerAdapter, send: GuardedSend) =>
    Effect.fnUntraced(function* (externalId: string) {
      const { manifest } = adapter
      const account = yield* accounts.inbound(manifest.slug, externalId)
      if (account === undefined) return undefined
      const opened = yield* Effect.option(credentials.open(adapter, account))
      if (opened._tag === "None") return undefined
      const state = yield* work.state(account.id)
      return {
        id: account.id,
        pending: account.status === "pending",
        externalId,
        credentials: opened.value,
        memory: state?.memory ?? null,
        http: calls.make({ manifest, send, account, purpose: "command" }).http
      }
    }, hideUnavailable)

  return {
    /** The host of an adapter with these settings, and what sends the calls of its accounts. */
    make: Effect.fnUntraced(function* (adapter: AnyManufacturerAdapter, settings: ReadonlyArray<string>) {
      const { manifest } = adapter
      const named = settingHosts(settings)
      const inCloud: AddressRule = (address, host) => named.has(host) || isPublicAddress(address)
      const send = yield* clients.make(manifest.authorization === "oauth2" ? inCloud : inDeviceNetworks)
      const host: AdapterHost = {
        publicUrl: config.publicUrl.replace(/\/$/u, ""),
        instance: own.id,
        records: makeRecords(manifest.slug),
        http: calls.make({ manifest, send, purpose: "command" }).http,
        dial,
        contained,
        findAccount: findAccount(adapter, send),
        report: (accountId, report) => hideUnavailable(reports.receive(accountId, report))
      }
      return { host, send }
    })
  }
})
