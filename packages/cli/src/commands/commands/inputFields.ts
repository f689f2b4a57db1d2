import { decodeCommandInput, inputSchemas } from "@edp/domain/commands/commandInputs"
import type { CommandLimits, CommandSlug } from "@edp/domain/devices/DeviceType"
import { Effect, type JsonSchema } from "effect"
import { usage } from "../../kernel/CliFailure.ts"

/** The keywords of JSON Schema that the fields of inputs have. */
interface FieldSchema {
  readonly type: "number" | "string" | "boolean"
  readonly enum?: ReadonlyArray<string>
  readonly minimum?: number
  readonly maximum?: number
  readonly description: string
}

interface Field {
  /** `name=values`, in brackets if it may be left out. */
  readonly text: string
  readonly description: string
}

type Properties = Readonly<Record<string, FieldSchema>>

const describeValues = ({ enum: choices, maximum, minimum, type }: FieldSchema) => {
  if (choices !== undefined) return choices.join("|")
  if (type === "boolean") return "true|false"
  return minimum === undefined && maximum === undefined ? type : `${minimum ?? ""}…${maximum ?? ""}`
}

const readFields = (schema: JsonSchema.JsonSchema, limits: CommandLimits = {}): ReadonlyArray<Field> => {
  const { properties = {}, required = [] } = schema as {
    readonly properties?: Properties
    readonly required?: ReadonlyArray<string>
  }
  return Object.entries(properties).map(([name, field]) => {
    const text = `${name}=${describeValues({ ...field, ...limits[name] })}`
    return { text: required.includes(name) ? text : `[${text}]`, description: field.description.replaceAll("`", "") }
  })
}

/** The fields of a command's input in one line, within the limits of a device. */
export const formatFields = (schema: JsonSchema.JsonSchema, limits: CommandLimits | undefined): string =>
  readFields(schema, limits)
    .map(({ text }) => text)
    .join(" ") || "no fields"

/** A line for each field of a type's input: its name, its values and their meaning. */
const inputHelp = (type: CommandSlug): ReadonlyArray<string> => {
  const fields = readFields(inputSchemas[type])
  if (fields.length === 0) return [`${type} takes no fields`]
  return [`${type} takes:`, ...fields.map(({ description, text }) => `  ${text}  ${description}`)]
}

const number = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

/** The value in the field's type; a text that has none stays a text, which the validation then refuses. */
const toValue = (schema: FieldSchema | undefined, text: string): unknown => {
  if (schema?.type === "number" && number.test(text)) return Number(text)
  if (schema?.type === "boolean" && (text === "true" || text === "false")) return text === "true"
  return text
}

/** Reads the `name=value` words of a command's input by the schema of its type. All wrong fields are reported together. */
export const parseInput = Effect.fnUntraced(function* (type: CommandSlug, words: ReadonlyArray<string>) {
  const { properties = {} } = inputSchemas[type] as { readonly properties?: Properties }
  const refuse = (...problems: ReadonlyArray<string>) =>
    usage(`The input of ${type} is not valid`, ...problems, ...inputHelp(type))
  const input = new Map<string, unknown>()
  for (const word of words) {
    const at = word.indexOf("=")
    if (at < 1) return yield* refuse(`${JSON.stringify(word)}: must be name=value`)
    const name = word.slice(0, at)
    if (input.has(name)) return yield* refuse(`${name}: is given twice`)
    input.set(name, toValue(Object.hasOwn(properties, name) ? properties[name] : undefined, word.slice(at + 1)))
  }
  return yield* decodeCommandInput(type, Object.fromEntries(input)).pipe(
    Effect.mapError((details) =>
      refuse(...Object.entries(details).map(([path, problem]) => `${path.replace(/^input\./, "")}: ${problem}`))
    )
  )
})
