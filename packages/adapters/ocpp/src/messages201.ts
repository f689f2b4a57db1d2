import { Schema } from "effect"

/**
 * The messages of OCPP 2.0.1 that a central system reads, with the fields that it uses. (OCPP 2.0.1 edition 2, part 2.)
 * Enumerations are plain texts where a value that the standard does not name changes nothing.
 */
const optional = Schema.optionalKey
const text = Schema.String
/** No station has more EVSEs; the bound keeps the stored session small. */
const evseNumber = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 64 }))
const Evse = Schema.Struct({ id: evseNumber, connectorId: optional(Schema.Int) })

/** A measured value: a number times ten to the power of `multiplier`, in `unit`. */
export const SampledValue201 = Schema.Struct({
  value: Schema.Finite,
  context: optional(text),
  measurand: optional(text),
  phase: optional(text),
  location: optional(text),
  unitOfMeasure: optional(Schema.Struct({ unit: optional(text), multiplier: optional(Schema.Int) }))
})
export type SampledValue201 = typeof SampledValue201.Type

const MeterValue201 = Schema.Struct({ timestamp: text, sampledValue: Schema.Array(SampledValue201) })

const ignored = Schema.Struct({})

export const calls201 = {
  BootNotification: Schema.Struct({
    reason: text,
    chargingStation: Schema.Struct({
      vendorName: text,
      model: text,
      serialNumber: optional(text),
      firmwareVersion: optional(text)
    })
  }),
  Heartbeat: ignored,
  StatusNotification: Schema.Struct({
    timestamp: text,
    connectorStatus: text,
    evseId: evseNumber,
    connectorId: Schema.Int
  }),
  Authorize: Schema.Struct({ idToken: Schema.Struct({ idToken: text, type: text }) }),
  TransactionEvent: Schema.Struct({
    eventType: Schema.Literals(["Started", "Updated", "Ended"]),
    timestamp: text,
    triggerReason: text,
    seqNo: Schema.Int,
    transactionInfo: Schema.Struct({
      transactionId: Schema.String.check(Schema.isMaxLength(36)),
      chargingState: optional(text),
      stoppedReason: optional(text),
      remoteStartId: optional(Schema.Int)
    }),
    evse: optional(Evse),
    offline: optional(Schema.Boolean),
    idToken: optional(Schema.Struct({ idToken: text, type: text })),
    meterValue: optional(Schema.Array(MeterValue201))
  }),
  MeterValues: Schema.Struct({ evseId: evseNumber, meterValue: Schema.Array(MeterValue201) }),
  NotifyReport: Schema.Struct({
    requestId: Schema.Int,
    seqNo: Schema.Int,
    tbc: optional(Schema.Boolean),
    reportData: optional(
      Schema.Array(
        Schema.Struct({
          component: Schema.Struct({ name: text, evse: optional(Evse) }),
          variable: Schema.Struct({ name: text }),
          variableAttribute: Schema.Array(Schema.Struct({ type: optional(text), value: optional(text) })),
          variableCharacteristics: optional(Schema.Struct({ unit: optional(text), maxLimit: optional(Schema.Finite) }))
        })
      )
    )
  }),
  NotifyEvent: Schema.Struct({
    eventData: Schema.Array(
      Schema.Struct({
        eventId: Schema.Int,
        timestamp: text,
        actualValue: text,
        cleared: optional(Schema.Boolean),
        techCode: optional(text),
        techInfo: optional(text),
        component: Schema.Struct({ name: text, evse: optional(Evse) }),
        variable: Schema.Struct({ name: text })
      })
    )
  }),
  DataTransfer: Schema.Struct({ vendorId: text, messageId: optional(text), data: optional(Schema.Unknown) }),
  FirmwareStatusNotification: ignored,
  LogStatusNotification: ignored,
  SecurityEventNotification: ignored
} as const
export type Action201 = keyof typeof calls201
export type Call201<A extends Action201> = (typeof calls201)[A]["Type"]
