import { Effect } from "effect"
import { Flag } from "effect/cli"
import { usage } from "./CliFailure.ts"

/** The fields that can be emptied, by the name of their flag, each with what empties it. */
export type Clearing = Readonly<Record<string, Readonly<Record<string, null | ReadonlyArray<never>>>>>

export const clearFlag = <const Fields extends Clearing>(fields: Fields) =>
  Flag.Literals("clear", Object.keys(fields) as ReadonlyArray<keyof Fields & string>).pipe(
    Flag.withDescription("Field to empty; repeat for several"),
    Flag.atLeast(0)
  )

/** The changes together with the fields to empty; a field can't be both changed and emptied. */
export const withCleared = Effect.fnUntraced(function* <Changes extends object>(
  changes: Changes,
  fields: Clearing,
  clear: ReadonlyArray<string>
) {
  const emptied: Record<string, unknown> = Object.assign({}, ...clear.map((name) => fields[name]))
  const both = clear.find((name) => Object.keys(fields[name] ?? {}).some((field) => field in changes))
  if (both !== undefined) return yield* usage(`--clear ${both} and a new value for it can't be given together`)
  if (Object.keys(changes).length + clear.length === 0) {
    return yield* usage("Nothing to change: pass what is to be different, or --clear with a field")
  }
  return { ...changes, ...emptied }
})
