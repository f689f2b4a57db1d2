import { Schema } from "effect"

/**
 * The messages of OCPP 1.6 that a central system reads. Enumerations are plain texts where a value that the standard does
 * not name changes nothing: vendors add their own. (OCPP 1.6 edition 2, chapters 6 and 7.)
 */
const optional = Schema.optionalKey
const text = Schema.String
/** No station has more connectors; the bound keeps the stored session small. */
const connectorId = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 64 }))

/** A measured value. All texts; `unit` decides between Wh and kWh, W and kW. Defaults are those of the standard. */
export const SampledValue16 = Schema.Struct({
  // a number in the JSON of some stations
  value: Schema.Union([text, Schema.Finite]),
  context: optional(text),
  format: optional(text),
  measurand: optional(text),
  phase: optional(text),
  location: optional(text),
  unit: optional(text)
})
export type SampledValue16 = typeof SampledValue16.Type

const MeterValue16 = Schema.Struct({ timestamp: text, sampledValue: Schema.Array(SampledValue16) })

const ignored = Schema.Struct({})

export const calls16 = {
  BootNotification: Schema.Struct({
    chargePointVendor: text,
    chargePointModel: text,
    chargePointSerialNumber: optional(text),
    chargeBoxSerialNumber: optional(text),
    firmwareVersion: optional(text),
    meterType: optional(text),
    meterSerialNumber: optional(text)
  }),
  Heartbeat: ignored,
  StatusNotification: Schema.Struct({
    /** 0 is the station as a whole. */
    connectorId,
    status: text,
    errorCode: text,
    info: optional(text),
    timestamp: optional(text),
    vendorId: optional(text),
    vendorErrorCode: optional(text)
  }),
  Authorize: Schema.Struct({ idTag: text }),
  StartTransaction: Schema.Struct({
    connectorId,
    idTag: text,
    /** Wh. */
    meterStart: Schema.Finite,
    timestamp: text,
    reservationId: optional(Schema.Int)
  }),
  StopTransaction: Schema.Struct({
    transactionId: Schema.Int,
    /** Wh. */
    meterStop: Schema.Finite,
    timestamp: text,
    idTag: optional(text),
    reason: optional(text),
    transactionData: optional(Schema.Array(MeterValue16))
  }),
  MeterValues: Schema.Struct({
    connectorId,
    transactionId: optional(Schema.Int),
    meterValue: Schema.Array(MeterValue16)
  }),
  DataTransfer: Schema.Struct({ vendorId: text, messageId: optional(text), data: optional(Schema.Unknown) }),
  FirmwareStatusNotification: ignored,
  DiagnosticsStatusNotification: ignored,
  SecurityEventNotification: ignored,
  SignedFirmwareStatusNotification: ignored,
  LogStatusNotification: ignored
} as const
export type Action16 = keyof typeof calls16
export type Call16<A extends Action16> = (typeof calls16)[A]["Type"]
