import { Schema } from "effect"
import { DeviceType, deviceTypes } from "../devices/DeviceType.ts"
import { Slug } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { paging } from "../shared/Page.ts"
import { HttpsUrl, StoredText, Text } from "../shared/Text.ts"

const httpsUrl = HttpsUrl.annotate({
  description: "An https address of the logo",
  examples: ["https://acme.example/logo.svg"]
})

export const Manufacturer = Schema.Struct({
  slug: Slug,
  name: StoredText(255).annotate({ description: "Display name" }),
  deviceTypes: Schema.Array(DeviceType)
    .check(documents({ maxItems: deviceTypes.length }))
    .annotate({ description: "Types of devices that it makes" }),
  connectable: Schema.Boolean.annotate({ description: "Whether devices can be connected through a connect session" }),
  directIntegration: Schema.Boolean.annotate({
    description: "Whether MANUFACTURER keys may provision its devices and push their telemetry"
  }),
  logoUrl: Schema.NullOr(StoredText(2000)).annotate({ description: "An https address of the logo" }),
  onlineWindow: Schema.Int.annotate({
    description: "Seconds for which a device counts as online after its newest reading"
  })
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
      logoUrl: null,
      onlineWindow: 900
    }
  ]
})
export type Manufacturer = typeof Manufacturer.Type

const types = Schema.Array(DeviceType)
  .check(
    Schema.isMinLength(1, { message: "Must name at least one device type" }),
    Schema.isMaxLength(100, { message: "Must name at most 100 device types" })
  )
  .annotate({ description: "Types of devices that it makes" })
const yesNo = Schema.Boolean.annotate({
  message: "Must be true or false",
  description: "Whether MANUFACTURER keys may provision its devices and push their telemetry"
})
const name = Text(1, 255).annotate({ description: "Display name" })

const aWeek = 604_800
const onlineWindow = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: aWeek })).annotate({
  message: `Must be an integer from 1 to ${aWeek}`,
  description:
    "Seconds for which a device counts as online after its newest reading, at most a week; choose it longer than the reporting interval"
})

export const CreateManufacturer = Schema.Struct({
  slug: Slug,
  name,
  deviceTypes: types,
  directIntegration: Schema.optionalKey(yesNo.annotate({ default: true })),
  logoUrl: Schema.optionalKey(Schema.NullOr(httpsUrl)),
  onlineWindow: Schema.optionalKey(onlineWindow.annotate({ default: 900 }))
}).annotate({
  identifier: "CreateManufacturer",
  examples: [{ slug: "acme", name: "Acme Energy", deviceTypes: ["battery"] }]
})
export type CreateManufacturer = typeof CreateManufacturer.Type

export const UpdateManufacturer = Schema.Struct({
  name: Schema.optionalKey(name),
  deviceTypes: Schema.optionalKey(types),
  directIntegration: Schema.optionalKey(yesNo),
  logoUrl: Schema.optionalKey(Schema.NullOr(httpsUrl)),
  onlineWindow: Schema.optionalKey(onlineWindow)
}).annotate({ identifier: "UpdateManufacturer", examples: [{ name: "Acme Energy, Inc." }] })
export type UpdateManufacturer = typeof UpdateManufacturer.Type

export const ManufacturerFilters = paging()
