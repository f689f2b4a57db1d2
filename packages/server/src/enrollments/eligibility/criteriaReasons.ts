import type { Condition, Rule } from "@edp/domain/collections/criteria"
import { criteriaMatch } from "@edp/domain/collections/criteriaMatch"
import type { Device } from "@edp/domain/devices/Device"
import { askedFor, observedIn, wanted } from "./criteriaPhrases.ts"

/** A condition without `not`: negation is pushed down to the rules by De Morgan's laws. */
type Test =
  | { readonly kind: "rule"; readonly rule: Rule; readonly negated: boolean }
  | { readonly kind: "all" | "any"; readonly tests: ReadonlyArray<Test> }

const toTest = (condition: Condition, negated = false): Test => {
  if ("not" in condition) return toTest(condition.not, !negated)
  if ("attribute" in condition) return { kind: "rule", rule: condition, negated }
  const isAll = "all" in condition
  const tests = (isAll ? condition.all : condition.any).map((one) => toTest(one, negated))
  return { kind: isAll === negated ? "any" : "all", tests }
}

const hasReading = ({ state }: Device) => "id" in state

/** Attributes that a device has from its first reading on. */
const isOfReading = ({ attribute }: Rule) => attribute === "onlineStatus" || attribute.startsWith("state.")

/** Undefined while it depends on a reading that the device has not sent. */
const passes = (test: Test, device: Device): boolean | undefined => {
  if (test.kind === "rule") {
    if (isOfReading(test.rule) && !hasReading(device)) return undefined
    return criteriaMatch("DEVICE", test.rule, device) !== test.negated
  }
  const results = test.tests.map((one) => passes(one, device))
  const decided = test.kind === "any"
  if (results.includes(decided)) return decided
  return results.includes(undefined) ? undefined : !decided
}

/** Whether the condition can't be judged before the device's first reading. */
export const isUndetermined = (condition: Condition, device: Device): boolean =>
  passes(toTest(condition), device) === undefined

/** The rules that the device fails. */
const failing = (test: Test, device: Device): ReadonlyArray<Test & { readonly kind: "rule" }> => {
  if (passes(test, device) !== false) return []
  return test.kind === "rule" ? [test] : test.tests.flatMap((one) => failing(one, device))
}

/** The rules that the device must meet in addition to those that it meets. */
const missing = (test: Test, device: Device): string => {
  if (test.kind === "rule") return askedFor(test.rule, test.negated)
  const parts = test.tests.filter((one) => passes(one, device) === false).map((one) => missing(one, device))
  if (test.kind === "any") return [...new Set(parts)].join(", or ")
  return [...new Set(parts)].join(" and ")
}

const capitalized = (sentence: string) => sentence.charAt(0).toUpperCase() + sentence.slice(1)

/** A sentence with the observed and the asked value for each part that fails by itself. */
const sentences = (test: Test, device: Device): ReadonlyArray<string> => {
  if (passes(test, device) !== false) return []
  if (test.kind === "all") return test.tests.flatMap((one) => sentences(one, device))
  if (test.kind === "rule") {
    return [`${observedIn(device, test.rule)}; the program takes ${wanted(test.rule, test.negated)}`]
  }
  if (test.tests.length === 1) return sentences(test.tests[0]!, device)
  const observed = new Set(failing(test, device).map(({ rule }) => observedIn(device, rule)))
  return [`${[...observed].join(" and ")}; the program takes ${missing(test, device)}`]
}

/** Maximum number of reasons. */
const MOST = 20

/**
 * Why none of the devices meets the condition, in sentences with the observed and the asked values. Of several devices, the one
 * that fails the fewest rules is explained.
 */
export const explainUnmet = (condition: Condition, devices: ReadonlyArray<Device>): ReadonlyArray<string> => {
  const test = toTest(condition)
  const unmet = devices.map((device) => ({ device, fails: failing(test, device).length }))
  const closest = unmet.reduce((best, one) => (one.fails < best.fails ? one : best)).device
  const found = [...new Set(sentences(test, closest))].slice(0, MOST)
  const named = devices.length > 1 ? `Of ${devices.length} devices, “${closest.name}” comes closest: ` : ""
  return found.map((sentence) => (named === "" ? capitalized(sentence) : named + sentence))
}
