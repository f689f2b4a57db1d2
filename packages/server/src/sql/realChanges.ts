import { isDeepStrictEqual } from "node:util"

/** Those fields of a change that are not so already; undefined when there is none, and nothing is to be written then. */
export const realChanges = <Changes extends object>(before: object, changes: Changes): Partial<Changes> | undefined => {
  const fields: Readonly<Record<string, unknown>> = { ...before }
  const real = Object.entries(changes).filter(
    ([name, value]) => value !== undefined && !isDeepStrictEqual(fields[name], value)
  )
  return real.length === 0 ? undefined : (Object.fromEntries(real) as Partial<Changes>)
}
