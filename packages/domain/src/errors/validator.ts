import { Cause, Exit, Result, Schema, SchemaAST } from "effect"
import { DETAILS_LIMIT } from "./ApiErrors.ts"
import { schemaDetails } from "./schemaDetails.ts"

/** A message for each invalid field, by its dotted path. */
export type Details = Record<string, string>

type Path = ReadonlyArray<string | number>

/** One field more than a response names: enough to know that there are more. */
const ENOUGH = DETAILS_LIMIT + 1

/** Collects invalid fields up to a limit. */
class Findings {
  // The names come from the caller, so the record has no prototype.
  readonly details: Details = Object.create(null)
  readonly whole: string
  readonly most: number
  count = 0

  constructor(whole: string, most: number) {
    this.whole = whole
    this.most = most
  }

  get isFull() {
    return this.count >= this.most
  }

  add(path: Path, sentence: string) {
    const name = path.join(".") || this.whole
    if (name in this.details || this.isFull) return
    this.details[name] = sentence
    this.count++
  }
}

/** A part of a body. Its size is checked before its contents. */
interface Checker {
  /** Whether every array and record in the value is within its bounds; absent if there are none. */
  readonly fits?: (value: unknown) => boolean
  /** Adds the findings about the value, outermost first. */
  readonly find: (value: unknown, path: Path, findings: Findings) => void
}

type Sizes = ReadonlyArray<SchemaAST.Filter<unknown>>

const flattenFilters = (checks: ReadonlyArray<SchemaAST.Check<unknown>> | undefined): Sizes =>
  (checks ?? []).flatMap((check) => (check._tag === "Filter" ? [check] : flattenFilters(check.checks)))

/** Checks of size, which the schema library marks as structural. */
const sizeChecks = (ast: SchemaAST.AST): Sizes =>
  flattenFilters(ast.checks).filter(
    ({ annotations }) => (annotations as { "~structural"?: true } | undefined)?.["~structural"]
  )

const findMessage = (annotations: { readonly message?: unknown } | undefined) =>
  typeof annotations?.message === "string" ? annotations.message : undefined

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** The first check of the size that the value fails. */
const oversize = (ast: SchemaAST.AST, sizes: Sizes, value: unknown) =>
  sizes.find(({ run }) => run(value, ast, {}) !== undefined)

type Decode = (value: unknown) => Exit.Exit<unknown, Schema.SchemaError>

const makeDecoder = (ast: SchemaAST.AST, options: SchemaAST.ParseOptions): Decode =>
  Schema.decodeUnknownExit(Schema.make<Schema.Codec<unknown, unknown>>(ast), options)

const describeFailure = (exit: Exit.Failure<unknown, Schema.SchemaError>) =>
  Object.values(schemaDetails(Cause.squash(exit.cause) as Schema.SchemaError, "value"))[0]!

/** The message for a value of a wrong type: that of the last check, which says what the field accepts. */
const findTypeMessage = (ast: SchemaAST.AST) => {
  const type = SchemaAST.isNumber(ast) ? "number" : SchemaAST.isString(ast) ? "string" : undefined
  const last = flattenFilters(ast.checks).findLast(({ annotations }) => findMessage(annotations) !== undefined)
  const message = findMessage(ast.annotations) ?? findMessage(last?.annotations)
  return type === undefined || message === undefined ? undefined : { type, message }
}

/** A value without parts, or whose parts are not examined. */
const leaf = (ast: SchemaAST.AST, options: SchemaAST.ParseOptions): Checker["find"] => {
  const decode = makeDecoder(ast, options)
  const wrong = findTypeMessage(ast)
  return (value, path, findings) => {
    if (wrong !== undefined && typeof value !== wrong.type) return findings.add(path, wrong.message)
    const exit = decode(value)
    if (Exit.isFailure(exit)) findings.add(path, describeFailure(exit))
  }
}

const anything: Checker = { find: () => {} }

interface Inside {
  readonly fits: Checker["fits"]
  readonly find: Checker["find"]
}

/** Once size and parts are valid, the remaining checks run by decoding the value. */
const composite = (
  ast: SchemaAST.AST,
  options: SchemaAST.ParseOptions,
  isKind: (value: unknown) => boolean,
  wrongKind: string,
  inside: Inside
): Checker => {
  const sizes = sizeChecks(ast)
  const rest = ast.checks === undefined ? undefined : leaf(ast, options)
  const isMeasured = sizes.length > 0 || inside.fits !== undefined
  return {
    ...(isMeasured && {
      fits: (value) => !isKind(value) || (oversize(ast, sizes, value) === undefined && (inside.fits?.(value) ?? true))
    }),
    find: (value, path, findings) => {
      if (!isKind(value)) return findings.add(path, wrongKind)
      const size = oversize(ast, sizes, value)
      if (size !== undefined) return findings.add(path, findMessage(size.annotations) ?? wrongKind)
      const before = findings.count
      inside.find(value, path, findings)
      if (findings.count === before) rest?.(value, path, findings)
    }
  }
}

const objects = (ast: SchemaAST.Objects, options: SchemaAST.ParseOptions, wrongKind: string): Checker => {
  const properties = ast.propertySignatures.map(({ name, type }) => ({
    name: String(name),
    isOptional: SchemaAST.isOptional(type),
    part: makeChecker(type, options)
  }))
  const known = new Set(properties.map(({ name }) => name))
  const records = ast.indexSignatures
    .map(({ parameter, type }) => ({
      key: parameter.checks === undefined ? undefined : leaf(parameter, options),
      part: makeChecker(type, options)
    }))
    .filter(({ key, part }) => key !== undefined || part !== anything)
  const isClosed = options.onExcessProperty === "error" && ast.indexSignatures.length === 0
  const measured = properties.flatMap(({ name, part: { fits } }) => (fits === undefined ? [] : [{ name, fits }]))
  const measuredRecords = records.flatMap(({ part: { fits } }) => (fits === undefined ? [] : [fits]))
  const fits = (value: unknown) => {
    const object = value as Json
    return (
      measured.every((one) => !Object.hasOwn(object, one.name) || one.fits(object[one.name])) &&
      measuredRecords.every((one) => Object.values(object).every(one))
    )
  }
  return composite(ast, options, isObject, wrongKind, {
    fits: measured.length + measuredRecords.length > 0 ? fits : undefined,
    find: (value, path, findings) => {
      const object = value as Json
      for (const name of isClosed ? Object.keys(object) : []) {
        if (findings.isFull) return
        if (!known.has(name)) findings.add([...path, name], "Is not known here")
      }
      for (const { name, isOptional, part } of properties) {
        if (Object.hasOwn(object, name)) part.find(object[name], [...path, name], findings)
        else if (!isOptional) findings.add([...path, name], "Is required")
      }
      for (const { key, part } of records) {
        for (const name of Object.keys(object)) {
          if (findings.isFull) return
          if (known.has(name)) continue
          key?.(name, [...path, name], findings)
          part.find(object[name], [...path, name], findings)
        }
      }
    }
  })
}

const arrays = (ast: SchemaAST.Arrays, options: SchemaAST.ParseOptions, wrongKind: string): Checker => {
  const { fits, find } = makeChecker(ast.rest[0]!, options)
  return composite(ast, options, Array.isArray, wrongKind, {
    fits: fits && ((value) => (value as ReadonlyArray<unknown>).every(fits)),
    find: (value, path, findings) => {
      for (const [index, one] of (value as ReadonlyArray<unknown>).entries()) {
        if (findings.isFull) return
        find(one, [...path, index], findings)
      }
    }
  })
}

const isList = (ast: SchemaAST.AST): ast is SchemaAST.Arrays =>
  SchemaAST.isArrays(ast) && ast.elements.length === 0 && ast.rest.length === 1

/** The one member of a union besides null. */
const besidesNull = (ast: SchemaAST.AST) => {
  if (!SchemaAST.isUnion(ast)) return undefined
  const [only, ...others] = ast.types.filter((type) => !SchemaAST.isNull(type))
  return only !== undefined && others.length === 0 && ast.types.length === 2 ? only : undefined
}

const makeChecker = (
  ast: SchemaAST.AST,
  options: SchemaAST.ParseOptions,
  message = findMessage(ast.annotations)
): Checker => {
  if (ast.encoding !== undefined) return { find: leaf(ast, options) }
  if ((SchemaAST.isUnknown(ast) || SchemaAST.isAny(ast)) && ast.checks === undefined) return anything
  if (SchemaAST.isObjects(ast)) return objects(ast, options, message ?? "Must be an object")
  if (isList(ast)) return arrays(ast, options, message ?? "Must be an array")
  const only = besidesNull(ast)
  if (only === undefined) return { find: leaf(ast, options) }
  const { fits, find } = makeChecker(only, options, message ?? findMessage(only.annotations))
  return {
    ...(fits && { fits: (value) => value === null || fits(value) }),
    find: (value, path, findings) => (value === null ? undefined : find(value, path, findings))
  }
}

/**
 * Decodes input. Arrays and records are measured before their items are examined, and the search ends after 100 invalid
 * fields, so that the cost of an invalid request is bounded. `whole` is the name of the value itself.
 */
export const validator = <A>(
  schema: Schema.Codec<A, unknown>,
  whole: string,
  options: Pick<SchemaAST.ParseOptions, "onExcessProperty"> = {}
) => {
  const decode = Schema.decodeUnknownExit(schema, options)
  const part = makeChecker(schema.ast, options, findMessage(schema.ast.annotations) ?? "Must be a JSON object")
  return (value: unknown, prefix: Path = [], most: number = ENOUGH): Result.Result<A, Details> => {
    const exit = (part.fits?.(value) ?? true) ? decode(value) : undefined
    if (exit !== undefined && Exit.isSuccess(exit)) return Result.succeed(exit.value)
    const findings = new Findings(whole, most)
    part.find(value, prefix, findings)
    if (findings.count === 0 && exit !== undefined) {
      return Result.fail(schemaDetails(Cause.squash(exit.cause) as Schema.SchemaError, whole, prefix))
    }
    return Result.fail(findings.details)
  }
}
