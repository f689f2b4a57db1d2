import { isStorableText } from "@edp/domain/shared/Text"
import type { FormField } from "@edp/adapter-kit/ManufacturerAdapter"
import type { FieldProblem, FormState, Read } from "@edp/hosted-pages/scene/formState"

type Values = Readonly<Record<string, string>>

const MAX_FIELD = 255
/** A name or an address without scheme, port or path. */
const host = /^(?:\[[\da-f:.]+\]|[\p{L}\p{N}._-]+)$/iu

const fieldProblem = (field: FormField, text: string): FieldProblem | undefined => {
  if (text === "") return field.required ? "required" : undefined
  if ([...text].length > MAX_FIELD) return "too_long"
  if (!isStorableText(text)) return field.kind === "host" ? "invalid_host" : "invalid_choice"
  switch (field.kind) {
    case "host":
      return host.test(text) ? undefined : "invalid_host"
    case "choice":
      return field.choices?.some(({ value }) => value === text) === true ? undefined : "invalid_choice"
    case "integer": {
      const isWithin =
        /^-?\d{1,15}$/.test(text) &&
        Number(text) >= (field.minimum ?? -Infinity) &&
        Number(text) <= (field.maximum ?? Infinity)
      return isWithin ? undefined : "invalid_number"
    }
    default:
      return undefined
  }
}

/** The fields of a manufacturer's form. Passwords are not shown again. */
export const readFields = (fields: ReadonlyArray<FormField>, given: Values): Read<Values> => {
  const values: Record<string, string> = {}
  const problems: Record<string, FieldProblem> = {}
  for (const field of fields) {
    const typed = Object.hasOwn(given, field.name) ? given[field.name]! : ""
    const text = field.kind === "password" ? typed : typed.trim()
    values[field.name] = text
    const problem = fieldProblem(field, text)
    if (problem !== undefined) problems[field.name] = problem
  }
  const shown = Object.fromEntries(
    fields.filter(({ kind }) => kind !== "password").map(({ name }) => [name, values[name]!])
  )
  const isValid = Object.keys(problems).length === 0
  return { form: { values: shown, problems }, value: isValid ? values : undefined }
}

export const emptyForm = (fields: ReadonlyArray<FormField>): FormState => ({
  values: Object.fromEntries(fields.map(({ name, initial = "" }) => [name, initial])),
  problems: {}
})
