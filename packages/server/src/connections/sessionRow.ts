import type {
  ConnectConsent,
  ConnectFailure,
  ConnectSession,
  ConnectSessionStatus,
  ConnectTransition,
  CustomerInfo
} from "@edp/domain/connections/ConnectSession"
import { connectErrors, type ConnectError } from "@edp/domain/connections/ConnectError"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { ApiKeyType } from "@edp/domain/auth/ApiKeyType"
import type { Language } from "@edp/domain/shared/Language"
import type { DiscoveredDevice } from "../adapters/Account.ts"
import { iso } from "../platform/sql/records.ts"
import type { LocatedAddress } from "../sites/siteRow.ts"

/** Stands for the type of the key where a hosted page has created the session. */
export const PAGE = "PAGE"

/** A session with what its pages show of its workspace. */
export interface SessionRow {
  readonly id: string
  readonly workspaceId: string
  readonly organizationId: string
  readonly workspaceName: string
  readonly logoUrl: string | null
  readonly accentColor: string | null
  readonly createdById: string
  /** The key that created the session, or a hosted page of the platform. */
  readonly createdByType: ApiKeyType | typeof PAGE
  readonly status: ConnectSessionStatus
  readonly mode: ConnectSession["mode"]
  readonly referenceId: string
  readonly redirectUrl: string | null
  readonly clientName: string | null
  readonly tags: ReadonlyArray<string> | null
  readonly manufacturers: ReadonlyArray<string> | null
  readonly deviceTypes: ReadonlyArray<DeviceType> | null
  readonly params: unknown
  readonly language: Language | null
  readonly colorScheme: "light" | "dark" | null
  readonly customerInfo: CustomerInfo | null
  readonly place: LocatedAddress | null
  readonly customerId: string | null
  readonly siteId: string | null
  readonly manufacturer: string | null
  readonly consent: ConnectConsent | null
  readonly reconnectId: string | null
  readonly accountId: string | null
  readonly discovered: ReadonlyArray<DiscoveredDevice> | null
  readonly sealedInstructions: Uint8Array | null
  readonly deviceIds: ReadonlyArray<string>
  readonly keyId: string | null
  readonly sealedKey: Uint8Array | null
  readonly transitions: ReadonlyArray<ConnectTransition>
  readonly lastError: ConnectFailure | null
  readonly live: boolean
  readonly expiresAt: Date
  readonly removedAt: Date | null
  readonly disconnectedAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

type Shown = "organizationId" | "workspaceName" | "logoUrl" | "accentColor"

/** The columns of a session that change after its creation. */
export type SessionChanges = Partial<
  Pick<
    SessionRow,
    | "status"
    | "transitions"
    | "lastError"
    | "customerInfo"
    | "place"
    | "customerId"
    | "siteId"
    | "manufacturer"
    | "consent"
    | "accountId"
    | "discovered"
    | "sealedInstructions"
    | "deviceIds"
    | "keyId"
    | "sealedKey"
    | "live"
    | "removedAt"
    | "disconnectedAt"
  >
>

export type NewSession = Omit<SessionRow, Shown> & { readonly tokenHash: Uint8Array | null }

export const toSession = (row: Omit<SessionRow, Shown>): ConnectSession => ({
  id: row.id,
  status: row.status,
  customerId: row.customerId,
  siteId: row.siteId,
  manufacturer: row.manufacturer,
  tags: row.tags,
  referenceId: row.referenceId,
  redirectUrl: row.redirectUrl,
  mode: row.mode,
  params: row.params ?? null,
  createdAt: iso(row.createdAt),
  updatedAt: iso(row.updatedAt),
  expiresAt: iso(row.expiresAt)
})

export const failure = (code: ConnectError, at: string): ConnectFailure => ({ code, message: connectErrors[code], at })

type Creator = Pick<SessionRow, "createdByType">

/** Whether any visitor of a page could have created the session: then nothing that is stored may be shown. */
export const isPublic = ({ createdByType }: Creator) => createdByType === "CONNECT" || createdByType === PAGE

/**
 * Whether another hosted page leads into the session and takes the visitor back. It has asked for the person and the address, and
 * the visitor gets no key.
 */
export const isHosted = ({ createdByType }: Creator) => createdByType === PAGE

// Each secret opens for its own row and purpose only.
export const scopedKeyPurpose = (sessionId: string) => `scoped key ${sessionId}`
export const instructionsPurpose = (sessionId: string) => `connect instructions ${sessionId}`
export const authorizationPurpose = (id: string) => `connect authorization ${id}`
