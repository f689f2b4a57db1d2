import { isDeepStrictEqual } from "node:util"

/** Timestamps travel as text: ISO 8601 in UTC with milliseconds, formatted once, when the row is read. */
export const iso = (date: Date): string => date.toISOString()

export const isoOrNull = (date: Date | null): string | null => (date === null ? null : date.toISOString())

/** Every change moves it along, so it tells of none by itself. */
const UNTOLD = "updatedAt"

/** The names of the fields in which two states of a record differ. */
export const changedNames = (before: object, after: object): ReadonlyArray<string> => {
  const [one, other]: ReadonlyArray<Readonly<Record<string, unknown>>> = [before as never, after as never]
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => name !== UNTOLD && !isDeepStrictEqual(one![name], other![name])
  )
}

/** As it goes into an answer: a field that is undefined is none. */
const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))

/** Those fields of a change that are not so already; undefined when there is none, and nothing is to be written then. */
export const realChanges = <Changes extends object>(before: object, changes: Changes): Changes | undefined => {
  const fields: Readonly<Record<string, unknown>> = { ...before }
  const real = Object.entries(changes).filter(
    ([name, value]) => value !== undefined && !isDeepStrictEqual(plain(fields[name]), plain(value))
  )
  return real.length === 0 ? undefined : (Object.fromEntries(real) as Changes)
}
