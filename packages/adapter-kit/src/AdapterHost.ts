import type { Effect } from "effect"
import type { HttpClient } from "effect/http"
import type { Socket } from "node:net"
import type { AdapterError } from "./AdapterError.ts"
import type { Account, AccountReport } from "./Account.ts"

/** A record of an adapter: JSON under a key, with a version that each write increases. */
export interface AdapterRecord<Value> {
  readonly value: Value
  readonly version: number
}

/** Storage of an adapter, shared by all instances of the platform. Keys are unique within the adapter. */
export interface AdapterRecords {
  readonly get: (key: string) => Effect.Effect<AdapterRecord<unknown> | undefined>
  /** The records whose keys begin with a prefix, by key, after a key. */
  readonly list: (
    prefix: string,
    limit: number,
    after?: string
  ) => Effect.Effect<ReadonlyArray<AdapterRecord<unknown> & { readonly key: string }>>
  /**
   * Writes the record if its version is the given one, 0 for a new record. Returns whether it did; otherwise another write came
   * first, and the caller reads again.
   */
  readonly put: (key: string, version: number, value: unknown) => Effect.Effect<boolean>
  readonly remove: (key: string) => Effect.Effect<void>
}

/** An account that a device with an inbound connection belongs to. */
export interface FoundAccount extends Account<unknown> {
  /** Whether a person is still linking it: the platform has not stored its devices yet, and keeps no readings of them. */
  readonly pending: boolean
}

/** Services of the platform for an adapter. */
export interface AdapterHost {
  /** Address of the platform, without a trailing slash, such as https://energy.example.com. */
  readonly publicUrl: string
  /** This instance of the platform, for adapters that record which one holds a device's connection. */
  readonly instance: string
  readonly records: AdapterRecords
  /** For calls without an account, such as sign-ins. Guarded, limited in time and size, and traced. */
  readonly http: HttpClient.HttpClient
  /**
   * Opens a TCP connection to a host that a person named. Fails with `misconfigured` if the operator does not allow its
   * address, and with `unreachable` if nothing responds; then `upstream.errorCode` is that of the system, such as ECONNREFUSED.
   * The caller ends the socket.
   */
  readonly dial: (host: string, port: number) => Effect.Effect<Socket, AdapterError>
  /**
   * Calls a library that continues in callbacks of sockets and timers, as `Effect.callback` does. An exception that the library throws
   * there fails the calls under way of the owner with `stray`, and does not end the process of the platform.
   */
  readonly contained: <A, E>(
    owner: object,
    register: (resume: (effect: Effect.Effect<A, E>) => void) => Effect.Effect<void> | void,
    stray: (error: unknown) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
  /**
   * The account of this manufacturer with an external id, for devices with inbound connections: the connected one, else the newest that is
   * being linked.
   */
  readonly findAccount: (externalId: string) => Effect.Effect<FoundAccount | undefined>
  /** Stores what a device reported by itself. */
  readonly report: (accountId: string, report: AccountReport) => Effect.Effect<void>
}
