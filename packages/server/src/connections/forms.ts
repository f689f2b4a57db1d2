import type { CustomerInfo } from "@edp/domain/connections/ConnectSession"
import { Email, isStorableText } from "@edp/domain/shared/Text"
import { Schema } from "effect"
import type { FormField } from "../adapters/ManufacturerAdapter.ts"
import type { FieldProblem, FormState } from "./flowView.ts"

type Values = Readonly<Record<string, string>>
type Problems = Readonly<Record<string, FieldProblem>>
export type Location = NonNullable<CustomerInfo["location"]>

const addressFields = ["streetOne", "streetTwo", "city", "state", "postalCode", "country"] as const
const nameFields = ["firstName", "lastName", "email", "phone"] as const
const optionalFields: ReadonlyArray<string> = ["streetTwo", "phone", "country"]

const limits: Readonly<Record<string, number>> = { email: 254, phone: 20, postalCode: 20 }

/** Characters of a text line, without spaces around it. */
const trimmed = (values: Values, names: ReadonlyArray<string>): Values =>
  Object.fromEntries(names.map((name) => [name, (Object.hasOwn(values, name) ? values[name]! : "").trim()]))

const isEmail = Schema.is(Email)

const lineProblem = (name: string, text: string): FieldProblem | undefined => {
  if (text === "") return optionalFields.includes(name) ? undefined : "required"
  if ([...text].length > (limits[name] ?? 100)) return "too_long"
  if (name === "email") return isEmail(text) ? undefined : "invalid_email"
  if (name === "phone") return [...text].length >= 5 && isStorableText(text) ? undefined : "invalid_phone"
  return isStorableText(text) ? undefined : "invalid_address"
}

const problemsIn = (values: Values): Problems =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, text]) => {
      const problem = lineProblem(name, text)
      return problem === undefined ? [] : [[name, problem]]
    })
  )

const toLocation = ({ streetTwo, ...values }: Values): Location => ({
  streetOne: values.streetOne!,
  ...(streetTwo ? { streetTwo } : {}),
  city: values.city!,
  state: values.state!,
  postalCode: values.postalCode!,
  country: values.country || "USA"
})

/** The result of a form: what was typed, or what is wrong with it. */
export type Read<A> = { readonly form: FormState; readonly value: A | undefined }

const read = <A>(values: Values, toValue: (values: Values) => A): Read<A> => {
  const problems = problemsIn(values)
  const isValid = Object.keys(problems).length === 0
  return { form: { values, problems }, value: isValid ? toValue(values) : undefined }
}

export const readAddress = (given: Values): Read<Location> => read(trimmed(given, addressFields), toLocation)

/** A person's own fields, with the address where it is asked for. */
export const readCustomer = (given: Values, withAddress: boolean): Read<CustomerInfo> =>
  read(trimmed(given, withAddress ? [...nameFields, ...addressFields] : nameFields), (values) => ({
    firstName: values.firstName!,
    lastName: values.lastName!,
    email: values.email!,
    ...(values.phone ? { phone: values.phone } : {}),
    ...(withAddress ? { location: toLocation(values) } : {})
  }))

const lines = (location: Location | undefined): Values =>
  location === undefined ? {} : Object.fromEntries(Object.entries(location).filter(([, text]) => text !== undefined))

export const addressForm = (location: Location | undefined): FormState => ({ values: lines(location), problems: {} })

export const customerForm = ({ location, ...own }: CustomerInfo): FormState => ({
  values: { ...(own as Values), ...lines(location) },
  problems: {}
})

/** Whether the pages need not ask for it. */
export const isComplete = (info: CustomerInfo | null, withAddress: boolean) =>
  info !== null &&
  info.firstName !== undefined &&
  info.lastName !== undefined &&
  info.email !== undefined &&
  (!withAddress || info.location !== undefined)

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
