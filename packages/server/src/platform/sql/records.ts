import { isDeepStrictEqual } from "node:util"

/** Timestamps travel as text: ISO 8601 in UTC with milliseconds, formatted once, when the row is read. */
export const iso = (date: Date): string => date.toISOString()

export const isoOrNull = (date: Date | null): string | null => (date === null ? null : date.toISOString())

/** Every change updates this field, so it is not a change by itself. */
const IGNORED = "updatedAt"

/** The names of the fields in which two states of a record differ. */
export const changedNames = (before: object, after: object): ReadonlyArray<string> => {
  const [one, other]: ReadonlyArray<Readonly<Record<string, unknown>>> = [before as never, after as never]
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => name !== IGNORED && !isDeepStrictEqual(one![name], other![name])
  )
}

/** The value as JSON represents it. */
const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))

/** The fields of a change whose values differ from the record; undefined if there is nothing to write. */
export const realChanges = <Changes extends object>(before: object, changes: Changes): Changes | undefined => {
  const fields: Readonly<Record<string, unknown>> = { ...before }
  const real = Object.entries(changes).filter(
    ([name, value]) => value !== undefined && !isDeepStrictEqual(plain(fields[name]), plain(value))
  )
  return real.length === 0 ? undefined : (Object.fromEntries(real) as Changes)
}
