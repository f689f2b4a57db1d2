import { Schema } from "effect"
import { DeviceType } from "../devices/DeviceType.ts"
import { Several } from "../shared/Page.ts"
import { Tag, Text } from "../shared/Text.ts"
import { TimestampInput } from "../shared/Timestamps.ts"
import { timezoneInput } from "../shared/Timezone.ts"
import { oneOf } from "../shared/quantities.ts"

/** Maximum number of points of one series. */
export const MAX_POINTS = 5_000

/** Maximum number of points of one response, in all series. */
export const MAX_RESPONSE = 100_000

/** Maximum number of devices of one query. */
export const MAX_DEVICES = 20_000

/** Maximum number of device days that one response is computed from. */
export const MAX_DEVICE_DAYS = 1_000_000

/** The same with a series for each site, which is sent while it is computed. */
export const bySite = { points: 3_200_000, devices: 100_000, deviceDays: 3_200_000 } as const

/** Lengths of buckets, the shortest first. */
export const periods = ["15m", "hour", "day", "week", "month", "year"] as const

/** Time ranges that end now. */
export const timeframes = ["1h", "12h", "24h", "1d", "7d", "30d", "90d", "1y"] as const

export const groupings = ["none", "device", "site"] as const

const optional = Schema.optionalKey

/** Selection of devices, time range and buckets. A filter with several values matches any of them. */
export const MetricQuery = {
  deviceId: optional(
    Several(Text(1, 100)).annotate({ description: "Only these devices; an unknown id is DEVICE_NOT_FOUND" })
  ),
  siteId: optional(
    Several(Text(1, 100)).annotate({ description: "Devices at these sites; an unknown id is SITE_NOT_FOUND" })
  ),
  customerId: optional(
    Several(Text(1, 100)).annotate({
      description: "Devices of these customers; an unknown id is CUSTOMER_NOT_FOUND"
    })
  ),
  collectionId: optional(
    Several(Text(1, 100)).annotate({
      description:
        "Devices in these collections: members of a device collection, devices at the sites of a site collection, devices of the customers of a customer collection. An unknown id is COLLECTION_NOT_FOUND"
    })
  ),
  tag: optional(Several(Tag).annotate({ description: "Devices with at least one of these tags" })),
  deviceType: optional(Several(DeviceType).annotate({ description: "Devices of these types" })),
  period: optional(
    oneOf(
      periods,
      "Length of a bucket. Buckets start at the quarter hour, hour, day, week (Monday), month or year of the time zone. Default: hour for ranges up to 7 days, day for longer ones"
    )
  ),
  timeframe: optional(
    oneOf(
      timeframes,
      "Time range that ends now, instead of `from` and `to`; 1y is 365 days. From a day on it begins with its first whole quarter of an hour"
    ).annotate({
      default: "24h"
    })
  ),
  from: optional(
    TimestampInput.annotate({ description: "Start of the time range, inclusive; default 24 hours before `to`" })
  ),
  to: optional(TimestampInput.annotate({ description: "End of the time range, exclusive; default now" })),
  groupBy: optional(
    oneOf(groupings, "One series per device, one per site, or a single series (none)").annotate({ default: "none" })
  ),
  timezone: optional(
    timezoneInput({
      description:
        "IANA time zone of the buckets. Default: the time zone that all selected sites (by siteId, deviceId or customerId) share, else the workspace's"
    })
  )
}
export type MetricQuery = Schema.Struct.Type<typeof MetricQuery>
