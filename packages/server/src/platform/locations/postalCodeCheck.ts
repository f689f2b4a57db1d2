import { InvalidLocation } from "@edp/domain/errors/ApiErrors"
import type { Address } from "@edp/domain/shared/Address"
import { Effect } from "effect"
import { fiveDigitsOf, stateCodeOf, stateOfPostalCode } from "./statePrefixes.ts"

/** The five digits and the state of an address in the USA, when the one belongs to the other. */
export const checkPostalCode = (
  address: Address
): Effect.Effect<{ readonly fiveDigits: string; readonly state: string }, InvalidLocation> => {
  const fiveDigits = fiveDigitsOf(address.postalCode)
  const state = stateCodeOf(address.state)
  if (fiveDigits === undefined) return invalid("The postal code must be five digits, or nine as in ZIP+4")
  if (state === undefined) return invalid("The state is not one of the USA")
  return stateOfPostalCode(fiveDigits) === state
    ? Effect.succeed({ fiveDigits, state })
    : invalid("The postal code does not belong to the state")
}

export const invalid = (message: string) => Effect.fail(new InvalidLocation({ message }))
