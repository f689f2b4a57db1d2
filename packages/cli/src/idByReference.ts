import { isCuid } from "@edp/domain/shared/Cuid"
import { Effect } from "effect"
import { CliFailure } from "./CliFailure.ts"

interface Found {
  readonly data: ReadonlyArray<{ readonly id: string; readonly name?: string | null }>
}

/** The id of a record that is named by its id, or by its referenceId or its name where exactly one record has that. */
export const idByReference = Effect.fnUntraced(function* <E, R>(
  noun: string,
  name: string,
  find: (referenceId: string) => Effect.Effect<Found, E, R>,
  /** The records whose name begins so, where they have one. */
  search?: (beginning: string) => Effect.Effect<Found, E, R>
) {
  if (isCuid(name)) return name
  const referenced = (yield* find(name)).data
  const named = referenced.length > 0 || search === undefined ? [] : (yield* search(name)).data
  const data = [...referenced, ...named.filter((record) => record.name === name)]
  const [record, another] = data
  if (record === undefined) {
    return yield* new CliFailure({
      code: `${noun.toUpperCase()}_NOT_FOUND`,
      message: `There is no ${noun} with the id${search === undefined ? " or referenceId" : ", referenceId or name"} ${name}`
    })
  }
  if (another === undefined) return record.id
  return yield* new CliFailure({
    code: `${noun.toUpperCase()}_AMBIGUOUS`,
    message: `Several ${noun}s are called ${name}: name one by its id`,
    details: data.map(({ id }) => id)
  })
})
