import { Effect } from "effect"
import { Flag } from "effect/cli"
import { usage } from "./CliFailure.ts"

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

/** A flag that takes JSON. */
export const json = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar("json"), Flag.withDescription(description))

/** The JSON object that a flag was given; whether it is one that fits is for the service to judge. */
export const parseObject = Effect.fnUntraced(function* (flag: string, text: string) {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // falls through: what does not parse is no JSON object
  }
  return yield* usage(`--${flag} must be a JSON object, in single quotes`)
})

/** `name: value` lines as headers. */
export const parseHeaders = Effect.fnUntraced(function* (lines: ReadonlyArray<string>) {
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const match = /^([^:\s]+):\s*(.+)$/.exec(line)
    if (match === null) return yield* usage(`--header must be 'name: value', not ${JSON.stringify(line)}`)
    headers[match[1]!] = match[2]!
  }
  return headers
})
