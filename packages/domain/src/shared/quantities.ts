import { Schema } from "effect"

/** A bounded number with its unit. Its error message names the bounds. */
export const quantity = (
  description: string,
  bounds: {
    readonly minimum?: number
    readonly maximum?: number
    readonly above?: number
    readonly integer?: boolean
  } = {}
) => {
  const noun = bounds.integer === true ? "an integer" : "a number"
  const range =
    bounds.above !== undefined
      ? ` above ${bounds.above}`
      : bounds.minimum !== undefined && bounds.maximum !== undefined
        ? ` from ${bounds.minimum} to ${bounds.maximum}`
        : bounds.minimum !== undefined
          ? ` of at least ${bounds.minimum}`
          : ""
  const message = `Must be ${noun}${range}`
  const checks = [
    ...(bounds.integer === true ? [Schema.isInt({ message })] : []),
    ...(bounds.above !== undefined ? [Schema.isGreaterThan(bounds.above, { message })] : []),
    ...(bounds.minimum !== undefined ? [Schema.isGreaterThanOrEqualTo(bounds.minimum, { message })] : []),
    ...(bounds.maximum !== undefined ? [Schema.isLessThanOrEqualTo(bounds.maximum, { message })] : [])
  ]
  // Both checks need the message: a text fails the first one, 1e400 the second.
  const base = Schema.Number.annotate({ message }).check(Schema.isFinite({ message }))
  const [first, ...rest] = checks
  const checked = first === undefined ? base : base.check(first, ...rest)
  return checked.annotate({ description })
}

/** An enumeration. Its error message lists the allowed values. */
export const oneOf = <const L extends ReadonlyArray<string>>(values: L, description?: string) =>
  Schema.Literals(values).annotate({
    message: `Must be one of ${values.join(", ")}`,
    ...(description === undefined ? {} : { description })
  })

export const flag = (description: string) => Schema.Boolean.annotate({ message: "Must be true or false", description })
