import { Schema } from "effect"
import { COMMANDS_LIMIT, CommandSlug, DeviceType } from "../devices/DeviceType.ts"
import { Cuid, Slug, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { paging, Several } from "../shared/Page.ts"
import { FreeForm, StoredText, Text } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"

export const DeviceModel = Schema.Struct({
  id: Cuid,
  manufacturer: Slug.annotate({ description: "Slug of the manufacturer" }),
  name: StoredText(255).annotate({ description: "Unique per manufacturer" }),
  type: DeviceType,
  staticState: Schema.NullOr(FreeForm).annotate({
    description: "Default static state of its devices: the variant of its type"
  }),
  commands: Schema.Array(CommandSlug)
    .check(documents({ maxItems: COMMANDS_LIMIT }))
    .annotate({ description: "Commands that its devices support" }),
  createdAt: Timestamp
}).annotate({
  identifier: "DeviceModel",
  description: "A model of a manufacturer, with its ratings and supported commands",
  examples: [
    {
      id: exampleIds.deviceModel,
      manufacturer: "acme",
      name: "Wall 10",
      type: "battery",
      staticState: { capacity: 10000, maxChargeRate: 5000, maxDischargeRate: 5000 },
      commands: ["battery:set-reserve", "battery:set-operating-mode"],
      createdAt: "2026-03-01T12:00:00.000Z"
    }
  ]
})
export type DeviceModel = typeof DeviceModel.Type

const commands = Schema.Array(CommandSlug)
  .check(Schema.isMaxLength(COMMANDS_LIMIT, { message: `Must be at most ${COMMANDS_LIMIT} commands` }))
  .annotate({ description: "Commands that its devices support" })
const name = Text(1, 255).annotate({ description: "Unique per manufacturer" })
const staticState = Schema.NullOr(FreeForm).annotate({
  description: "Default static state of its devices: the variant of its type"
})

export const CreateDeviceModel = Schema.Struct({
  manufacturer: Slug.annotate({ description: "Slug of the manufacturer" }),
  name,
  type: DeviceType,
  staticState: Schema.optionalKey(staticState),
  commands: Schema.optionalKey(commands)
}).annotate({
  identifier: "CreateDeviceModel",
  examples: [{ manufacturer: "acme", name: "Wall 10", type: "battery", staticState: { capacity: 10000 } }]
})
export type CreateDeviceModel = typeof CreateDeviceModel.Type

export const UpdateDeviceModel = Schema.Struct({
  name: Schema.optionalKey(name),
  staticState: Schema.optionalKey(staticState),
  commands: Schema.optionalKey(commands)
}).annotate({ identifier: "UpdateDeviceModel", examples: [{ name: "Wall 10 (2026)" }] })
export type UpdateDeviceModel = typeof UpdateDeviceModel.Type

export const DeviceModelFilters = {
  ...paging(),
  manufacturer: Schema.optionalKey(Several(Text(1, 63)).annotate({ description: "Slugs of manufacturers" })),
  type: Schema.optionalKey(Several(DeviceType).annotate({ description: "Types of devices" }))
}
