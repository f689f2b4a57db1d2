import { crc32 } from "node:zlib"
import type { Address } from "@edp/domain/shared/Address"
import { Option } from "effect"

const written = /^(.+?)\s*,\s*([^,]+?)\s*,\s*([^,]+?)\s+(\S+)$/u

/** Parses "1 Capitol Mall, Sacramento, CA 95814": the street is everything before the last two commas. */
export const parseAddress = (text: string): Option.Option<Address> => {
  const parts = text.split(",").map((part) => part.trim())
  const [, streetOne, city, state, postalCode] =
    written.exec([parts.slice(0, -2).join(" "), ...parts.slice(-2)].join(",")) ?? []
  return streetOne === undefined || city === undefined || state === undefined || postalCode === undefined
    ? Option.none()
    : Option.some({ streetOne, city, state, postalCode })
}

/** A made-up address for a home without one; the house number is a hash of its name. */
export const defaultAddress = (referenceId: string): Address => ({
  streetOne: `${10_000 + (crc32(referenceId) % 90_000)} Sierra Avenue`,
  city: "Fontana",
  state: "CA",
  postalCode: "92335"
})
