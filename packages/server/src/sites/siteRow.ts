import type { Address, Coordinates } from "@edp/domain/shared/Address"
import { Site } from "@edp/domain/sites/Site"
import { Schema, Struct } from "effect"

/** The columns of a site that are stored as the API shows them, and those of its address and coordinates. */
export const StoredSite = Schema.Struct({
  ...Struct.pick(Site.fields, ["id", "workspaceId", "name", "referenceId", "timezone", "tags"]),
  streetOne: Schema.String,
  streetTwo: Schema.NullOr(Schema.String),
  city: Schema.String,
  state: Schema.String,
  postalCode: Schema.String,
  country: Schema.String,
  latitude: Schema.NullOr(Schema.Finite),
  longitude: Schema.NullOr(Schema.Finite),
  maxImportW: Schema.NullOr(Schema.Finite),
  maxExportW: Schema.NullOr(Schema.Finite),
  createdAt: Schema.Date,
  updatedAt: Schema.Date
})

/** A site as statements return it, with its customers and the number of its devices. */
export const SiteRow = Schema.Struct({
  ...StoredSite.fields,
  ...Struct.pick(Site.fields, ["customerIds", "deviceCount"])
})
export type SiteRow = typeof SiteRow.Type

export const toSite = (row: SiteRow): Site => ({
  id: row.id,
  workspaceId: row.workspaceId,
  name: row.name,
  referenceId: row.referenceId,
  address: {
    streetOne: row.streetOne,
    ...(row.streetTwo === null ? {} : { streetTwo: row.streetTwo }),
    city: row.city,
    state: row.state,
    postalCode: row.postalCode,
    country: row.country
  },
  location:
    row.latitude === null || row.longitude === null ? null : { latitude: row.latitude, longitude: row.longitude },
  timezone: row.timezone,
  tags: row.tags,
  maxImportW: row.maxImportW,
  maxExportW: row.maxExportW,
  customerIds: row.customerIds,
  deviceCount: row.deviceCount,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString()
})

/** An address in the form in which it is stored. */
export type TidyAddress = Address & { readonly country: string }

/** An address with its coordinates. */
export interface LocatedAddress {
  readonly address: TidyAddress
  readonly location: Coordinates | null
  readonly county: string | null
}

/** An address with its search keys. */
export interface KeyedAddress extends TidyAddress {
  readonly keys: { readonly hash: string; readonly state: string; readonly postalCode: string }
}

/** The address as a geocoder gets it. */
export const withoutKeys = (keyed: KeyedAddress): TidyAddress => {
  const { keys: _, ...address } = keyed
  return address
}

/** The stored fields of a site. In a change, absent fields stay as they are. */
export interface SiteFields {
  readonly name: string | null
  readonly referenceId: string | null
  readonly address: KeyedAddress
  readonly location: Coordinates | null
  readonly county: string | null
  readonly timezone: string | null
  readonly tags: ReadonlyArray<string>
  readonly maxImportW: number | null
  readonly maxExportW: number | null
}

const addressColumns = (address: KeyedAddress) => ({
  street_one: address.streetOne,
  street_two: address.streetTwo ?? null,
  city: address.city,
  state: address.state,
  postal_code: address.postalCode,
  country: address.country,
  state_key: address.keys.state,
  postal_key: address.keys.postalCode,
  address_hash: address.keys.hash
})

export const siteColumns = (fields: Partial<SiteFields>): Record<string, unknown> => ({
  ...("name" in fields && { name: fields.name }),
  ...("referenceId" in fields && { reference_id: fields.referenceId }),
  ...(fields.address && addressColumns(fields.address)),
  ...("location" in fields && {
    latitude: fields.location?.latitude ?? null,
    longitude: fields.location?.longitude ?? null
  }),
  ...("county" in fields && { county: fields.county }),
  ...("timezone" in fields && { timezone: fields.timezone }),
  ...("tags" in fields && { tags: fields.tags }),
  ...("maxImportW" in fields && { max_import_w: fields.maxImportW }),
  ...("maxExportW" in fields && { max_export_w: fields.maxExportW })
})

/** The part of a site's change that concerns its devices. */
export interface SiteChange {
  /** The site's previous location. */
  readonly location: Coordinates | null
  /** Names of the fields that change for every device. */
  readonly changed: ReadonlyArray<string>
}

/** The fields of a site that devices show: its address and coordinates are their location. */
export const changedForDevices = (changed: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...(changed.includes("address") || changed.includes("location") ? ["location"] : []),
  ...(changed.includes("timezone") ? ["timezone"] : [])
]
