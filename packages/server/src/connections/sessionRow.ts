import {
  type ConnectConsent,
  type ConnectFailure,
  ConnectSession,
  ConnectSessionStatus,
  type ConnectTransition,
  type CustomerInfo
} from "@edp/domain/connections/ConnectSession"
import { connectErrors, type ConnectError } from "@edp/domain/connections/ConnectError"
import { DeviceType } from "@edp/domain/devices/DeviceType"
import { ApiKeyType } from "@edp/domain/auth/ApiKeyType"
import { languages } from "@edp/domain/shared/Language"
import type { DiscoveredDevice } from "@edp/adapter-kit/Account"
import { iso } from "../platform/sql/records.ts"
import type { LocatedAddress } from "../sites/siteRow.ts"
import { JsonColumn } from "../platform/sql/rows.ts"
import { Schema } from "effect"

/** Stands for the type of the key where a hosted page has created the session. */
export const PAGE = "PAGE"

/** A session with what its pages show of its workspace. */
export const SessionRow = Schema.Struct({
  id: Schema.String,
  workspaceId: Schema.String,
  organizationId: Schema.String,
  workspaceName: Schema.String,
  logoUrl: Schema.NullOr(Schema.String),
  accentColor: Schema.NullOr(Schema.String),
  contactEmail: Schema.NullOr(Schema.String),
  contactPhone: Schema.NullOr(Schema.String),
  contactUrl: Schema.NullOr(Schema.String),
  /** Origins and schemes to which the workspace lets sessions redirect end users. */
  connectRedirects: Schema.Array(Schema.String),
  createdById: Schema.String,
  /** The key that created the session, or a hosted page of the platform. */
  createdByType: Schema.Union([ApiKeyType, Schema.Literal("PAGE")]),
  /** The browser whose dashboard session created it; null for others. */
  madeBy: Schema.NullOr(Schema.String),
  status: ConnectSessionStatus,
  mode: ConnectSession.fields.mode,
  referenceId: Schema.String,
  redirectUrl: Schema.NullOr(Schema.String),
  clientName: Schema.NullOr(Schema.String),
  tags: Schema.NullOr(Schema.Array(Schema.String)),
  manufacturers: Schema.NullOr(Schema.Array(Schema.String)),
  deviceTypes: Schema.NullOr(Schema.Array(DeviceType)),
  params: Schema.Unknown,
  language: Schema.NullOr(Schema.Literals(languages)),
  colorScheme: Schema.NullOr(Schema.Literals(["light", "dark"])),
  customerInfo: Schema.NullOr(JsonColumn<CustomerInfo>()),
  place: Schema.NullOr(JsonColumn<LocatedAddress>()),
  customerId: Schema.NullOr(Schema.String),
  siteId: Schema.NullOr(Schema.String),
  manufacturer: Schema.NullOr(Schema.String),
  consent: Schema.NullOr(JsonColumn<ConnectConsent>()),
  reconnectId: Schema.NullOr(Schema.String),
  accountId: Schema.NullOr(Schema.String),
  discovered: Schema.NullOr(Schema.Array(JsonColumn<DiscoveredDevice>())),
  sealedInstructions: Schema.NullOr(Schema.Uint8Array),
  deviceIds: Schema.Array(Schema.String),
  keyId: Schema.NullOr(Schema.String),
  sealedKey: Schema.NullOr(Schema.Uint8Array),
  /** Digests of the ids of browsers that have opened the link, the latest ones. */
  openedBy: Schema.Array(Schema.String),
  /** Digest of the id of the browser that began the sign-in, or sent the form, with which the account was linked. */
  linkedBy: Schema.NullOr(Schema.Uint8Array),
  transitions: Schema.Array(JsonColumn<ConnectTransition>()),
  lastError: Schema.NullOr(JsonColumn<ConnectFailure>()),
  live: Schema.Boolean,
  expiresAt: Schema.Date,
  removedAt: Schema.NullOr(Schema.Date),
  disconnectedAt: Schema.NullOr(Schema.Date),
  createdAt: Schema.Date,
  updatedAt: Schema.Date
})
export type SessionRow = typeof SessionRow.Type

type Shown =
  | "organizationId"
  | "workspaceName"
  | "logoUrl"
  | "accentColor"
  | "contactEmail"
  | "contactPhone"
  | "contactUrl"
  | "connectRedirects"

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
    | "openedBy"
    | "linkedBy"
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
 * The holder of the id of a device that a session links. A person may open a new link for it while the old one is open, except where
 * anybody can make links.
 */
export const claimHolder = (session: Pick<SessionRow, "id" | "workspaceId" | "referenceId"> & Creator) =>
  isPublic(session) ? session.id : `${session.workspaceId} ${session.referenceId}`

/**
 * Whether another hosted page leads into the session and takes the visitor back. It has asked for the person and the address, and
 * the visitor gets no key.
 */
export const isHosted = ({ createdByType }: Creator) => createdByType === PAGE

// Each secret opens for its own row and purpose only.
export const scopedKeyPurpose = (sessionId: string) => `scoped key ${sessionId}`
export const instructionsPurpose = (sessionId: string) => `connect instructions ${sessionId}`
export const authorizationPurpose = (id: string) => `connect authorization ${id}`
