import { Flag } from "effect/cli"

/** A flag that may be left out. */
export const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

/** A flag that may be written any number of times. */
export const several = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(`${description}; repeat for several`), Flag.atLeast(0))

export const yes = Flag.Boolean("yes").pipe(Flag.withDescription("Don't ask"), Flag.withDefault(false))
