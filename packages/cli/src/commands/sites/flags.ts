import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { usage } from "../../CliFailure.ts"
import { several, text } from "../../flags.ts"
import { given } from "../../paging.ts"
import { parseAddress } from "../telemetry/defaultAddress.ts"

export const plainFlags = {
  name: text("name", "Name for people"),
  referenceId: text("reference-id", "Reference in your system"),
  timezone: text("timezone", "Time zone such as America/Los_Angeles; default: the workspace's"),
  tags: several("tag", "Tag").pipe(Flag.withMetavar("tag"))
}

export const addressFlags = {
  address: text("address", 'The whole address: "street, city, ST zip"'),
  streetOne: text("street", "First street line"),
  streetTwo: text("street-two", "Second street line"),
  city: text("city", "City or town"),
  state: text("state", "State, province or region; in the USA its code or name"),
  postalCode: text("postal-code", "Postal code"),
  country: text("country", "Country; default: USA")
}

export const locationFlags = {
  latitude: Flag.Finite("latitude").pipe(Flag.withDescription("Degrees north, with --longitude"), Flag.optional),
  longitude: Flag.Finite("longitude").pipe(Flag.withDescription("Degrees east"), Flag.optional)
}

type Flags<Of> = { readonly [Name in keyof Of]: Option.Option<string> }

const ADDRESS_NEEDS = "An address is --address, or --street, --city, --state and --postal-code together"

/** The address that was written, in one flag or in several. */
export const addressFrom = Effect.fnUntraced(function* ({ address: whole, ...lines }: Flags<typeof addressFlags>) {
  const { city, postalCode, state, streetOne, ...rest } = given(lines)
  const parts = [streetOne, city, state, postalCode]
  if (Option.isSome(whole)) {
    if (parts.some((part) => part !== undefined)) return yield* usage(ADDRESS_NEEDS)
    const parsed = parseAddress(whole.value)
    if (Option.isNone(parsed)) {
      return yield* usage('--address takes "street, city, ST zip", such as "1 Capitol Mall, Sacramento, CA 95814"')
    }
    return Option.some({ ...parsed.value, ...rest })
  }
  if (streetOne !== undefined && city !== undefined && state !== undefined && postalCode !== undefined) {
    return Option.some({ streetOne, city, state, postalCode, ...rest })
  }
  if (Object.keys(given(lines)).length > 0) return yield* usage(ADDRESS_NEEDS)
  return Option.none()
})

export const locationFrom = Effect.fnUntraced(function* (flags: {
  readonly latitude: Option.Option<number>
  readonly longitude: Option.Option<number>
}) {
  const { latitude, longitude } = given(flags)
  if (latitude !== undefined && longitude !== undefined) return { location: { latitude, longitude } }
  if (latitude === undefined && longitude === undefined) return {}
  return yield* usage("--latitude and --longitude go together")
})
