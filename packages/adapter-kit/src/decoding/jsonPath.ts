/** A step into a JSON value: a key of an object or an index of an array. */
export type JsonStep = string | number

const MAX_BYTES = 262_144

/** The JSON value of a payload; undefined if it is none or longer than the limit, 256 KiB by default. */
export const parseJson = (payload: string, limit = MAX_BYTES): unknown => {
  if (payload.length > limit) return undefined
  try {
    return JSON.parse(payload)
  } catch {
    return undefined
  }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const path = /^(?:[^.[\]]+|\[\d+\])(?:\.[^.[\]]+|\[\d+\])*$/

/** The steps of a path such as `ENERGY.Power[0]` or `em:0.total_act_power`; undefined if it is malformed. */
export const parsePath = (text: string): ReadonlyArray<JsonStep> | undefined =>
  path.test(text)
    ? Array.from(text.matchAll(/\[(\d+)\]|[^.[\]]+/g), ([step, index]) => (index === undefined ? step : Number(index)))
    : undefined

/** The value at the path; undefined if the path does not exist there. Only own keys count. */
export const valueAt = (value: unknown, steps: ReadonlyArray<JsonStep>): unknown =>
  steps.reduce<unknown>((current, step) => {
    if (typeof step === "number") return Array.isArray(current) ? current[step] : undefined
    return isObject(current) && Object.hasOwn(current, step) ? current[step] : undefined
  }, value)

const decimal = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/
const MAX_DIGITS = 64

/** The number that a value is or spells; undefined for an empty text, "unavailable", null and so on. */
export const asNumber = (value: unknown): number | undefined => {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined
  if (typeof value !== "string" || value.length > MAX_DIGITS || !decimal.test(value)) return undefined
  const number = Number(value)
  return Number.isFinite(number) ? number : undefined
}
