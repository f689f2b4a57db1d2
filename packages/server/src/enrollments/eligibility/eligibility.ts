import { type Criteria, toCondition } from "@edp/domain/collections/criteria"
import { criteriaMatch } from "@edp/domain/collections/criteriaMatch"
import type { Device } from "@edp/domain/devices/Device"
import type { Eligibility, EligibilityReason } from "@edp/domain/enrollments/Enrollment"
import { explainUnmet, isUndetermined } from "./criteriaReasons.ts"

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
