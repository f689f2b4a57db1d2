import { Flag } from "effect/cli"

/** A flag that may be left out. */
export const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

/** A flag that may be written any number of times. */
export const several = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(`${description}; repeat for several`), Flag.atLeast(0))

/** A flag of a few words that may be written any number of times. */
export const words = <const Words extends ReadonlyArray<string>>(name: string, words: Words) =>
  Flag.Literals(name, words).pipe(Flag.withDescription("Repeat for several"), Flag.atLeast(0))

export const yes = Flag.Boolean("yes").pipe(Flag.withDescription("Don't ask"), Flag.withDefault(false))
