import { Schema } from "effect"
import { ConnectedAccount } from "../connections/ConnectedAccount.ts"
import { OnlineStatus } from "../devices/DeviceType.ts"
import { exampleIds } from "../shared/Cuid.ts"
import { Timestamp } from "../shared/Timestamps.ts"

const orNull = Schema.NullOr
const { id, manufacturer, name, status, lastError, failures, disconnectedAt } = ConnectedAccount.fields

const DeviceAccount = Schema.Struct({
  id,
  manufacturer,
  name,
  status,
  lastError,
  failures,
  disconnectedAt,
  isWorking: Schema.Boolean.annotate({
    description: "Whether an instance reads the account now, or holds its connection"
  }),
  nextAttemptAt: orNull(Timestamp).annotate({
    description: "Time of the next attempt; null while an instance works on the account, and if there is none"
  }),
  pausedUntil: orNull(Timestamp).annotate({
    description:
      "Until then the service calls the manufacturer not at all, as the manufacturer asked; null without a pause"
  })
}).annotate({ identifier: "DeviceAccount", description: "The account that reports a device" })

/** How a device is reached, and what keeps it from being reached. */
export const DeviceConnection = Schema.Struct({
  onlineStatus: OnlineStatus,
  lastOnlineAt: orNull(Timestamp).annotate({ description: "Time of the newest reading; null if there is none" }),
  onlineUntil: orNull(Timestamp).annotate({
    description: "Time at which the device is offline unless it reports again; null if it is not online"
  }),
  isUnreachable: Schema.Boolean.annotate({
    description: "Whether the manufacturer said since the newest reading that the device does not respond"
  }),
  disconnectedAt: orNull(Timestamp).annotate({ description: "Time when the link ended; null while it is connected" }),
  isDirect: Schema.Boolean.annotate({
    description: "Whether the manufacturer sends the readings by itself: the service asks for none"
  }),
  account: orNull(DeviceAccount).annotate({ description: "null for a device that no account reports" }),
  asOf: Timestamp.annotate({ description: "Time at which the connection was judged" })
}).annotate({
  identifier: "DeviceConnection",
  description: "How a device is reached: its account, the last failure, and the next attempt",
  examples: [
    {
      onlineStatus: "offline",
      lastOnlineAt: "2026-03-01T12:00:00.000Z",
      onlineUntil: null,
      isUnreachable: false,
      disconnectedAt: null,
      isDirect: false,
      account: {
        id: exampleIds.account,
        manufacturer: "simulator",
        name: "Ada's home",
        status: "connected",
        lastError: {
          failure: "vendor_fault",
          message: "The service responded with 503",
          at: "2026-03-01T12:30:00.000Z"
        },
        failures: 4,
        disconnectedAt: null,
        isWorking: false,
        nextAttemptAt: "2026-03-01T12:34:00.000Z",
        pausedUntil: null
      },
      asOf: "2026-03-01T12:31:00.000Z"
    }
  ]
})
export type DeviceConnection = typeof DeviceConnection.Type
