import { isCuid } from "@edp/domain/shared/Cuid"
import { Effect } from "effect"
import { CliFailure } from "./CliFailure.ts"

/** The id of a record that is named by its id, or by its referenceId where exactly one record has that. */
export const idByReference = Effect.fnUntraced(function* <E, R>(
  noun: string,
  name: string,
  find: (referenceId: string) => Effect.Effect<{ readonly data: ReadonlyArray<{ readonly id: string }> }, E, R>
) {
  if (isCuid(name)) return name
  const { data } = yield* find(name)
  const [record, another] = data
  if (record === undefined) {
    return yield* new CliFailure({
      code: `${noun.toUpperCase()}_NOT_FOUND`,
      message: `There is no ${noun} with the id or referenceId ${name}`
    })
  }
  if (another === undefined) return record.id
  return yield* new CliFailure({
    code: `${noun.toUpperCase()}_AMBIGUOUS`,
    message: `Several ${noun}s have the referenceId ${name}: name one by its id`,
    details: data.map(({ id }) => id)
  })
})
