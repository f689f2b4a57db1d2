import type { CommandSlug } from "@edp/domain/devices/DeviceType"
import { asNumber, isObject, parseFilterPath, parsePath, valueAt, withValue } from "@edp/adapter-kit/decoding/jsonPath"
import { type Observation, observe, type ReportedStatic } from "@edp/adapter-kit/decoding/observation"
import { readNumber, registersPerValue, type RegisterType } from "@edp/adapter-kit/decoding/registers"
import { withoutNoise } from "@edp/adapter-kit/decoding/units"
import { convertValue, giveValue } from "./convertValue.ts"
import type { HttpDevice, HttpField, HttpTemplate, ReadRequest, SentValue, Step } from "./HttpTemplate.ts"
import { commandInputs } from "./checkParts.ts"

type Scalar = string | number | boolean

/** The bodies of a round's responses, by the names of the requests; undefined where there was none. */
export type ReadResponse = (request: string) => unknown

/** A request as it is sent, but for the inputs that `{name}` stands for. */
export interface PlannedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly form?: Readonly<Record<string, string>>
  readonly json?: unknown
}

const texts = (values: Readonly<Record<string, Scalar>> = {}) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))

export const plannedRead = ({
  form,
  headers = {},
  json,
  method = "GET",
  path,
  query
}: ReadRequest): PlannedRequest => ({
  method,
  path,
  headers,
  query: texts(query),
  ...(form !== undefined && { form: texts(form) }),
  ...(json !== undefined && { json })
})

const placeholder = /\{([a-zA-Z][a-zA-Z0-9]*)\}/gu

/** The names that stand for inputs in a request. */
export const placeholders = (request: unknown): ReadonlyArray<string> =>
  typeof request === "string"
    ? Array.from(request.matchAll(placeholder), ([, name]) => name!)
    : typeof request === "object" && request !== null
      ? Object.values(request).flatMap(placeholders)
      : []

/** The request with inputs in place of their names. A name that has no input stays. */
export const fillRequest = (request: PlannedRequest, inputs: Readonly<Record<string, string>>): PlannedRequest => {
  const fill = (text: string, encode: (value: string) => string = (value) => value) =>
    text.replaceAll(placeholder, (all, name: string) => (Object.hasOwn(inputs, name) ? encode(inputs[name]!) : all))
  const fillAll = (value: unknown): unknown =>
    typeof value === "string"
      ? fill(value)
      : Array.isArray(value)
        ? value.map(fillAll)
        : isObject(value)
          ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fillAll(one)]))
          : value
  return { ...(fillAll(request) as PlannedRequest), path: fill(request.path, encodeURIComponent) }
}

interface ValueLocation {
  readonly request?: string
  readonly path: string
}

const requestName = ({ request }: { readonly request?: string }, { requests }: HttpTemplate) =>
  request ?? Object.keys(requests)[0]!

export const valueOfPlace = (place: ValueLocation, template: HttpTemplate, read: ReadResponse): unknown =>
  valueAt(read(requestName(place, template)), parseFilterPath(place.path) ?? [])

/** The number in a text such as fl_44FA0000; another value as it is, for the problem that the field then has. */
const readHexadecimal = (value: unknown, type: RegisterType): unknown => {
  const digits = typeof value === "string" ? /^(?:\w+_)?([0-9a-f]+)$/iu.exec(value)?.[1] : undefined
  if (digits?.length !== 4 * registersPerValue(type)) return value
  const words = Array.from({ length: registersPerValue(type) }, (_, n) =>
    Number.parseInt(digits.slice(4 * n, 4 * n + 4), 16)
  )
  return readNumber(words, type)
}

/** The value of a field; of a sum, undefined where a part that is not optional is, or where all are. */
const reportedValue = (field: HttpField, template: HttpTemplate, read: ReadResponse): unknown => {
  const place = (path: string, request = field.request) => ({ path, ...(request !== undefined && { request }) })
  if (field.path !== undefined) {
    const value = valueOfPlace(place(field.path), template, read)
    return field.hexadecimal === undefined ? value : readHexadecimal(value, field.hexadecimal)
  }
  let total: number | undefined
  for (const { optional, path, request, scale = 1 } of field.sum ?? []) {
    const value = valueOfPlace(place(path, request), template, read)
    if (value === undefined && optional === true) continue
    if (value === undefined || value === null) return undefined
    const number = asNumber(value)
    if (number === undefined) return value
    total = (total ?? 0) + number * scale
  }
  return total === undefined ? undefined : withoutNoise(total)
}

const convertFields = (
  fields: HttpDevice["fields"],
  template: HttpTemplate,
  read: ReadResponse,
  problems: Array<string>
) => {
  const values: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields)) {
    const converted = convertValue(name, reportedValue(field, template, read), field)
    if (converted === undefined) continue
    if ("problem" in converted) problems.push(converted.problem)
    else values[name] = converted.value
  }
  return values
}

/** The raw value of each field of a device, for people who write a template. */
export const rawValues = (device: HttpDevice, template: HttpTemplate, read: ReadResponse) =>
  Object.fromEntries(
    Object.entries({ ...device.fields, ...device.static }).map(([name, field]) => [
      name,
      reportedValue(field, template, read)
    ])
  )

/** The state of one of the template's devices by the responses of a round. `known` are static fields that a person entered. */
export const decodeResponses = (
  device: HttpDevice,
  template: HttpTemplate,
  read: ReadResponse,
  known: ReportedStatic = {}
): Observation => {
  const problems: Array<string> = []
  const state = convertFields(device.fields, template, read, problems)
  const measured = convertFields(device.static ?? {}, template, read, problems)
  return observe(device.type, state, { ...known, ...device.fixedStatic, ...measured }, problems)
}

/** The serial number that the device reports; undefined if it does not. */
export const reportedSerial = (template: HttpTemplate, read: ReadResponse): string | undefined => {
  if (template.serialNumber === undefined) return undefined
  const value = valueOfPlace(template.serialNumber, template, read)
  return (typeof value === "string" && value !== "") || typeof value === "number"
    ? String(value).slice(0, 100)
    : undefined
}

/** A value that a command sends, with the key of the place where the device shows it. */
export interface SentSetting {
  readonly key: string
  readonly value: Scalar
}

export interface PlannedStep {
  readonly request: PlannedRequest
  readonly settings: ReadonlyArray<SentSetting>
  /** Whether the device shows what the request sets: each value that comes from the command's input is one of the settings. */
  readonly isShown: boolean
}

/** All values of a step. */
export const sentValues = ({ form, json, query, segments }: Step): ReadonlyArray<SentValue> => [
  ...Object.values(segments ?? {}),
  ...Object.values(query ?? {}),
  ...Object.values(form ?? {}),
  ...(json ?? [])
]

export const settingKey = (place: ValueLocation, template: HttpTemplate) =>
  `${requestName(place, template)} ${place.path}`

/** The places where a device shows what a command sets, by key. */
export const settingPlaces = (device: HttpDevice, slug: CommandSlug, template: HttpTemplate) =>
  new Map(
    (device.commands?.[slug] ?? [])
      .flatMap(sentValues)
      .flatMap(({ confirm }) => (confirm === undefined ? [] : [[settingKey(confirm, template), confirm] as const]))
  )

type Chosen = { readonly write: Scalar } | { readonly skip: true } | { readonly refused: string }

const buildStep = (
  step: Step,
  template: HttpTemplate,
  choose: (value: SentValue) => Chosen
): PlannedStep | { readonly refused: string } => {
  const settings: Array<SentSetting> = []
  let isShown = true
  let refused: string | undefined
  const taken = (value: SentValue): Scalar | undefined => {
    const chosen = choose(value)
    if ("refused" in chosen) refused ??= chosen.refused
    if (!("write" in chosen)) return undefined
    if (value.confirm !== undefined) settings.push({ key: settingKey(value.confirm, template), value: chosen.write })
    else if (value.input !== undefined) isShown = false
    return chosen.write
  }
  const all = (values: Readonly<Record<string, SentValue>> = {}) =>
    Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) => {
        const write = taken(value)
        return write === undefined ? [] : [[name, String(write)]]
      })
    )
  const segments = all(step.segments)
  const query = all(step.query)
  const form = step.form === undefined ? undefined : all(step.form)
  let json: unknown
  for (const { at, ...value } of step.json ?? []) {
    const write = taken(value)
    if (write !== undefined) json = withValue(json, parsePath(at) ?? [], write)
  }
  if (refused !== undefined) return { refused }
  const request: PlannedRequest = {
    method: step.method ?? "GET",
    path: step.path.replaceAll(placeholder, (all, name: string) =>
      Object.hasOwn(segments, name) ? encodeURIComponent(segments[name]!) : all
    ),
    headers: step.headers ?? {},
    query,
    ...(form !== undefined && { form }),
    ...(json !== undefined && { json })
  }
  return { request, settings, isShown: isShown && settings.length > 0 }
}

export type CommandPlan = { readonly steps: ReadonlyArray<PlannedStep> } | { readonly refused: string }

/** The requests of a command; a sentence if it can't be sent. */
export const planCommand = (
  device: HttpDevice,
  slug: CommandSlug,
  inputs: Readonly<Record<string, unknown>>,
  template: HttpTemplate
): CommandPlan => {
  const steps = device.commands?.[slug]
  if (steps === undefined) return { refused: `The device does not support ${slug}` }
  const mode = inputs["operatingMode"]
  const own = steps.filter(({ when }) => when === undefined || when.includes(String(mode)))
  if (own.length === 0) return { refused: `operatingMode can't be ${String(mode)} on this device` }
  const planned: Array<PlannedStep> = []
  for (const step of own) {
    const built = buildStep(step, template, (value) =>
      giveValue(value, inputs, value.input === undefined ? undefined : commandInputs[slug]?.[value.input])
    )
    if ("refused" in built) return built
    planned.push(built)
  }
  return { steps: planned }
}

/**
 * The requests that set what a command changes back to saved values, the last one first. Each setting is sent once; a request that
 * sets nothing that was saved is left out.
 */
export const planRestore = (
  device: HttpDevice,
  slug: CommandSlug,
  saved: Readonly<Record<string, Scalar>>,
  template: HttpTemplate
): ReadonlyArray<PlannedStep> => {
  const done = new Set<string>()
  return (device.commands?.[slug] ?? []).toReversed().flatMap((step) => {
    const built = buildStep(step, template, ({ confirm, value }) => {
      const key = confirm === undefined ? undefined : settingKey(confirm, template)
      if (key !== undefined && Object.hasOwn(saved, key)) return { write: saved[key]! }
      return value === undefined || confirm !== undefined ? { skip: true } : { write: value }
    })
    if ("refused" in built || !built.settings.some(({ key }) => !done.has(key))) return []
    for (const { key } of built.settings) done.add(key)
    return [built]
  })
}

/** Whether a device shows a value as it was sent; numbers count as numbers. */
export const isSame = (shown: unknown, sent: Scalar): boolean => {
  if (shown === undefined || shown === null) return false
  const [one, other] = [asNumber(shown), asNumber(sent)]
  return one !== undefined && other !== undefined ? Math.abs(one - other) < 1e-6 : String(shown) === String(sent)
}
