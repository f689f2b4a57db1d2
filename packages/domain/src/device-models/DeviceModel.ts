import { Schema } from "effect"
import { CommandSlug } from "../devices/CommandType.ts"
import { DeviceType } from "../devices/DeviceType.ts"
import { Cuid, Slug } from "../shared/Cuid.ts"
import { paging, Several } from "../shared/Page.ts"
import { FreeForm, Text } from "../shared/Text.ts"
import { Timestamp } from "../shared/Timestamps.ts"

export const DeviceModel = Schema.Struct({
  id: Cuid,
  manufacturer: Slug,
  name: Schema.String,
  type: DeviceType,
  staticState: Schema.NullOr(FreeForm).annotate({
    description: "Default static state of its devices, in the variant of its type"
  }),
  commands: Schema.Array(CommandSlug).annotate({ description: "Commands that its devices take" }),
  createdAt: Timestamp
}).annotate({ identifier: "DeviceModel" })
export type DeviceModel = typeof DeviceModel.Type

const commands = Schema.Array(CommandSlug).check(Schema.isMaxLength(20, { message: "Must be at most 20 commands" }))

export const CreateDeviceModel = Schema.Struct({
  manufacturer: Slug,
  name: Text(1, 255),
  type: DeviceType,
  staticState: Schema.optionalKey(Schema.NullOr(FreeForm)),
  commands: Schema.optionalKey(commands)
}).annotate({
  identifier: "CreateDeviceModel",
  examples: [{ manufacturer: "generic", name: "Wall 10", type: "battery", staticState: { capacity: 10000 } }]
})
export type CreateDeviceModel = typeof CreateDeviceModel.Type

export const UpdateDeviceModel = Schema.Struct({
  name: Schema.optionalKey(Text(1, 255)),
  staticState: Schema.optionalKey(Schema.NullOr(FreeForm)),
  commands: Schema.optionalKey(commands)
}).annotate({ identifier: "UpdateDeviceModel", examples: [{ name: "Wall 10 (2026)" }] })
export type UpdateDeviceModel = typeof UpdateDeviceModel.Type

export const DeviceModelFilters = {
  ...paging(),
  manufacturer: Schema.optionalKey(Several(Text(1, 63))),
  type: Schema.optionalKey(Several(DeviceType))
}
