import { readingSchemas } from "@edp/domain/devices/DeviceState"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { isCuid } from "@edp/domain/shared/Cuid"
import { Effect, Option, Result, Schema, SchemaIssue } from "effect"
import { usage } from "../../kernel/CliFailure.ts"
import { Connection } from "../../kernel/Connection.ts"
import { defaultAddress, parseAddress } from "../../kernel/address.ts"
import { type BadLine, type FileReading, INVERTER, METER } from "./csvForms.ts"
import {
  type ImportOptions,
  type Target,
  ensureSite,
  ensureTarget,
  expectType,
  findTarget,
  missingDevice,
  provisionTarget
} from "./provision.ts"

const parseSiteAddress = (referenceId: string, { address }: ImportOptions) => {
  if (address === undefined) return Effect.succeed(defaultAddress(referenceId))
  const parsed = parseAddress(address)
  return Option.isSome(parsed)
    ? Effect.succeed(parsed.value)
    : Effect.fail(usage('--address takes "street, city, ST zip", such as "1 Capitol Mall, Sacramento, CA 95814"'))
}

/** The site of a home with its inverter and its meter. */
export const homeTargets = Effect.fn("telemetry.homeTargets")(function* (referenceId: string, options: ImportOptions) {
  const site = yield* ensureSite(referenceId, Option.some(yield* parseSiteAddress(referenceId, options)), options)
  const targets = new Map<string, Target>()
  for (const type of [INVERTER, METER] as const) {
    const device = {
      manufacturerDeviceId: `${referenceId}-${type}`,
      type,
      siteId: site.id,
      name: `${referenceId} ${type}`,
      referenceId
    }
    targets.set(type, yield* ensureTarget(device, options))
  }
  return { site, targets }
})

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1()

const decoders = Object.fromEntries(
  Object.entries(readingSchemas).map(([type, schema]) => [
    type,
    Schema.decodeUnknownResult(schema as Schema.Codec<unknown, unknown>, {
      errors: "all",
      onExcessProperty: "error"
    })
  ])
) as Record<DeviceType, (state: unknown) => Result.Result<unknown, Schema.SchemaError>>

const describeProblem = (type: DeviceType, column: string, given: boolean, message: string) => {
  const schema = readingSchemas[type]
  if ("fields" in schema && !(column in schema.fields)) return `takes one of ${Object.keys(schema.fields).join(", ")}`
  return given ? message : "is missing"
}

/** Validates the state of a reading by its device type. */
export const stateProblem = (type: DeviceType, { line, state }: FileReading): BadLine | undefined => {
  const decoded = decoders[type](state)
  if (Result.isSuccess(decoded)) return undefined
  const problems = formatIssue(decoded.failure.issue).issues.map(({ message, path }) => {
    const column = String(path?.[0] ?? "state")
    return `column ${column} of a device of type ${type}: ${describeProblem(type, column, column in state, message)}`
  })
  return { line, text: `line ${line}, ${problems.join("; ")}` }
}

/** Finds a device by its id, or by the manufacturer's id. */
const findNamed = Effect.fnUntraced(function* (device: string, { manufacturer }: ImportOptions) {
  if (!isCuid(device)) return yield* findTarget(device, manufacturer)
  const get = yield* (yield* Connection).endpoint("devices", "get")
  return yield* get({ params: { id: device } }).pipe(
    Effect.map(({ id, manufacturerDeviceId, type }) => Option.some({ id, manufacturerDeviceId, type, isNew: false })),
    Effect.catchTag("DEVICE_NOT_FOUND", () => Effect.succeed(Option.none()))
  )
})

/** The meter of a usage point, which is found by its id in every download. */
export const usagePointTargets = Effect.fn("telemetry.usagePointTargets")(function* (
  usagePoint: { readonly id: string; readonly title: string },
  referenceId: string,
  options: ImportOptions
) {
  const named = options.device ?? usagePoint.id
  const found = yield* findNamed(named, options)
  const meter = Option.isSome(found)
    ? yield* expectType(found.value, METER)
    : yield* provisionMeter(named, usagePoint.title, referenceId, options)
  return new Map([[METER, meter]])
})

const provisionMeter = Effect.fnUntraced(function* (
  device: string,
  title: string,
  referenceId: string,
  options: ImportOptions
) {
  if (!options.provision || isCuid(device)) return yield* missingDevice(device, options)
  const address =
    options.address === undefined ? Option.none() : Option.some(yield* parseSiteAddress(referenceId, options))
  const site = yield* ensureSite(options.site ?? referenceId, address, options)
  const name = title === "" ? "Electric meter" : title.slice(0, 255)
  return yield* provisionTarget({ manufacturerDeviceId: device, type: METER, siteId: site.id, name }, options)
})

/** Resolves the devices that a file of the general form names. */
export const generalTargets = (options: ImportOptions) => {
  const targets = new Map<string, Target | undefined>()
  const canProvision = options.provision && options.deviceType !== undefined && options.site !== undefined

  const inspect = Effect.fnUntraced(function* (reading: FileReading) {
    const { device, line } = reading
    if (!targets.has(device)) targets.set(device, Option.getOrUndefined(yield* findNamed(device, options)))
    const type = targets.get(device)?.type ?? (canProvision ? options.deviceType : undefined)
    if (type !== undefined) return stateProblem(type, reading)
    return {
      line,
      text: `line ${line}, column device: there is no device ${device} of ${options.manufacturer}; --provision with --device-type and --site makes it`
    }
  })

  /** Creates missing devices, after the whole file was checked. */
  const complete = Effect.fnUntraced(function* () {
    const complete = new Map<string, Target>()
    for (const [device, target] of targets) {
      complete.set(device, target ?? (yield* provisionMissing(device, options)))
    }
    return complete
  })
  return { inspect, complete }
}

const provisionMissing = Effect.fnUntraced(function* (device: string, options: ImportOptions) {
  const site = yield* ensureSite(options.site ?? "", Option.none(), options)
  const type = options.deviceType ?? "unknown"
  return yield* provisionTarget({ manufacturerDeviceId: device, type, siteId: site.id, name: device }, options)
})
