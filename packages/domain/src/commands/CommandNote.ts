import { Schema } from "effect"
import { oneOf } from "../shared/quantities.ts"
import { StoredText } from "../shared/Text.ts"

/** Why a device does nothing for a command that is completed. */
export const commandNoteCodes = [
  "export_not_allowed",
  "import_not_allowed",
  "battery_full",
  "battery_at_reserve",
  "not_plugged_in",
  "vehicle_full",
  "target_reached",
  "no_effect_shown",
  "not_measured"
] as const

export const CommandNoteCode = oneOf(
  commandNoteCodes,
  "`export_not_allowed`: the home needs no power, and the command does not allow export; `import_not_allowed`: there is no surplus to charge from, and the command does not allow import; `battery_full` and `battery_at_reserve`: the battery may not be charged or discharged further; `not_plugged_in`: no vehicle is plugged in; `vehicle_full`: the vehicle is charged to its limit; `target_reached`: the room has the target temperature; `no_effect_shown`: the device is idle, and its state does not tell why; `not_measured`: no reading came within 30 minutes of the completion"
).annotate({ identifier: "CommandNoteCode" })
export type CommandNoteCode = typeof CommandNoteCode.Type

export const CommandNote = Schema.Struct({
  code: CommandNoteCode,
  sentence: StoredText(255).annotate({ description: "The reading in plain English, shown to users" })
}).annotate({
  identifier: "CommandNote",
  description: "Why a device does nothing for a completed command, by a reading from the completion or soon after it",
  examples: [
    {
      code: "export_not_allowed",
      sentence:
        "The battery was idle: the home took no power from the grid, and the command does not allow export (enableGridInteraction)."
    }
  ]
})
export type CommandNote = typeof CommandNote.Type
