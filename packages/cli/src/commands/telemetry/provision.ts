import type { Device } from "@edp/domain/devices/Device"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { Address } from "@edp/domain/shared/Address"
import { Effect, Option } from "effect"
import { CliFailure } from "../../kernel/CliFailure.ts"
import { Connection } from "../../kernel/Connection.ts"

/** A device that receives readings of the file. */
export interface Target {
  readonly id: string
  readonly manufacturerDeviceId: string
  readonly type: DeviceType
  /** Created by this import, so it has no readings. */
  readonly isNew: boolean
}

/** The options of the command line. */
export interface ImportOptions {
  readonly provision: boolean
  readonly manufacturer: string
  readonly timezone: string | undefined
  readonly address: string | undefined
  /** General form: the type of missing devices. */
  readonly deviceType: DeviceType | undefined
  /** General form and Green Button: the reference of the site of missing devices. */
  readonly site: string | undefined
  /** Green Button: the usage point of the file, and its meter. */
  readonly usagePoint: string | undefined
  readonly device: string | undefined
}

const missing = (code: string, what: string, provision: string) =>
  new CliFailure({ code, message: `There is no ${what}`, details: [`Pass ${provision} to create it.`] })

/** Finds a site by reference; with an address, creates a missing one. */
export const ensureSite = Effect.fn("telemetry.ensureSite")(function* (
  referenceId: string,
  address: Option.Option<Address>,
  options: ImportOptions
) {
  const connection = yield* Connection
  const list = yield* connection.endpoint("sites", "list")
  const [site, another] = (yield* list({ query: { referenceId: [referenceId], perPage: 2 } })).data
  if (another !== undefined) {
    return yield* new CliFailure({
      code: "SITE_AMBIGUOUS",
      message: `Several sites have the reference ${referenceId}: rename the file or change one's referenceId`
    })
  }
  if (site !== undefined) return site
  if (Option.isNone(address) || !options.provision) {
    const flags = options.provision ? "--address" : "--provision"
    return yield* missing("SITE_NOT_FOUND", `site with the reference ${referenceId}`, flags)
  }
  const create = yield* connection.endpoint("sites", "create")
  const timezone = options.timezone === undefined ? {} : { timezone: options.timezone }
  return yield* create({
    payload: { referenceId, name: referenceId, address: address.value, ...timezone }
  }).pipe(
    Effect.catchTag("SITE_ALREADY_EXISTS", ({ code, message }) =>
      Effect.fail(
        new CliFailure({
          code,
          message: `${message}: ${address.value.streetOne}, ${address.value.city}`,
          details: [
            `No site has the reference ${referenceId} yet. Pass another --address, or give that site the reference.`
          ]
        })
      )
    )
  )
})

const toTarget = (device: Device, isNew: boolean): Target => ({
  id: device.id,
  manufacturerDeviceId: device.manufacturerDeviceId,
  type: device.type,
  isNew
})

/** Finds a device by the manufacturer's id. */
export const findTarget = Effect.fn("telemetry.findTarget")(function* (
  manufacturerDeviceId: string,
  manufacturer: string
) {
  const list = yield* (yield* Connection).endpoint("devices", "list")
  const { data } = yield* list({
    query: { manufacturerDeviceId: [manufacturerDeviceId], manufacturer: [manufacturer], perPage: 1 }
  })
  return Option.map(Option.fromUndefinedOr(data[0]), (device) => toTarget(device, false))
})

const modelFor = Effect.fnUntraced(function* (manufacturer: string, type: DeviceType) {
  const list = yield* (yield* Connection).endpoint("deviceModels", "list")
  const [model] = (yield* list({ query: { manufacturer: [manufacturer], type: [type], perPage: 1 } })).data
  if (model !== undefined) return model
  return yield* new CliFailure({
    code: "DEVICE_MODEL_NOT_FOUND",
    message: `The manufacturer ${manufacturer} has no device model of type ${type}`
  })
})

/** Provisions a device. */
export const provisionTarget = Effect.fn("telemetry.provisionTarget")(function* (
  device: {
    readonly manufacturerDeviceId: string
    readonly type: DeviceType
    readonly siteId: string
    readonly name: string
    readonly referenceId?: string
  },
  options: ImportOptions
) {
  const { type, ...fields } = device
  const model = yield* modelFor(options.manufacturer, type)
  const provision = yield* (yield* Connection).endpoint("directIntegration", "provision", { retries: 12 })
  return toTarget(yield* provision({ payload: { ...fields, deviceModelId: model.id } }), true)
})

export const missingDevice = (manufacturerDeviceId: string, { manufacturer }: ImportOptions) =>
  Effect.fail(missing("DEVICE_NOT_FOUND", `device ${manufacturerDeviceId} of ${manufacturer}`, "--provision"))

/** A device of another type can't take the readings. */
export const expectType = (device: Target, type: DeviceType) =>
  device.type === type
    ? Effect.succeed(device)
    : Effect.fail(
        new CliFailure({
          code: "DEVICE_TYPE_MISMATCH",
          message: `The device ${device.manufacturerDeviceId} is of type ${device.type}, and the file has readings of type ${type}`
        })
      )

/** Finds a device of the type; with `--provision`, creates a missing one. */
export const ensureTarget = Effect.fnUntraced(function* (
  device: Parameters<typeof provisionTarget>[0],
  options: ImportOptions
) {
  const { manufacturerDeviceId, type } = device
  const found = yield* findTarget(manufacturerDeviceId, options.manufacturer)
  if (Option.isSome(found)) return yield* expectType(found.value, type)
  return yield* options.provision ? provisionTarget(device, options) : missingDevice(manufacturerDeviceId, options)
})
