import { Schema } from "effect"
import { previewCodes, type PreviewCode, type PreviewOutcome } from "../commands/CommandPreview.ts"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { oneOf } from "../shared/quantities.ts"
import { StoredText } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"

/** Why a device or a site would get no command. */
export const leftOutCodes = ["no_device", "not_able", "settings_unknown", "site_limit", "held_by_user"] as const
export type LeftOutCode = (typeof leftOutCodes)[number]

const groupOutcomes = [...(Object.keys(previewCodes) as ReadonlyArray<PreviewOutcome>), "left_out"] as const
const groupCodes = [...(Object.values(previewCodes).flat() as ReadonlyArray<PreviewCode>), ...leftOutCodes] as const

/** A preview is made of at most this many sites. */
export const PREVIEWED_SITES = 10_000

const count = (description: string) => Schema.Int.check(documents({ minimum: 0 })).annotate({ description })
const sum = (description: string) => Schema.Finite.check(documents({ minimum: 0 })).annotate({ description })

export const DispatchPreviewGroup = Schema.Struct({
  outcome: oneOf(groupOutcomes, "As in the preview of a command; `left_out`: no command would be issued"),
  code: oneOf(
    groupCodes,
    "As in the preview of a command; with `left_out`: `no_device`, the site has no connected device of a type with an action; `not_able`, the device does not take the command; `settings_unknown`, a thermostat has not reported its settings; `site_limit`, the power limit of the site has no room; `held_by_user`, a mode of a user holds the device at the start"
  ),
  sentence: StoredText(500).annotate({ description: "The outcome in plain English, shown to users" }),
  sites: count("Number of sites with such a device"),
  devices: count("Number of devices; 0 with `no_device`"),
  examples: Schema.Array(
    Schema.Struct({
      siteId: Cuid.annotate({ description: "A site" }),
      deviceId: Schema.NullOr(Cuid).annotate({ description: "Its device; null with `no_device`" })
    }).annotate({ identifier: "DispatchPreviewExample", description: "A site and its device" })
  )
    .check(documents({ maxItems: 10 }))
    .annotate({ description: "The first ten" })
}).annotate({ identifier: "DispatchPreviewGroup", description: "Devices with the same outcome" })
export type DispatchPreviewGroup = typeof DispatchPreviewGroup.Type

export const DispatchPreview = Schema.Struct({
  at: Timestamp.annotate({ description: "Time of the preview: charges and powers are those of this time" }),
  startsAt: Timestamp.annotate({ description: "Start of the first interval" }),
  durationSeconds: count("Length of the first interval, seconds"),
  sites: count("Number of sites that are enrolled at the start"),
  sitesCounted: count(`Number of sites that the figures are made of: at most ${PREVIEWED_SITES}`),
  sitesReached: count("Number of sites with a device that would move or stop"),
  devicesReached: count("Number of these devices"),
  heldOutSites: count("Number of sites that the baseline will leave out at random; the figures do not subtract them"),
  dischargeW: sum("Power that batteries would discharge with together, W"),
  chargeW: sum("Power that batteries, chargers and vehicles would charge with together, W"),
  stoppedW: sum("Power that devices draw now and would stop to draw, W"),
  dischargeWh: sum("Energy that batteries would discharge in the interval, as far as their charges last, Wh"),
  powerUnknown: count("Number of devices whose power is not known; they are in none of the sums"),
  groups: Schema.Array(DispatchPreviewGroup)
    .check(documents({ maxItems: 40 }))
    .annotate({ description: "All devices by outcome and code, the greatest group first" })
}).annotate({
  identifier: "DispatchPreview",
  description:
    "Who would take part in the first interval of a dispatch and with which power, by the newest readings. Other dispatches and schedules are not considered",
  examples: [
    {
      at: "2026-07-14T23:50:00.000Z",
      startsAt: "2026-07-15T00:00:00.000Z",
      durationSeconds: 3600,
      sites: 3,
      sitesCounted: 3,
      sitesReached: 2,
      devicesReached: 2,
      heldOutSites: 0,
      dischargeW: 1300,
      chargeW: 0,
      stoppedW: 0,
      dischargeWh: 1300,
      powerUnknown: 0,
      groups: [
        {
          outcome: "moves",
          code: "follows_home",
          sentence: "The batteries would deliver what their homes use; export is off.",
          sites: 2,
          devices: 2,
          examples: [{ siteId: exampleIds.site, deviceId: exampleIds.device }]
        },
        {
          outcome: "left_out",
          code: "no_device",
          sentence: "The site has no connected device of a type with an action.",
          sites: 1,
          devices: 0,
          examples: [{ siteId: exampleIds.site, deviceId: null }]
        }
      ]
    }
  ]
})
export type DispatchPreview = typeof DispatchPreview.Type
