import type { Messages } from "../../i18n/messages.ts"
import type { DispatchInterval } from "@edp/domain/dispatches/Dispatch"

const actionField = (
  name: string,
  value: unknown,
  { fields, modes, yes, no }: Messages["dispatch"]["action"]
): string => {
  if (name === "operatingMode") return modes[String(value)] ?? String(value)
  return `${fields[name] ?? name}: ${typeof value === "boolean" ? (value ? yes : no) : String(value)}`
}

/** Actions in words, one for each type of device: its mode and settings. */
export const actionMessages = (
  actions: DispatchInterval["actions"],
  { action: words }: Pick<Messages["dispatch"], "action">,
  types: Readonly<Record<string, string>>
): ReadonlyArray<string> =>
  Object.entries(actions).map(([type, action]) => {
    const fields = Object.entries(action as Readonly<Record<string, unknown>>)
    return `${types[type] ?? type}: ${fields.map(([name, value]) => actionField(name, value, words)).join(", ")}`
  })
