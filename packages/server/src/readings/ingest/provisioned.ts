import { isDeepStrictEqual } from "node:util"
import { staticStateSchemas } from "@edp/domain/devices/StaticState"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { ProvisionDevice } from "@edp/domain/direct-integration/DirectIntegration"
import { type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import { validator } from "@edp/domain/errors/validator"
import { Exit, Result, type Schema } from "effect"

type StaticState = Readonly<Record<string, unknown>>

/** The fields that provisioning sent last, with defaults for those it left out. */
export interface Provisioned {
  readonly deviceModelId: string | null
  readonly siteId: string | null
  readonly serialNumber: string | null
  readonly name: string
  readonly referenceId: string
  readonly tags: ReadonlyArray<string>
  readonly staticState: StaticState | null
}

/** The valid fields of a request. */
export type GivenFields = { readonly [Field in keyof Provisioned]: Provisioned[Field] | undefined } & {
  readonly siteId: string
}

const decoders = Object.fromEntries(
  Object.entries(staticStateSchemas).map(([type, schema]) => [
    type,
    validator(schema as Schema.Codec<StaticState, unknown>, "staticState")
  ])
) as Record<DeviceType, ReturnType<typeof validator<StaticState>>>

/** The schema of the static state depends on the model's type. */
export const givenFields = (input: ProvisionDevice, type: DeviceType): Exit.Exit<GivenFields, ValidationError> => {
  const { deviceModelId, siteId, serialNumber, name, referenceId } = input
  const tags = input.tags && [...new Set(input.tags)]
  const given = { deviceModelId, siteId, serialNumber, name, referenceId, tags }
  if (input.staticState === undefined) return Exit.succeed({ ...given, staticState: undefined })
  const decoded = decoders[type](input.staticState, ["staticState"])
  return Result.isSuccess(decoded)
    ? Exit.succeed({ ...given, staticState: decoded.success })
    : Exit.fail(invalid(decoded.failure))
}

export const withDefaults = (
  given: GivenFields,
  model: { readonly id: string; readonly name: string; readonly staticState: StaticState | null },
  deviceId: string
): Provisioned => ({
  deviceModelId: model.id,
  siteId: given.siteId,
  serialNumber: given.serialNumber ?? null,
  name: given.name ?? model.name,
  referenceId: given.referenceId ?? deviceId,
  tags: given.tags ?? [],
  staticState: given.staticState ?? model.staticState
})

/** In the order in which a PARAMETER_MISMATCH lists them. */
const fields = ["deviceModelId", "siteId", "serialNumber", "name", "referenceId", "tags", "staticState"] as const

// The previous fields were stored as JSON, so both are compared as JSON. Tags have no order.
const comparable = (value: unknown): unknown =>
  Array.isArray(value) ? [...new Set<unknown>(value)].sort() : JSON.parse(JSON.stringify(value))

/** The request's fields that differ from those sent last; absent fields are not compared. */
export const mismatchedFields = (given: GivenFields, last: Provisioned): ReadonlyArray<string> =>
  fields.filter(
    (field) => given[field] !== undefined && !isDeepStrictEqual(comparable(given[field]), comparable(last[field]))
  )
