import { Schema } from "effect"
import { DeviceType } from "../devices/DeviceType.ts"
import { Slug } from "../shared/Cuid.ts"
import { paging } from "../shared/Page.ts"
import { Text } from "../shared/Text.ts"

const httpsUrl = Text(1, 2000)
  .check(Schema.isPattern(/^https:\/\/[^\s]+$/u, { message: "Must be an https address" }))
  .annotate({ format: "uri" })

export const Manufacturer = Schema.Struct({
  slug: Slug,
  name: Schema.String,
  deviceTypes: Schema.Array(DeviceType),
  connectable: Schema.Boolean.annotate({ description: "Devices can be connected through a connect session" }),
  directIntegration: Schema.Boolean.annotate({ description: "The manufacturer may provision devices and push telemetry" }),
  logoUrl: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Manufacturer" })
export type Manufacturer = typeof Manufacturer.Type

const types = Schema.Array(DeviceType).check(Schema.isMinLength(1, { message: "Must name at least one device type" }))
const yesNo = Schema.Boolean.annotate({ message: "Must be true or false" })

export const CreateManufacturer = Schema.Struct({
  slug: Slug,
  name: Text(1, 255),
  deviceTypes: types,
  directIntegration: Schema.optionalKey(yesNo.annotate({ default: true })),
  logoUrl: Schema.optionalKey(Schema.NullOr(httpsUrl))
}).annotate({
  identifier: "CreateManufacturer",
  examples: [{ slug: "acme", name: "Acme Energy", deviceTypes: ["battery"] }]
})
export type CreateManufacturer = typeof CreateManufacturer.Type

export const UpdateManufacturer = Schema.Struct({
  name: Schema.optionalKey(Text(1, 255)),
  deviceTypes: Schema.optionalKey(types),
  directIntegration: Schema.optionalKey(yesNo),
  logoUrl: Schema.optionalKey(Schema.NullOr(httpsUrl))
}).annotate({ identifier: "UpdateManufacturer", examples: [{ name: "Acme Energy, Inc." }] })
export type UpdateManufacturer = typeof UpdateManufacturer.Type

export const ManufacturerFilters = paging()
