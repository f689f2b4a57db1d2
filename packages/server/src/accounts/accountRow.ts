import type { DiscoveredDevice } from "@edp/adapter-kit/Account"
import type { AdapterFailure } from "@edp/adapter-kit/AdapterError"
import type { LinkedAccount } from "@edp/adapter-kit/ManufacturerAdapter"
import { Schema } from "effect"

import { JsonColumn } from "../platform/sql/rows.ts"

/** `failed`: only a new sign-in helps. */
export type AccountStatus = "pending" | "connected" | "failed" | "disconnected"

/** A device of the manufacturer's last listings, and how many of them in a row no longer named it. */
export interface ListedDevice extends DiscoveredDevice {
  readonly missed?: number
}

export interface AccountError {
  readonly failure: AdapterFailure
  readonly message: string
  readonly at: string
}

export const AccountRow = Schema.Struct({
  id: Schema.String,
  workspaceId: Schema.String,
  manufacturer: Schema.String,
  externalId: Schema.String,
  name: Schema.String,
  referenceId: Schema.String,
  customerId: Schema.NullOr(Schema.String),
  siteId: Schema.NullOr(Schema.String),
  tags: Schema.Array(Schema.String),
  status: Schema.Literals(["pending", "connected", "failed", "disconnected"]),
  /** Null once the account was disconnected. */
  sealedCredentials: Schema.NullOr(Schema.Uint8Array),
  /** Counts the credentials: a refresh replaces only those that it began with. */
  generation: Schema.Finite,
  expiresAt: Schema.NullOr(Schema.Date),
  refreshAt: Schema.NullOr(Schema.Date),
  lastError: Schema.NullOr(JsonColumn<AccountError>()),
  discovered: Schema.NullOr(JsonColumn<ReadonlyArray<ListedDevice>>()),
  /** Since when it is failed or disconnected. */
  disconnectedAt: Schema.NullOr(Schema.Date)
})
export type AccountRow = typeof AccountRow.Type

/** An account with what calls for it need besides. */
export const CallableAccount = Schema.Struct({
  ...AccountRow.fields,
  /** The memory of its adapter. */
  memory: Schema.Unknown,
  /** The end of a pause that the manufacturer has asked for. */
  pausedUntil: Schema.NullOr(Schema.Date)
})
export type CallableAccount = typeof CallableAccount.Type

/** A claimed account. */
export const AccountClaim = Schema.Struct({
  accountId: Schema.String,
  manufacturer: Schema.String,
  claim: Schema.String,
  /** Milliseconds by which the work is late. */
  lateMs: Schema.Finite,
  /** Milliseconds from now until the devices are listed, and read, again: below 0 when they should have been. */
  discoverInMs: Schema.Finite,
  readInMs: Schema.Finite,
  failures: Schema.Finite,
  memory: Schema.Unknown,
  problem: Schema.NullOr(Schema.String),
  /** A worker did not end its refresh: it crashed or was frozen. */
  isRefreshInterrupted: Schema.Boolean
})
export type AccountClaim = typeof AccountClaim.Type

/** The outcome of the work on an account. Undefined fields stay as they are. */
export interface ReleasedWork {
  readonly accountId: string
  readonly claim: string
  /** Milliseconds until the next work; null for never. */
  readonly dueInMs: number | null
  readonly discoverInMs?: number | undefined
  readonly readInMs?: number | undefined
  readonly failures: number
}

/** Credentials open for their account alone. */
export const credentialsPurpose = (accountId: string) => `account credentials ${accountId}`

/** An account to link. */
export interface NewAccount {
  readonly workspaceId: string
  readonly manufacturer: string
  readonly referenceId: string
  readonly tags: ReadonlyArray<string>
  readonly linked: LinkedAccount<unknown>
  /** The holder of the claim on the id, where the device opens the connection. */
  readonly holder?: string
}

/** Choices of a person for an account. */
export interface FinishedAccount {
  readonly customerId: string | null
  readonly siteId: string | null
  readonly referenceId: string
  readonly tags: ReadonlyArray<string>
  readonly manufacturerDeviceIds: ReadonlyArray<string>
  /** The account whose sign-in is repeated. */
  readonly reconnect: string | null
}
