import { asNumber, type JsonStep, parseJson, valueAt } from "@edp/adapter-kit/decoding/jsonPath"
import { withoutNoise } from "@edp/adapter-kit/decoding/units"

/** A value template that is understood: a path into the JSON payload or the payload itself, then filters. */
export interface ValueTemplate {
  /** Undefined: the payload as a text. */
  readonly path: ReadonlyArray<JsonStep> | undefined
  readonly filters: ReadonlyArray<Filter>
}

type Filter =
  | { readonly name: "float" | "int" | "is_defined" }
  | { readonly name: "round"; readonly digits: number }
  | { readonly name: "multiply"; readonly factor: number }

/** Longer ones are no paths, and matching them would take long. */
const MAX_LENGTH = 500

const expression = /^\s*\{\{-?\s*([^{}]*?)\s*-?\}\}\s*$/
const source = /^value(?:_json((?:\.[A-Za-z_]\w*|\[\d+\]|\['[^'\]]+'\]|\["[^"\]]+"\])*))?$/
const step = /\.([A-Za-z_]\w*)|\[(\d+)\]|\['([^'\]]+)'\]|\["([^"\]]+)"\]/g
const filterCall = /^(\w+)(?:\(\s*([^()]*?)\s*\))?$/

const parseFilter = (text: string): Filter | undefined => {
  const call = filterCall.exec(text.trim())
  if (call === null) return undefined
  const [, name, argument] = call
  const number = argument === undefined || argument === "" ? undefined : asNumber(argument)
  if (name === "is_defined" && argument === undefined) return { name }
  // A default, as in float(0), would turn a missing value into a number, so only float and int without one are understood.
  if ((name === "float" || name === "int") && (argument === undefined || argument === "")) return { name }
  if (name === "round" && (argument === undefined || Number.isInteger(number))) return { name, digits: number ?? 0 }
  if (name === "multiply" && number !== undefined) return { name, factor: number }
  return undefined
}

/**
 * Reads a template such as `{{ value_json.a.b }}` or `{{ value_json['a'][0] | float | round(2) }}`. Undefined for any other:
 * conditions, arithmetic and defaults are a language of their own, and a wrong guess is a wrong reading.
 */
export const parseValueTemplate = (text: string): ValueTemplate | undefined => {
  if (text.length > MAX_LENGTH) return undefined
  const [value, ...filters] = (expression.exec(text)?.[1] ?? "").split("|")
  const from = source.exec(value?.trim() ?? "")
  if (from === null) return undefined
  const parsed = filters.map(parseFilter)
  if (!parsed.every((one) => one !== undefined)) return undefined
  return {
    path: value!.trim().startsWith("value_json")
      ? Array.from((from[1] ?? "").matchAll(step), ([, name, index, single, double]) =>
          index === undefined ? (name ?? single ?? double)! : Number(index)
        )
      : undefined,
    filters: parsed
  }
}

const applyFilter = (value: unknown, filter: Filter): unknown => {
  if (filter.name === "is_defined") return value
  const number = asNumber(value)
  if (number === undefined) return undefined
  if (filter.name === "int") return Math.trunc(number)
  if (filter.name === "round") return Number(number.toFixed(Math.min(20, Math.max(0, filter.digits))))
  return filter.name === "multiply" ? withoutNoise(number * filter.factor) : number
}

/** The value in a payload; undefined if the payload lacks it. */
export const renderTemplate = (template: ValueTemplate, payload: string): unknown =>
  template.filters.reduce<unknown>(
    applyFilter,
    template.path === undefined ? payload : (valueAt(parseJson(payload), template.path) ?? undefined)
  )

/** Templates of commands have the value alone or within a text: `{"mode": "{{ value }}"}`. */
const commandValue = /\{\{-?\s*value\s*-?\}\}/g

/** The payload of a command; undefined if the template has more than the value in it. */
export const renderCommand = (template: string | undefined, value: string | number): string | undefined => {
  if (template === undefined) return String(value)
  const text = template.replaceAll(commandValue, () => String(value))
  return /\{\{|\{%/.test(text) || text === template ? undefined : text
}
