import type { Intervention } from "@edp/domain/devices/Intervention"
import type { Enrollment, RequiredAction } from "@edp/domain/enrollments/Enrollment"

/** The facts from which the actions of an enrollment follow. */
export interface EnrollmentFacts {
  readonly status: Enrollment["status"]
  readonly hasAddress: boolean
  readonly hasDevice: boolean
  /** Whether the program instance has terms. */
  readonly hasTerms: boolean
  readonly hasAccepted: boolean
  readonly interventions: ReadonlyArray<Intervention>
}

const ended: ReadonlySet<Enrollment["status"]> = new Set(["ineligible", "rejected", "unenrolled"])

/** Maximum number of actions that obstacles of devices make. */
const MOST = 90

/** Obstacles of several devices that one act removes are one action. */
const removals = (interventions: ReadonlyArray<Intervention>): ReadonlyArray<RequiredAction> => {
  const actions = interventions.map(({ actor, code, title }) => ({ code, title, actor, done: false }))
  return [...new Map(actions.map((action) => [JSON.stringify(action), action])).values()].slice(0, MOST)
}

/** The actions that an enrollment needs, done ones included; none once it has ended. */
export const requiredActions = (facts: EnrollmentFacts): ReadonlyArray<RequiredAction> => {
  const { hasAccepted, hasDevice, hasAddress, hasTerms, interventions, status } = facts
  if (ended.has(status)) return []
  const isSubmitted = status === "submitted" || status === "approved"
  return [
    { code: "give_address", title: "Give the address of the site", actor: "owner", done: hasAddress },
    { code: "connect_device", title: "Connect a device at the site", actor: "owner", done: hasDevice },
    ...removals(interventions),
    ...(hasTerms
      ? [
          {
            code: "accept_terms",
            title: "Accept the terms of the program",
            actor: "owner",
            done: hasAccepted
          } as const
        ]
      : []),
    { code: "submit", title: "Submit the enrollment", actor: "operator", done: isSubmitted },
    { code: "approve", title: "Approve the enrollment", actor: "operator", done: status === "approved" }
  ]
}
