import { Schema } from "effect"
import { DeviceType } from "../devices/DeviceType.ts"
import { Several } from "../shared/Page.ts"
import { Tag, Text } from "../shared/Text.ts"
import { TimestampInput } from "../shared/Timestamps.ts"
import { timezoneInput } from "../shared/Timezone.ts"
import { oneOf } from "../shared/quantities.ts"

/** The most points of one series. */
export const MAX_POINTS = 5_000

/** The most points of one answer, over all its series. */
export const MAX_ANSWER = 100_000

/** The most devices that one question is about. */
export const MAX_DEVICES = 20_000

/** The most days of devices that one answer is computed from. */
export const MAX_DEVICE_DAYS = 1_000_000

/** Lengths of buckets, the shortest first. */
export const periods = ["15m", "hour", "day", "week", "month", "year"] as const

/** Spans back from now. */
export const timeframes = ["1h", "12h", "24h", "1d", "7d", "30d", "90d", "1y"] as const

export const groupings = ["none", "device", "site"] as const

const optional = Schema.optionalKey

/** Which devices, which span of time, and how it is cut. Filters that take several values match any of them. */
export const MetricQuery = {
  deviceId: optional(
    Several(Text(1, 100)).annotate({ description: "These devices; one that there is not is DEVICE_NOT_FOUND" })
  ),
  siteId: optional(
    Several(Text(1, 100)).annotate({ description: "Devices at these sites; one that there is not is SITE_NOT_FOUND" })
  ),
  customerId: optional(
    Several(Text(1, 100)).annotate({
      description: "Devices of these customers; one that there is not is CUSTOMER_NOT_FOUND"
    })
  ),
  collectionId: optional(
    Several(Text(1, 100)).annotate({
      description:
        "Devices in these collections, those at sites of a collection of sites, and those of customers of a collection of customers; one that there is not is COLLECTION_NOT_FOUND"
    })
  ),
  tag: optional(Several(Tag).annotate({ description: "Devices with one of these tags" })),
  deviceType: optional(Several(DeviceType).annotate({ description: "Devices of these kinds" })),
  period: optional(
    oneOf(
      periods,
      "Length of a bucket: it begins with the quarter, hour, day, week (on Monday), month or year of the time zone. Default: hour for spans up to 7 days, day beyond"
    )
  ),
  timeframe: optional(
    oneOf(timeframes, "Span back from now, in place of `from` and `to`; 1y is 365 days").annotate({ default: "24h" })
  ),
  from: optional(TimestampInput.annotate({ description: "First instant; default 24 hours before `to`" })),
  to: optional(TimestampInput.annotate({ description: "Instant at which the span ends; default now" })),
  groupBy: optional(
    oneOf(groupings, "A series for each device or for each site, or one for them all").annotate({ default: "none" })
  ),
  timezone: optional(
    timezoneInput({
      description:
        "Time zone of the buckets, of the IANA database. Default: that of the sites that siteId, deviceId or customerId lead to where they have one in common, else the workspace's"
    })
  )
}
export type MetricQuery = Schema.Struct.Type<typeof MetricQuery>
