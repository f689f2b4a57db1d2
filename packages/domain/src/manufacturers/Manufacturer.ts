import { Schema } from "effect"
import { DeviceType } from "../devices/DeviceType.ts"
import { Slug } from "../shared/Cuid.ts"
import { paging } from "../shared/Page.ts"
import { Text } from "../shared/Text.ts"

const httpsUrl = Text(1, 2000)
  .check(Schema.isPattern(/^https:\/\/[^\s]+$/u, { message: "Must be an https address" }))
  .annotate({ description: "An https address of the logo", examples: ["https://acme.example/logo.svg"] })

export const Manufacturer = Schema.Struct({
  slug: Slug,
  name: Schema.String.annotate({ description: "Name for people" }),
  deviceTypes: Schema.Array(DeviceType).annotate({ description: "Kinds of devices that it makes" }),
  connectable: Schema.Boolean.annotate({ description: "Devices can be connected through a connect session" }),
  directIntegration: Schema.Boolean.annotate({
    description: "The manufacturer may provision devices and push telemetry"
  }),
  logoUrl: Schema.NullOr(Schema.String).annotate({ description: "An https address of the logo" })
}).annotate({
  identifier: "Manufacturer",
  description: "A maker of devices, shared by all workspaces",
  examples: [
    {
      slug: "acme",
      name: "Acme Energy",
      deviceTypes: ["battery", "inverter"],
      connectable: false,
      directIntegration: true,
      logoUrl: null
    }
  ]
})
export type Manufacturer = typeof Manufacturer.Type

const types = Schema.Array(DeviceType)
  .check(Schema.isMinLength(1, { message: "Must name at least one device type" }))
  .annotate({ description: "Kinds of devices that it makes" })
const yesNo = Schema.Boolean.annotate({
  message: "Must be true or false",
  description: "Whether keys in its scope may provision devices and push telemetry"
})
const name = Text(1, 255).annotate({ description: "Name for people" })

export const CreateManufacturer = Schema.Struct({
  slug: Slug,
  name,
  deviceTypes: types,
  directIntegration: Schema.optionalKey(yesNo.annotate({ default: true })),
  logoUrl: Schema.optionalKey(Schema.NullOr(httpsUrl))
}).annotate({
  identifier: "CreateManufacturer",
  examples: [{ slug: "acme", name: "Acme Energy", deviceTypes: ["battery"] }]
})
export type CreateManufacturer = typeof CreateManufacturer.Type

export const UpdateManufacturer = Schema.Struct({
  name: Schema.optionalKey(name),
  deviceTypes: Schema.optionalKey(types),
  directIntegration: Schema.optionalKey(yesNo),
  logoUrl: Schema.optionalKey(Schema.NullOr(httpsUrl))
}).annotate({ identifier: "UpdateManufacturer", examples: [{ name: "Acme Energy, Inc." }] })
export type UpdateManufacturer = typeof UpdateManufacturer.Type

export const ManufacturerFilters = paging()
