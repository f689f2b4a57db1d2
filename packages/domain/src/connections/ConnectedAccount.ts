import { Schema } from "effect"
import { Intervention } from "../devices/Intervention.ts"
import { DeviceType } from "../devices/DeviceType.ts"
import { Cuid, exampleIds, Slug } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { paging, Several } from "../shared/Page.ts"
import { oneOf } from "../shared/quantities.ts"
import { StoredText, Text } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"

const orNull = Schema.NullOr

export const connectedAccountStatuses = ["connected", "failed", "disconnected"] as const
export const ConnectedAccountStatus = oneOf(
  connectedAccountStatuses,
  "`failed`: the manufacturer no longer accepts the permission, and only a new sign-in helps"
)
export type ConnectedAccountStatus = typeof ConnectedAccountStatus.Type

/** Devices that are listed with an account. */
export const ACCOUNT_DEVICES_LIMIT = 20

const AccountDevice = Schema.Struct({
  id: Cuid,
  name: StoredText(255),
  type: DeviceType,
  isConnected: Schema.Boolean,
  interventions: Schema.Array(Intervention)
}).annotate({ identifier: "ConnectedAccountDevice", description: "A device of an account" })

const AccountFailure = Schema.Struct({
  failure: StoredText(100).annotate({ description: "Kind of the failure, such as `grant_lost` or `rate_limited`" }),
  message: StoredText(2000),
  at: Timestamp
}).annotate({ identifier: "ConnectedAccountFailure", description: "The latest failure of an account" })

/** An account at a manufacturer, or a local device that was linked by a form. */
export const ConnectedAccount = Schema.Struct({
  id: Cuid,
  manufacturer: Slug,
  name: StoredText(255).annotate({ description: "Name of the account at the manufacturer" }),
  status: ConnectedAccountStatus,
  referenceId: StoredText(1000),
  customer: orNull(Schema.Struct({ id: Cuid, name: StoredText(300) })).annotate({
    description: "The person who connected it, by name or else by e-mail address"
  }),
  siteId: orNull(Cuid),
  sessionId: orNull(Cuid).annotate({
    description: "The newest connect session of the account, by which it is disconnected; null if none is left"
  }),
  credentialsExpireAt: orNull(Timestamp).annotate({
    description: "When the credentials expire unless they are renewed; null if they don't, or if there are none"
  }),
  renewAt: orNull(Timestamp).annotate({ description: "When they are renewed; null if they need not be" }),
  lastError: orNull(AccountFailure).annotate({ description: "The latest failure; null once a call has succeeded" }),
  failures: Schema.Int.check(documents({ minimum: 0 })).annotate({ description: "Failed readings in a row" }),
  deviceCount: Schema.Int.check(documents({ minimum: 0 })),
  connectedDeviceCount: Schema.Int.check(documents({ minimum: 0 })),
  interventionCount: Schema.Int.check(documents({ minimum: 0 })).annotate({
    description: "Obstacles at all of its devices that a person has to remove"
  }),
  devices: Schema.Array(AccountDevice)
    .check(documents({ maxItems: ACCOUNT_DEVICES_LIMIT }))
    .annotate({ description: `The first ${ACCOUNT_DEVICES_LIMIT} devices, those with interventions first` }),
  createdAt: Timestamp,
  connectedAt: orNull(Timestamp),
  disconnectedAt: orNull(Timestamp).annotate({ description: "Since when it is failed or disconnected" })
}).annotate({
  identifier: "ConnectedAccount",
  description: "An account at a manufacturer, or a local device that was linked by a form",
  examples: [
    {
      id: exampleIds.account,
      manufacturer: "simulator",
      name: "Ada's home",
      status: "connected",
      referenceId: "user-1",
      customer: { id: exampleIds.customer, name: "Ada Okafor" },
      siteId: exampleIds.site,
      sessionId: exampleIds.connection,
      credentialsExpireAt: "2026-03-01T20:00:00.000Z",
      renewAt: "2026-03-01T19:00:00.000Z",
      lastError: null,
      failures: 0,
      deviceCount: 1,
      connectedDeviceCount: 1,
      interventionCount: 0,
      devices: [{ id: exampleIds.device, name: "Battery", type: "battery", isConnected: true, interventions: [] }],
      createdAt: "2026-03-01T12:00:00.000Z",
      connectedAt: "2026-03-01T12:04:00.000Z",
      disconnectedAt: null
    }
  ]
})
export type ConnectedAccount = typeof ConnectedAccount.Type

export const ConnectedAccountFilters = {
  ...paging(),
  id: Schema.optionalKey(Several(Text(1, 100)).annotate({ description: "Ids of the accounts" })),
  status: Schema.optionalKey(Several(ConnectedAccountStatus).annotate({ description: "Status of the account" })),
  manufacturer: Schema.optionalKey(Several(Text(1, 63)).annotate({ description: "Slugs of the manufacturers" }))
}
