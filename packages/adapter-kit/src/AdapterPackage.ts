import { CommandSlug, DeviceType } from "@edp/domain/devices/DeviceType"
import { Schema } from "effect"
import type { AnyManufacturerAdapter, Manifest } from "./ManufacturerAdapter.ts"

/** The version of the port. It grows when adapters that were written for an earlier version no longer work. */
export const PORT_VERSION = 1

/** The default export of a package that `EDP_ADAPTERS` names. */
export interface AdapterPackage {
  /** The version of the port that the adapter is written for. */
  readonly port: typeof PORT_VERSION
  readonly adapter: AnyManufacturerAdapter
}

const text = (maximum: number) => Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(maximum))
const positive = Schema.Finite.check(Schema.isGreaterThan(0))

/** Checks manifests that are loaded at run time. */
export const ManifestSchema: Schema.Codec<Manifest, unknown> = Schema.Struct({
  slug: text(100).check(
    Schema.isPattern(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, { message: "Must be lower-case letters, digits and single hyphens" })
  ),
  name: text(255),
  deviceTypes: Schema.Array(DeviceType).check(Schema.isMinLength(1)),
  commands: Schema.Array(CommandSlug),
  authorization: Schema.Literals(["oauth2", "form", "inbound"]).annotate({
    message: "Must be one of oauth2, form, inbound"
  }),
  polling: Schema.NullOr(
    Schema.Struct({ busy: positive, normal: positive, idle: positive, asleep: positive, discovery: positive })
  ),
  quotas: Schema.Array(
    Schema.Struct({
      scope: Schema.Literals(["account", "manufacturer"]),
      calls: positive,
      window: Schema.Union([positive, Schema.Literal("month")]),
      headroom: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
    })
  ),
  confirmWithin: positive,
  products: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        name: text(255),
        deviceTypes: Schema.Array(DeviceType),
        commands: Schema.Array(CommandSlug),
        provenAgainst: Schema.optionalKey(text(500))
      })
    )
  ),
  provenAgainst: Schema.optionalKey(text(500))
})
