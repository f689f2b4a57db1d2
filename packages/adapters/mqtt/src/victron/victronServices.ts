import { isObject, parseJson } from "@edp/adapter-kit/decoding/jsonPath"
import type { ReadTopic } from "@edp/adapter-kit/decoding/messages"

/** A service of a GX device: `N/<portal>/<name>/<instance>/<path>` are its values. */
export interface VictronService {
  readonly portal: string
  readonly name: string
  readonly instance: string
}

export const valueTopic = ({ instance, name, portal }: VictronService, path: string) =>
  `N/${portal}/${name}/${instance}/${path}`

/** The service of all settings of a system. */
export const toSettings = ({ portal }: VictronService): VictronService => ({ portal, name: "settings", instance: "0" })

/** The message that sets a value; null takes it away. */
export const writeValue = ({ instance, name, portal }: VictronService, path: string, value: number | null) => ({
  topic: `W/${portal}/${name}/${instance}/${path}`,
  payload: JSON.stringify({ value })
})

/** The value in a payload: `{"value": 936}`. Null is a value that the service does not have now; undefined is no value at all. */
export const valueIn = (payload: string | undefined): unknown => {
  if (payload === undefined || payload === "") return undefined
  const document = parseJson(payload)
  return isObject(document) ? document["value"] : undefined
}

/** A field of a device: the sum of values, such as those of three phases, in another unit. */
export interface VictronField {
  readonly field: string
  readonly paths: ReadonlyArray<string>
  readonly factor?: number
}

/**
 * The number of a field. A phase that is missing from the installation is null. While a phase has not arrived, the sum is not known.
 * A text is handed on as it is: the contract refuses it, and says so.
 */
export const fieldValue = (service: VictronService, { factor = 1, paths }: VictronField, read: ReadTopic): unknown => {
  const values = paths.map((path) => valueIn(read(valueTopic(service, path))))
  if (values.includes(undefined)) return undefined
  let sum: number | undefined
  for (const value of values) {
    if (value === null) continue
    if (typeof value !== "number") return value
    sum = (sum ?? 0) + value
  }
  return sum === undefined ? undefined : sum * factor
}
