import type { Intervention } from "@edp/domain/devices/Intervention"
import type { DiscoveredDevice, LinkedDevice } from "../adapters/Account.ts"
import type { AdapterFailure } from "../adapters/AdapterError.ts"
import type { LinkedAccount } from "../adapters/ManufacturerAdapter.ts"

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

export interface AccountRow {
  readonly id: string
  readonly workspaceId: string
  readonly manufacturer: string
  readonly externalId: string
  readonly name: string
  readonly referenceId: string
  readonly customerId: string | null
  readonly siteId: string | null
  readonly tags: ReadonlyArray<string>
  readonly status: AccountStatus
  /** Null once the account was disconnected. */
  readonly sealedCredentials: Uint8Array | null
  /** Counts the credentials: a refresh replaces only those that it began with. */
  readonly generation: number
  readonly expiresAt: Date | null
  readonly refreshAt: Date | null
  readonly lastError: AccountError | null
  readonly discovered: ReadonlyArray<ListedDevice> | null
  /** Since when it is failed or disconnected. */
  readonly disconnectedAt: Date | null
}

/** A device of an account with the fields that a report may change. */
export interface AccountDevice extends LinkedDevice {
  readonly accountId: string
  readonly name: string
  readonly staticState: object | null
  readonly commands: ReadonlyArray<string>
  readonly interventions: ReadonlyArray<Intervention> | null
  readonly isConnected: boolean
  /** Time and status of the newest reading; null if there is none. */
  readonly lastAt: Date | null
  readonly reportedStatus: string | null
}

/** A claimed account. */
export interface AccountClaim {
  readonly accountId: string
  readonly manufacturer: string
  readonly claim: string
  /** Milliseconds by which the work is late. */
  readonly lateMs: number
  /** Milliseconds from now until the devices are listed, and read, again: below 0 when they should have been. */
  readonly discoverInMs: number
  readonly readInMs: number
  readonly failures: number
  readonly memory: unknown
  readonly problem: string | null
  /** A worker did not end its refresh: it crashed or was frozen. */
  readonly isRefreshInterrupted: boolean
}

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
