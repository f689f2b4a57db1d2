import { asNumber } from "@edp/adapter-kit/decoding/jsonPath"
import { convertUnit, fieldUnits, type Unit, withoutNoise } from "@edp/adapter-kit/decoding/units"

type Scalar = string | number | boolean

/** How a template converts what a device reports. */
export interface Conversion {
  readonly unit?: Unit
  readonly scale?: number
  readonly values?: Readonly<Record<string, Scalar>>
  readonly absent?: ReadonlyArray<number>
  readonly floor?: number
  readonly threshold?: { readonly above: number; readonly matched: Scalar; readonly otherwise: Scalar }
  readonly sign?: {
    readonly positive: Scalar
    readonly negative: Scalar
    readonly zero: Scalar
    readonly within?: number
  }
}

/** A value of a command: how an input of the contract becomes what the device takes. */
export interface GivenValue {
  readonly value?: Scalar
  readonly input?: string
  readonly unit?: Unit
  readonly scale?: number
  readonly values?: Readonly<Record<string, Scalar>>
  readonly otherwise?: Scalar
  readonly optional?: boolean
}

/** Undefined: the device reported no value. A problem: it reported one that the template doesn't know. */
export type Converted = { readonly value: unknown } | { readonly problem: string } | undefined

/** The contract's value of a field by what the device reported. */
export const convertValue = (field: string, reported: unknown, conversion: Conversion): Converted => {
  if (reported === undefined || reported === null) return undefined
  const target = fieldUnits[field]
  if (conversion.values !== undefined) {
    const key = String(reported)
    return Object.hasOwn(conversion.values, key)
      ? { value: conversion.values[key] }
      : { problem: `${field} was reported as ${JSON.stringify(reported)}, which the template does not list` }
  }
  const number = asNumber(reported)
  if (conversion.threshold !== undefined) {
    const { above, matched, otherwise } = conversion.threshold
    return number === undefined
      ? { problem: `${field} needs a number, not ${JSON.stringify(reported)}` }
      : { value: number > above ? matched : otherwise }
  }
  if (conversion.sign !== undefined) {
    const { negative, positive, within = 0, zero } = conversion.sign
    return number === undefined
      ? { problem: `${field} needs a number, not ${JSON.stringify(reported)}` }
      : { value: Math.abs(number) <= within ? zero : number > 0 ? positive : negative }
  }
  if (target === undefined) return { value: reported }
  if (number === undefined) return { problem: `${field} needs a number, not ${JSON.stringify(reported)}` }
  if (conversion.absent?.includes(number) === true) return undefined
  const value = convertUnit(withoutNoise(number * (conversion.scale ?? 1)), conversion.unit ?? target, target)
  if (value === undefined) return { problem: `${field} can't be converted from ${conversion.unit} to ${target}` }
  return { value: conversion.floor === undefined ? value + 0 : Math.max(conversion.floor, value) }
}

/** A value to write, nothing to write, or the reason why the input can't be written. */
export type Given = { readonly write: Scalar } | { readonly skip: true } | { readonly refused: string }

/** The value that the device takes for a command's input. `source` is the unit of the input in the contract. */
export const giveValue = (
  given: GivenValue,
  inputs: Readonly<Record<string, unknown>>,
  source: Unit | undefined
): Given => {
  if (given.value !== undefined) return { write: given.value }
  const name = given.input!
  const input = inputs[name]
  if (input === undefined || input === null) {
    if (given.otherwise !== undefined) return { write: given.otherwise }
    return given.optional === true ? { skip: true } : { refused: `${name} is required` }
  }
  if (given.values !== undefined) {
    const value = Object.hasOwn(given.values, String(input)) ? given.values[String(input)] : undefined
    return value === undefined ? { refused: `${name} can't be ${String(input)} on this device` } : { write: value }
  }
  if (typeof input === "number") {
    const value = source === undefined || given.unit === undefined ? input : convertUnit(input, source, given.unit)
    return value === undefined
      ? { refused: `${name} can't be converted to ${given.unit}` }
      : { write: withoutNoise(value * (given.scale ?? 1)) }
  }
  return typeof input === "string" || typeof input === "boolean"
    ? { write: input }
    : { refused: `${name} must be a number, a string, true or false` }
}
