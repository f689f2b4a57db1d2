import { Schema } from "effect"
import { ForcedMode } from "./ForcedMode.ts"
import { Coordinates } from "../shared/Address.ts"
import { Cuid, Slug, exampleIds } from "../shared/Cuid.ts"
import { documents } from "../shared/documents.ts"
import { cursorPaging, Several, SeveralReferences } from "../shared/Page.ts"
import { FreeForm, StoredText, Tag, Tags, TAGS_LIMIT, Text } from "../shared/Text.ts"
import { Timestamp, TimestampInput } from "../shared/Timestamps.ts"
import {
  COMMANDS_LIMIT,
  CommandType,
  type DeviceType,
  DeviceType as DeviceTypeSchema,
  OnlineStatus
} from "./DeviceType.ts"
import {
  BatteryState,
  ChargerState,
  InverterState,
  MeterState,
  NoState,
  OtherState,
  ThermostatState,
  VehicleState,
  WaterHeaterState
} from "./DeviceState.ts"
import { INTERVENTIONS_LIMIT, Intervention } from "./Intervention.ts"
import { oneOf } from "../shared/quantities.ts"
import { BatteryStatic, InverterStatic, ThermostatStatic, VehicleStatic } from "./StaticState.ts"

const orNull = Schema.NullOr

export const DeviceLocation = Schema.Struct({
  address: Schema.Struct({
    streetOne: orNull(StoredText(255)).annotate({ description: "First street line" }),
    streetTwo: orNull(StoredText(255)).annotate({ description: "Second street line" }),
    city: orNull(StoredText(100)).annotate({ description: "City or town" }),
    state: orNull(StoredText(100)).annotate({ description: "State, province or region" }),
    postalCode: orNull(StoredText(20)).annotate({ description: "Postal code" }),
    country: orNull(StoredText(100)).annotate({ description: "Country" }),
    county: orNull(StoredText(255)).annotate({ description: "County; null if the geocoder does not provide it" }),
    hashedAddress: orNull(StoredText(64)).annotate({ description: "SHA-256 of the normalised address, hexadecimal" })
  }),
  coordinates: Schema.optionalKey(Coordinates)
}).annotate({ identifier: "DeviceLocation", description: "Location of the device's site" })

const common = {
  id: Cuid,
  siteId: orNull(Cuid).annotate({
    description: "Site of the device; null if it has none",
    examples: [exampleIds.site]
  }),
  name: StoredText(255).annotate({ description: "Display name" }),
  manufacturerDeviceId: StoredText(255).annotate({ description: "Identifier issued by the manufacturer" }),
  serialNumber: orNull(StoredText(255)).annotate({ description: "Serial number" }),
  referenceId: StoredText(1000).annotate({ description: "Identifier of the user or account in the caller's system" }),
  manufacturer: Slug.annotate({ description: "Slug of the manufacturer" }),
  model: StoredText(255).annotate({ description: "Name of the device model" }),
  rawType: orNull(StoredText(255)).annotate({ description: "Type as named by the manufacturer" }),
  rawModel: orNull(StoredText(255)).annotate({ description: "Model as named by the manufacturer" }),
  modelYear: orNull(Schema.Int.check(documents({ minimum: 1900, maximum: 9999 }))).annotate({
    description: "Model year, as reported by the manufacturer"
  }),
  location: Schema.optionalKey(DeviceLocation),
  availableCommands: Schema.Array(CommandType)
    .check(documents({ maxItems: COMMANDS_LIMIT }))
    .annotate({ description: "Commands that the device supports" }),
  forcedMode: Schema.optionalKey(
    ForcedMode.annotate({ description: "The mode that a command forced; absent while none holds" })
  ),
  interventions: Schema.Array(Intervention)
    .check(documents({ maxItems: INTERVENTIONS_LIMIT }))
    .annotate({ description: "Obstacles that a person can remove; empty if nothing is known to block the device" }),
  tags: Schema.Array(StoredText(100))
    .check(documents({ maxItems: TAGS_LIMIT }))
    .annotate({ description: "Labels for grouping devices" }),
  createdAt: orNull(Timestamp).annotate({ description: "Time when the device was first stored" }),
  updatedAt: orNull(Timestamp).annotate({
    description: "Time of the last change of the record; readings do not count"
  }),
  isHome: Schema.optionalKey(
    orNull(Schema.Boolean).annotate({
      description:
        "Vehicles only: whether the vehicle is within 250 m of its registered location; null if coordinates are unavailable"
    })
  ),
  connectedAt: orNull(Timestamp).annotate({
    description: "Time of the most recent connection; null if never connected"
  }),
  disconnectedAt: orNull(Timestamp).annotate({
    description: "Time of the most recent disconnection; null if never disconnected"
  }),
  onlineStatus: OnlineStatus,
  lastOnlineAt: orNull(Timestamp).annotate({ description: "Time of the newest reading; null if there is none" })
}

const variant = <const T extends DeviceType, State extends Schema.Top, Static extends Schema.Top>(
  name: string,
  type: T,
  state: State,
  staticState: Static
) =>
  Schema.Struct({
    ...common,
    type: Schema.Literal(type).annotate({
      description: "Type of device; it determines the variants of `state` and `staticState`"
    }),
    state: Schema.Union([state, NoState]).annotate({
      description: "Newest reading; the empty object if there is none"
    }),
    staticState: Schema.optionalKey(staticState).annotate({ description: "Ratings and other static properties" })
  }).annotate({ identifier: name, description: `A device of type \`${type}\`` })

const BatteryDevice = variant("BatteryDevice", "battery", BatteryState, BatteryStatic)
export interface BatteryDevice extends Schema.Schema.Type<typeof BatteryDevice> {}
const ChargerDevice = variant("ChargerDevice", "charger", ChargerState, FreeForm)
export interface ChargerDevice extends Schema.Schema.Type<typeof ChargerDevice> {}
const InverterDevice = variant("InverterDevice", "inverter", InverterState, InverterStatic)
export interface InverterDevice extends Schema.Schema.Type<typeof InverterDevice> {}
const MeterDevice = variant("MeterDevice", "meter", MeterState, FreeForm)
export interface MeterDevice extends Schema.Schema.Type<typeof MeterDevice> {}
const ThermostatDevice = variant("ThermostatDevice", "thermostat", ThermostatState, ThermostatStatic)
export interface ThermostatDevice extends Schema.Schema.Type<typeof ThermostatDevice> {}
const VehicleDevice = variant("VehicleDevice", "vehicle", VehicleState, VehicleStatic)
export interface VehicleDevice extends Schema.Schema.Type<typeof VehicleDevice> {}
const WaterHeaterDevice = variant("WaterHeaterDevice", "water_heater", WaterHeaterState, FreeForm)
export interface WaterHeaterDevice extends Schema.Schema.Type<typeof WaterHeaterDevice> {}
const OtherDevice = variant("OtherDevice", "other", OtherState, FreeForm)
export interface OtherDevice extends Schema.Schema.Type<typeof OtherDevice> {}
const UnknownDevice = variant("UnknownDevice", "unknown", OtherState, FreeForm)
export interface UnknownDevice extends Schema.Schema.Type<typeof UnknownDevice> {}

// The variants have names of their own, which keep the types of the whole contract short.
export type Device =
  | BatteryDevice
  | ChargerDevice
  | InverterDevice
  | MeterDevice
  | ThermostatDevice
  | VehicleDevice
  | WaterHeaterDevice
  | OtherDevice
  | UnknownDevice

/** A device. Its type determines the variants of `state` and `staticState`. */
export const Device: Schema.Codec<Device> = Schema.Union([
  BatteryDevice,
  ChargerDevice,
  InverterDevice,
  MeterDevice,
  ThermostatDevice,
  VehicleDevice,
  WaterHeaterDevice,
  OtherDevice,
  UnknownDevice
]).annotate({
  identifier: "Device",
  description: "A device. `type` determines the variants of `state` and `staticState`"
})

const boolean = oneOf(["true", "false"])

/** A query parameter of lists of devices. */
export const DeviceIncludes = {
  include: Schema.optionalKey(
    oneOf(
      ["commandDetails"],
      "`commandDetails` adds `inputSchema`, `confirmWithin` and `limits` to the `availableCommands` of devices"
    )
  )
}
export type DeviceInclude = "commandDetails"

/** Filters of the device list; those that take several values match any of them. */
export const DeviceFilters = {
  ...cursorPaging,
  ...DeviceIncludes,
  type: Schema.optionalKey(Several(DeviceTypeSchema).annotate({ description: "Types of devices" })),
  manufacturer: Schema.optionalKey(Several(Text(1, 63)).annotate({ description: "Slugs of manufacturers" })),
  model: Schema.optionalKey(SeveralReferences(255).annotate({ description: "Names of device models" })),
  siteId: Schema.optionalKey(Several(Text(1, 100)).annotate({ description: "Devices of these sites" })),
  customerId: Schema.optionalKey(Several(Text(1, 100)).annotate({ description: "Devices of these customers" })),
  referenceId: Schema.optionalKey(
    SeveralReferences(1000).annotate({ description: "Identifiers of the users or accounts in the caller's system" })
  ),
  manufacturerDeviceId: Schema.optionalKey(
    SeveralReferences(255).annotate({ description: "Identifiers issued by the manufacturer" })
  ),
  serialNumber: Schema.optionalKey(SeveralReferences(255).annotate({ description: "Serial numbers" })),
  tag: Schema.optionalKey(Several(Tag).annotate({ description: "Tags of the device" })),
  onlineStatus: Schema.optionalKey(Several(OnlineStatus).annotate({ description: "Connection status" })),
  connected: Schema.optionalKey(boolean.annotate({ description: "true: currently connected; false: disconnected" })),
  collectionId: Schema.optionalKey(Several(Text(1, 100)).annotate({ description: "Devices in these collections" })),
  q: Schema.optionalKey(Text(1, 255).annotate({ description: "Prefix of the name, case-insensitive" }))
}

/** The body of PATCH: an absent field is unchanged; a siteId of null removes the device from its site. */
export const UpdateDevice = Schema.Struct({
  name: Schema.optionalKey(Text(1, 255).annotate({ description: "Display name" })),
  siteId: Schema.optionalKey(
    Schema.NullOr(Text(1, 100)).annotate({
      description: "A site of the workspace; null removes the device from its site"
    })
  ),
  tags: Schema.optionalKey(Tags),
  referenceId: Schema.optionalKey(
    Text(1, 1000).annotate({ description: "Identifier of the user or account in the caller's system" })
  )
}).annotate({ identifier: "UpdateDevice", examples: [{ name: "Garage battery", tags: ["pilot"] }] })
export type UpdateDevice = typeof UpdateDevice.Type

export const DeviceTags = Schema.Struct({ tags: Tags }).annotate({
  identifier: "DeviceTags",
  description: "The tags of a device",
  examples: [{ tags: ["pilot"] }]
})

export const HistoryFilters = {
  ...cursorPaging,
  from: Schema.optionalKey(
    TimestampInput.annotate({ description: "Start of the time range, inclusive; default 24 hours before `to`" })
  ),
  to: Schema.optionalKey(TimestampInput.annotate({ description: "End of the time range, exclusive; default now" })),
  order: Schema.optionalKey(
    oneOf(["asc", "desc"], "Order by the time of the reading; newest first by default").annotate({ default: "desc" })
  )
}
