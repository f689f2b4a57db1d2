import type { CustomerInfo } from "@edp/domain/connections/ConnectSession"
import { Email, isStorableText } from "@edp/domain/shared/Text"
import { Schema } from "effect"
import type { FieldProblem, FormState, Read } from "@edp/hosted-pages/scene/formState"

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
