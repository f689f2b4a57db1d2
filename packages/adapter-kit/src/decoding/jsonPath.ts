/** A step into a JSON value: a key of an object or an index of an array. */
export type JsonStep = string | number

/** A step to the first object of an array in which a field has a value. */
export interface FilterStep {
  readonly field: string
  readonly equals: string | number | boolean
}

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

const filter = /^\[\?([^.[\]=]+)==("[^"\\\p{Cc}]*"|-?(?:0|[1-9]\d*)(?:\.\d+)?|true|false)\]/u
const plainStep = /^(?:\[\d+\]|\.?[^.[\]]+)/

/** The steps of a path that may have filters, such as `meters[?type=="grid"].power`; undefined if it is malformed. */
export const parseFilterPath = (text: string): ReadonlyArray<JsonStep | FilterStep> | undefined => {
  const steps: Array<JsonStep | FilterStep> = []
  let rest = text
  while (rest !== "") {
    const found = filter.exec(rest)
    const step = found?.[0] ?? plainStep.exec(rest)?.[0]
    if (step === undefined) return undefined
    if (found !== null) steps.push({ field: found[1]!, equals: JSON.parse(found[2]!) as FilterStep["equals"] })
    else {
      // A name is separated from what comes before it by a point, and from nothing else.
      const isKey = !step.startsWith("[")
      if (isKey && step.startsWith(".") === (steps.length === 0)) return undefined
      const own = parsePath(isKey && steps.length > 0 ? step.slice(1) : step)
      if (own === undefined) return undefined
      steps.push(...own)
    }
    rest = rest.slice(step.length)
  }
  return steps.length === 0 ? undefined : steps
}

/** The value at the path; undefined if the path does not exist there. Only own keys count. */
export const valueAt = (value: unknown, steps: ReadonlyArray<JsonStep | FilterStep>): unknown =>
  steps.reduce<unknown>((current, step) => {
    if (typeof step === "object") {
      return Array.isArray(current)
        ? current.find((one) => isObject(one) && Object.hasOwn(one, step.field) && one[step.field] === step.equals)
        : undefined
    }
    if (typeof step === "number") return Array.isArray(current) ? current[step] : undefined
    return isObject(current) && Object.hasOwn(current, step) ? current[step] : undefined
  }, value)

/** Sets a value at a path of object keys; an index is a key, too. */
export const withValue = (target: unknown, [step, ...rest]: ReadonlyArray<JsonStep>, value: unknown): unknown => {
  if (step === undefined) return value
  const own = isObject(target) ? target : {}
  return { ...own, [step]: withValue(own[step], rest, value) }
}

const decimal = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/
const MAX_DIGITS = 64

/** The number that a value is or spells; undefined for an empty text, "unavailable", null and so on. */
export const asNumber = (value: unknown): number | undefined => {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined
  if (typeof value !== "string" || value.length > MAX_DIGITS || !decimal.test(value)) return undefined
  const number = Number(value)
  return Number.isFinite(number) ? number : undefined
}
