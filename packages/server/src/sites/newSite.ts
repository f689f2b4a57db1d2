import { InvalidLocation, SiteAlreadyExists, type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import type { Address, Coordinates } from "@edp/domain/shared/Address"
import type { CreateSite } from "@edp/domain/sites/Site"
import { Effect } from "effect"
import { addressKeys } from "../platform/locations/normalizeAddress.ts"
import type { KeyedAddress, SiteFields, TidyAddress } from "./siteRow.ts"

/** The address as it was given, without spaces around its lines. The default country is the USA. */
const tidyAddress = (address: Address): TidyAddress => {
  const streetTwo = address.streetTwo?.trim()
  return {
    streetOne: address.streetOne.trim(),
    ...(streetTwo ? { streetTwo } : {}),
    city: address.city.trim(),
    state: address.state.trim(),
    postalCode: address.postalCode.trim(),
    country: address.country?.trim() || "USA"
  }
}

/** The lines that consist of spaces only. */
const blankLines = (address: Address): Record<string, string> =>
  Object.fromEntries(
    Object.entries(tidyAddress(address))
      .filter(([, text]) => text === "")
      .map(([line]) => [`address.${line}`, "Must not be blank"])
  )

/** A new site before it is geocoded. */
export interface PreparedSite extends Omit<SiteFields, "location" | "county"> {
  /** Undefined if the address is to be geocoded. */
  readonly given: Coordinates | undefined
  readonly customerId: string | undefined
}

export const keyed = (given: Address): Effect.Effect<KeyedAddress, ValidationError> => {
  const details = blankLines(given)
  if (Object.keys(details).length > 0) return Effect.fail(invalid(details))
  const address = tidyAddress(given)
  return Effect.succeed({ ...address, keys: addressKeys(address) })
}

export const requireOnEarth = (location: Coordinates | null | undefined) =>
  location && !(Math.abs(location.latitude) <= 90 && Math.abs(location.longitude) <= 180)
    ? Effect.fail(new InvalidLocation({ message: "Latitude is from -90 to 90 degrees, longitude from -180 to 180" }))
    : Effect.void

export const alreadyExists = (id: string) =>
  new SiteAlreadyExists({ message: `A site with this address exists in the workspace: ${id}` })

export const distinct = (tags: ReadonlyArray<string>) => [...new Set(tags)]

export const prepareSite = Effect.fnUntraced(function* (input: CreateSite) {
  const address = yield* keyed(input.address)
  yield* requireOnEarth(input.location)
  return {
    address,
    given: input.location ?? undefined,
    customerId: input.customerId,
    name: input.name ?? null,
    referenceId: input.referenceId ?? null,
    timezone: input.timezone ?? null,
    tags: distinct(input.tags ?? []),
    maxImportW: input.maxImportW ?? null,
    maxExportW: input.maxExportW ?? null
  } satisfies PreparedSite
})
