import { Effect } from "effect"
import { Flag } from "effect/cli"
import { usage } from "./CliFailure.ts"

/** An optional flag. */
export const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

/** A repeatable flag. */
export const several = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(`${description}; repeat for several`), Flag.atLeast(0))

/** A repeatable flag with fixed choices. */
export const choices = <const Words extends ReadonlyArray<string>>(name: string, words: Words) =>
  Flag.Literals(name, words).pipe(Flag.withDescription("Repeat for several"), Flag.atLeast(0))

/** Becomes the query parameter `workspaceId`. */
export const workspaceId = text("workspace", "Id of a workspace of the key's organization; default: the key's own")

/** Skips the confirmation. */
export const yes = Flag.Boolean("yes").pipe(Flag.withDescription("Skip the confirmation"), Flag.withDefault(false))

/** A flag that takes JSON. */
export const json = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar("json"), Flag.withDescription(description))

/** Parses a flag's JSON object; the service validates its fields. */
export const parseObject = Effect.fnUntraced(function* (flag: string, text: string) {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Reported below.
  }
  return yield* usage(`--${flag} must be a JSON object, in single quotes`)
})

/** Parses `name: value` lines. */
export const parseHeaders = Effect.fnUntraced(function* (lines: ReadonlyArray<string>) {
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const match = /^([^:\s]+):\s*(.+)$/.exec(line)
    if (match === null) return yield* usage(`--header must be 'name: value', not ${JSON.stringify(line)}`)
    headers[match[1]!] = match[2]!
  }
  return headers
})

/** The fields that `--clear` can empty, by flag name, with the values that empty them. */
export type Clearing = Readonly<Record<string, Readonly<Record<string, null | ReadonlyArray<never>>>>>

export const clearFlag = <const Fields extends Clearing>(fields: Fields) =>
  Flag.Literals("clear", Object.keys(fields) as ReadonlyArray<keyof Fields & string>).pipe(
    Flag.withDescription("Field to clear; repeat for several"),
    Flag.atLeast(0)
  )

/** Merges changes and cleared fields; a field can't be both. */
export const withCleared = Effect.fnUntraced(function* <Changes extends object>(
  changes: Changes,
  fields: Clearing,
  clear: ReadonlyArray<string>
) {
  const emptied: Record<string, unknown> = Object.assign({}, ...clear.map((name) => fields[name]))
  const both = clear.find((name) => Object.keys(fields[name] ?? {}).some((field) => field in changes))
  if (both !== undefined) return yield* usage(`--clear ${both} and a new value for it can't be given together`)
  if (Object.keys(changes).length + clear.length === 0) {
    return yield* usage("Nothing to change: pass a new value, or --clear with a field")
  }
  return { ...changes, ...emptied }
})
