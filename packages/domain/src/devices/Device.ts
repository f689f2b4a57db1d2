import { Schema } from "effect"
import { Coordinates } from "../shared/Coordinates.ts"
import { Cuid, Slug } from "../shared/Cuid.ts"
import { cursorPaging, Several } from "../shared/Page.ts"
import { FreeForm, Tag, Tags, Text } from "../shared/Text.ts"
import { Timestamp, TimestampInput } from "../shared/Timestamps.ts"
import { CommandType } from "./CommandType.ts"
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
import { type DeviceType, DeviceType as DeviceTypeSchema, OnlineStatus } from "./DeviceType.ts"
import { oneOf } from "./quantities.ts"
import { BatteryStatic, InverterStatic, ThermostatStatic, VehicleStatic } from "./StaticState.ts"

const orNull = Schema.NullOr

export const DeviceLocation = Schema.Struct({
  address: Schema.Struct({
    streetOne: orNull(Schema.String),
    streetTwo: orNull(Schema.String),
    city: orNull(Schema.String),
    state: orNull(Schema.String),
    postalCode: orNull(Schema.String),
    country: orNull(Schema.String),
    county: orNull(Schema.String),
    hashedAddress: orNull(Schema.String).annotate({ description: "SHA-256 of the normalised address, hexadecimal" })
  }),
  coordinates: Schema.optionalKey(Coordinates)
}).annotate({ identifier: "DeviceLocation", description: "Where the device's site is" })

const common = {
  id: Cuid,
  siteId: orNull(Cuid).annotate({ description: "The site that the device belongs to" }),
  name: Schema.String,
  manufacturerDeviceId: Schema.String.annotate({ description: "Identifier issued by the manufacturer" }),
  serialNumber: orNull(Schema.String),
  referenceId: Schema.String.annotate({ description: "Identifies the user or account in the caller's system" }),
  manufacturer: Slug.annotate({ description: "Slug of the manufacturer" }),
  model: Schema.String,
  rawType: orNull(Schema.String).annotate({ description: "Type as the manufacturer names it" }),
  rawModel: orNull(Schema.String).annotate({ description: "Model as the manufacturer names it" }),
  modelYear: orNull(Schema.Int),
  location: Schema.optionalKey(DeviceLocation),
  availableCommands: Schema.Array(CommandType).annotate({ description: "Commands that the device takes" }),
  tags: Schema.Array(Schema.String),
  createdAt: orNull(Timestamp),
  updatedAt: orNull(Timestamp),
  isHome: Schema.optionalKey(
    orNull(Schema.Boolean).annotate({
      description: "Vehicles only: within 250 m of the registered location; null when coordinates are unavailable"
    })
  ),
  connectedAt: orNull(Timestamp).annotate({ description: "Most recent connection" }),
  disconnectedAt: orNull(Timestamp).annotate({ description: "Most recent disconnection" }),
  onlineStatus: OnlineStatus,
  lastOnlineAt: orNull(Timestamp).annotate({ description: "Time of the newest reading; null if there is none" })
}

const variant = <const T extends DeviceType, State extends Schema.Top, Static extends Schema.Top>(
  type: T,
  state: State,
  staticState: Static
) =>
  Schema.Struct({
    ...common,
    type: Schema.Literal(type),
    state: Schema.Union([state, NoState]).annotate({ description: "Newest reading; empty when there is none" }),
    staticState: Schema.optionalKey(staticState).annotate({ description: "What does not change by itself" })
  }).annotate({ identifier: `Device_${type}` })

/** A device; its type tells which variant `state` and `staticState` hold. */
export const Device = Schema.Union([
  variant("battery", BatteryState, BatteryStatic),
  variant("charger", ChargerState, FreeForm),
  variant("inverter", InverterState, InverterStatic),
  variant("meter", MeterState, FreeForm),
  variant("thermostat", ThermostatState, ThermostatStatic),
  variant("vehicle", VehicleState, VehicleStatic),
  variant("water_heater", WaterHeaterState, FreeForm),
  variant("other", OtherState, FreeForm),
  variant("unknown", OtherState, FreeForm)
]).annotate({ identifier: "Device" })
export type Device = typeof Device.Type

const boolean = oneOf(["true", "false"])

/** Filters of the device list; those that take several values match any of them. */
export const DeviceFilters = {
  ...cursorPaging,
  type: Schema.optionalKey(Several(DeviceTypeSchema)),
  manufacturer: Schema.optionalKey(Several(Text(1, 63))),
  model: Schema.optionalKey(Text(1, 255)),
  siteId: Schema.optionalKey(Several(Text(1, 100))),
  customerId: Schema.optionalKey(Text(1, 100)),
  referenceId: Schema.optionalKey(Text(1, 1000)),
  manufacturerDeviceId: Schema.optionalKey(Text(1, 255)),
  serialNumber: Schema.optionalKey(Text(1, 255)),
  tag: Schema.optionalKey(Several(Tag)),
  onlineStatus: Schema.optionalKey(Several(OnlineStatus)),
  connected: Schema.optionalKey(boolean.annotate({ description: "true: connected now; false: disconnected" })),
  collectionId: Schema.optionalKey(Text(1, 100)),
  q: Schema.optionalKey(Text(1, 255).annotate({ description: "Beginning of the name, any case" }))
}

/** What PATCH takes: absent leaves as is, null takes the device from its site. */
export const UpdateDevice = Schema.Struct({
  name: Schema.optionalKey(Text(1, 255)),
  siteId: Schema.optionalKey(Schema.NullOr(Text(1, 100))),
  tags: Schema.optionalKey(Tags),
  referenceId: Schema.optionalKey(Text(1, 1000))
}).annotate({ identifier: "UpdateDevice", examples: [{ name: "Garage battery", tags: ["pilot"] }] })
export type UpdateDevice = typeof UpdateDevice.Type

export const DeviceTags = Schema.Struct({ tags: Tags }).annotate({
  identifier: "DeviceTags",
  examples: [{ tags: ["pilot"] }]
})

export const HistoryFilters = {
  ...cursorPaging,
  from: Schema.optionalKey(TimestampInput.annotate({ description: "First instant; default 24 hours before `to`" })),
  to: Schema.optionalKey(TimestampInput.annotate({ description: "Instant before which readings end; default now" })),
  order: Schema.optionalKey(
    oneOf(["asc", "desc"], "By the reading's time; newest first by default").annotate({ default: "desc" })
  )
}

