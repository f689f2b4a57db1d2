import type { CommandType } from "@edp/domain/devices/DeviceType"
import type { FormValues } from "./commandForm.ts"

/** A mode as the texts of a form. */
export const modeForm = (mode: object): FormValues =>
  Object.fromEntries(Object.entries(mode).map(([name, value]) => [name, String(value)]))

export const hasMode = ({ operatingMode }: FormValues) => operatingMode !== undefined && operatingMode !== ""

interface InputSchema {
  readonly properties: Readonly<Record<string, unknown>>
}

/** The command with the field of the mode alone until one is chosen; `isOptional`: it may stay empty. */
export const modeChoice = (command: CommandType, mode: FormValues, isOptional = false): CommandType => {
  if (hasMode(mode)) return command
  const { properties } = command.inputSchema as unknown as InputSchema
  const operatingMode = properties["operatingMode"]
  return {
    ...command,
    inputSchema: { properties: { operatingMode }, required: isOptional ? [] : ["operatingMode"] } as never
  }
}
