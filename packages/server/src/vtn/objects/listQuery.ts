import { objectTypes } from "@edp/domain/openadr/OpenAdrObjects"
import { isStorableText } from "@edp/domain/shared/Text"
import { Result } from "effect"
import { invalidFields, type VtnRefusal } from "../problem.ts"
import type { ObjectFilters, ObjectPage } from "./kinds.ts"
import { objectLimits } from "./objectLimits.ts"

const MOST = 50
const MOST_TARGETS = 500
const LONGEST = 128

const number = (text: string | null, fallback: number, maximum: number) => {
  if (text === null) return fallback
  return /^\d{1,10}$/u.test(text) && Number(text) <= maximum ? Number(text) : undefined
}

/** The window of a list. */
export const readPage = (query: URLSearchParams): Result.Result<ObjectPage, VtnRefusal> => {
  const skip = number(query.get("skip"), 0, objectLimits.skipped)
  const limit = number(query.get("limit"), MOST, MOST)
  if (skip !== undefined && limit !== undefined) return Result.succeed({ skip, limit })
  return Result.fail(
    invalidFields({
      ...(skip === undefined && {
        skip: `Must be an integer from 0 to ${objectLimits.skipped}; narrow a longer list by its filters`
      }),
      ...(limit === undefined && { limit: `Must be an integer from 0 to ${MOST}` })
    })
  )
}

const isName = (text: string) => text.length >= 1 && text.length <= LONGEST && isStorableText(text)

type Read = readonly [value: unknown, problem: string | undefined]

const readers: Record<keyof ObjectFilters, (values: ReadonlyArray<string>) => Read> = {
  programID: (values) => readName(values),
  eventID: (values) => readName(values),
  clientName: (values) => readName(values),
  venName: (values) => readName(values),
  venID: (values) => readName(values),
  resourceName: (values) => readName(values),
  active: ([value]) => [value === "true", value === "true" || value === "false" ? undefined : "Must be true or false"],
  objects: (values) => [
    values,
    values.every((value) => (objectTypes as ReadonlyArray<string>).includes(value))
      ? undefined
      : `Must be of ${objectTypes.join(", ")}`
  ],
  targets: (values) => [
    values,
    values.every(isName) && values.length <= MOST_TARGETS
      ? undefined
      : `Must be at most ${MOST_TARGETS} targets of 1 to ${LONGEST} characters`
  ]
}

const readName = ([value = ""]: ReadonlyArray<string>): Read => [
  value,
  isName(value) ? undefined : `Must be 1 to ${LONGEST} characters`
]

/** The filters of a list by their names; parameters of other names are ignored, as the definition has it. */
export const readQuery = (
  query: URLSearchParams,
  names: ReadonlyArray<keyof ObjectFilters>
): Result.Result<ObjectFilters, VtnRefusal> => {
  const filters: Record<string, unknown> = {}
  const problems: Record<string, string> = {}
  for (const name of names) {
    const values = query.getAll(name)
    if (values.length === 0) continue
    const [value, problem] = readers[name](values)
    if (problem === undefined) filters[name] = value
    else problems[name] = problem
  }
  return Object.keys(problems).length === 0 ? Result.succeed(filters) : Result.fail(invalidFields(problems))
}
