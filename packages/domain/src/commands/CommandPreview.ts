import { Schema } from "effect"
import { DeviceType } from "../devices/DeviceType.ts"
import { Cuid, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { oneOf } from "../shared/quantities.ts"
import { StoredText } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"

/** The outcomes of a command, with the codes that explain them. */
export const previewCodes = {
  moves: ["follows_home", "follows_surplus", "full_power", "target_power", "power_unknown"],
  nothing: [
    "export_not_allowed",
    "import_not_allowed",
    "battery_full",
    "battery_at_reserve",
    "storm_mode",
    "not_plugged_in",
    "vehicle_full",
    "target_reached"
  ],
  setting: ["stops", "setting"],
  unknown: ["no_reading", "old_reading", "no_home_reading"]
} as const

export type PreviewOutcome = keyof typeof previewCodes
export type PreviewCode = (typeof previewCodes)[PreviewOutcome][number]

export const PreviewOutcome = oneOf(
  Object.keys(previewCodes) as ReadonlyArray<PreviewOutcome>,
  "`moves`: the device would charge or discharge; `nothing`: it would take the command and do nothing; `setting`: it would stop, or get another setting; `unknown`: a reading is missing"
).annotate({ identifier: "PreviewOutcome" })

export const PreviewCode = oneOf(
  Object.values(previewCodes).flat() as ReadonlyArray<PreviewCode>,
  "With `moves`, the bound of the power: `follows_home`, the use of the home; `follows_surplus`, the solar surplus; `full_power`, the rated power; `target_power`, the asked one; `power_unknown`, a rated power that is not reported. With `nothing`, the reason, as in the note of a command, or `storm_mode`. With `setting`: `stops` or `setting`. With `unknown`: `no_reading` and `old_reading` of the device, `no_home_reading` of the grid connection of its site"
).annotate({ identifier: "PreviewCode" })

const figure = (description: string) => Schema.NullOr(Schema.Finite).annotate({ description })

export const PreviewReading = Schema.Struct({
  deviceId: Cuid.annotate({ description: "Device that has reported", examples: [exampleIds.device] }),
  type: DeviceType,
  at: Timestamp.annotate({ description: "Time of the reading" }),
  ageSeconds: Schema.Finite.check(documents({ minimum: 0 })).annotate({ description: "Its age, seconds" })
}).annotate({ identifier: "PreviewReading", description: "A reading that the preview is made from" })
export type PreviewReading = typeof PreviewReading.Type

export const CommandPreview = Schema.Struct({
  outcome: PreviewOutcome,
  code: PreviewCode,
  sentence: StoredText(500).annotate({ description: "The preview in plain English, shown to users" }),
  powerW: figure(
    "Power, W. Battery: positive discharges, negative charges; charger and vehicle: the power drawn. 0 where nothing moves, null where it is not known"
  ),
  exportW: figure("The part of it that would be fed into the grid, W; null where it is not known"),
  energyWh: figure("Energy until the battery stops by its limits, Wh; null where it is not known"),
  homeW: figure(
    "Power that the home needs beyond its solar power, W; negative is a surplus. The power of the battery itself is not in it"
  ),
  chargePercentage: figure("State of charge, percent"),
  stopsAtPercentage: figure("State of charge at which it stops, percent"),
  gridAllowed: Schema.Boolean.annotate({
    description: "Whether the command allows export and import (`enableGridInteraction`, false by default)"
  }),
  readings: Schema.Array(PreviewReading)
    .check(documents({ maxItems: 100 }))
    .annotate({ description: "The readings that it is made from, that of the device first" })
}).annotate({
  identifier: "CommandPreview",
  description: "What a command would do now, by the newest readings of the device and of its site",
  examples: [
    {
      outcome: "moves",
      code: "follows_home",
      sentence:
        "The home uses 0.6 kW and export is off: the battery would deliver 0.6 kW. It is at 62 % and stops at 20 %.",
      powerW: 600,
      exportW: 0,
      energyWh: 5670,
      homeW: 600,
      chargePercentage: 62,
      stopsAtPercentage: 20,
      gridAllowed: false,
      readings: [{ deviceId: exampleIds.device, type: "battery", at: "2026-03-01T12:00:00.000Z", ageSeconds: 42 }]
    }
  ]
})
export type CommandPreview = typeof CommandPreview.Type
