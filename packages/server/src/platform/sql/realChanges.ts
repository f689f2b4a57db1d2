import { isDeepStrictEqual } from "node:util"

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
