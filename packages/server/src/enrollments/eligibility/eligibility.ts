import { type Criteria, toCondition, type Condition, type Rule } from "@edp/domain/collections/criteria"
import { criteriaMatch } from "@edp/domain/collections/criteriaMatch"
import type { Device } from "@edp/domain/devices/Device"
import type { Eligibility, EligibilityReason } from "@edp/domain/enrollments/Enrollment"
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
const isUndetermined = (condition: Condition, device: Device): boolean =>
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
const explainUnmet = (condition: Condition, devices: ReadonlyArray<Device>): ReadonlyArray<string> => {
  const test = toTest(condition)
  const unmet = devices.map((device) => ({ device, fails: failing(test, device).length }))
  const closest = unmet.reduce((best, one) => (one.fails < best.fails ? one : best)).device
  const found = [...new Set(sentences(test, closest))].slice(0, MOST)
  const named = devices.length > 1 ? `Of ${devices.length} devices, “${closest.name}” comes closest: ` : ""
  return found.map((sentence) => (named === "" ? capitalized(sentence) : named + sentence))
}

/** The conditions of a program. */
export interface Conditions {
  /** Codes of US states; empty means every state. */
  readonly states: ReadonlyArray<string>
  /** A condition that one device must meet. Null and `{}` are none. */
  readonly eligibility: Criteria | null
}

/** A site of a person. */
export interface JudgedSite {
  /** The code of a US state, or the name of a region elsewhere. */
  readonly state: string
  readonly inUnitedStates: boolean
  /** The devices that are connected there, of the manufacturers that take part. */
  readonly devices: ReadonlyArray<Device>
}

const REASON_LENGTH = 1000

/** A text of at most 1000 code points. */
const shortened = (text: string) => {
  const characters = [...text]
  return characters.length <= REASON_LENGTH ? text : `${characters.slice(0, REASON_LENGTH - 1).join("")}…`
}

const reason = (code: EligibilityReason["code"], message: string): EligibilityReason => ({
  code,
  message: shortened(message)
})

const listed = (names: ReadonlyArray<string>) => [...new Set(names)].join(", ")

const unservedReason = (states: ReadonlyArray<string>, sites: ReadonlyArray<JudgedSite>) => {
  const observed = sites.map(({ inUnitedStates, state }) => (inUnitedStates ? state : `${state}, outside the USA`))
  const subject = sites.length > 1 ? "the addresses are" : "the address is"
  return reason("state_not_served", `The program serves sites in ${listed(states)}; ${subject} in ${listed(observed)}`)
}

const judgeAddress = ({ states }: Conditions, sites: ReadonlyArray<JudgedSite>): ReadonlyArray<EligibilityReason> => {
  if (states.length === 0) return []
  if (sites.length === 0) {
    return [
      reason(
        "address_unknown",
        `The program serves sites in ${listed(states)}; the address of the site is not known yet`
      )
    ]
  }
  return sites.some((site) => isServed({ states }, site)) ? [] : [unservedReason(states, sites)]
}

const isServed = ({ states }: Pick<Conditions, "states">, { inUnitedStates, state }: JudgedSite) =>
  states.length === 0 || (inUnitedStates && states.includes(state))

const judgeDevices = (
  { eligibility }: Conditions,
  devices: ReadonlyArray<Device>
): ReadonlyArray<EligibilityReason> => {
  const condition = eligibility === null ? undefined : toCondition(eligibility)
  if (condition === undefined) return []
  if (devices.length === 0) {
    return [reason("no_device", "The program has conditions for devices; none is connected at the site yet")]
  }
  if (devices.some((device) => criteriaMatch("DEVICE", condition, device))) return []
  const undetermined = devices.find((device) => isUndetermined(condition, device))
  if (undetermined !== undefined) {
    return [reason("no_reading", `“${undetermined.name}” has sent no reading yet, which the program's conditions need`)]
  }
  return explainUnmet(condition, devices).map((message) => reason("criteria_not_met", message))
}

const decisive: ReadonlySet<EligibilityReason["code"]> = new Set(["state_not_served", "criteria_not_met"])

/**
 * Whether a person with these sites can be enrolled. One who fails for sure is ineligible; a candidate can't be judged yet. Devices
 * count at the sites whose state the program takes.
 */
export const judge = (conditions: Conditions, sites: ReadonlyArray<JudgedSite>): Eligibility => {
  const served = sites.filter((site) => isServed(conditions, site))
  const considered = served.length > 0 ? served : sites
  const reasons = [
    ...judgeAddress(conditions, sites),
    ...judgeDevices(
      conditions,
      considered.flatMap(({ devices }) => devices)
    )
  ]
  const against = reasons.filter(({ code }) => decisive.has(code))
  if (against.length > 0) return { status: "ineligible", reasons: against }
  return { status: reasons.length > 0 ? "candidate" : "eligible", reasons }
}

/** The reasons in one text; null if there are none. */
export const joinedReasons = (reasons: ReadonlyArray<EligibilityReason>): string | null =>
  reasons.length === 0 ? null : shortened(reasons.map(({ message }) => message).join(". "))
