import type { Upstream } from "@edp/domain/commands/Command"
import { storedText } from "../../accounts/devices/observedValues.ts"
import type { CommandInput } from "../commandRow.ts"

/** The longest texts that the contract allows. */
const CODE = 255
const MESSAGE = 10_000

const textOrNull = (text: string | null, longest: number) => (text === null ? null : storedText(text, longest))

/** A manufacturer's response as it is stored: without NUL and unpaired surrogates, and no longer than the contract allows. */
export const storedUpstream = (upstream: Upstream | null): Upstream | null =>
  upstream && {
    statusCode: upstream.statusCode,
    errorCode: textOrNull(upstream.errorCode, CODE),
    errorMessage: textOrNull(upstream.errorMessage, MESSAGE),
    requestId: textOrNull(upstream.requestId, CODE)
  }

const storedValue = (value: unknown): unknown => {
  if (typeof value === "string") return storedText(value, MESSAGE)
  if (Array.isArray(value)) return value.map(storedValue)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [storedText(key, CODE), storedValue(item)]))
}

/** A command's output as it is stored. */
export const storedOutput = (output: CommandInput | null): CommandInput | null =>
  output && (storedValue(output) as CommandInput)
