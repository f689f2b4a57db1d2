import { isDeepStrictEqual } from "node:util"

/** Every change moves it along, so it tells of none by itself. */
const UNTOLD = "updatedAt"

/** The names of the fields in which two states of a record differ. */
export const changedNames = (before: object, after: object): ReadonlyArray<string> => {
  const [one, other]: ReadonlyArray<Readonly<Record<string, unknown>>> = [before as never, after as never]
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => name !== UNTOLD && !isDeepStrictEqual(one![name], other![name])
  )
}
