/** The rules of the enrollment life, without a database: a plain state machine over homes, programs and enrollments. */

export type Status = "candidate" | "eligible" | "ineligible" | "submitted" | "approved" | "rejected" | "unenrolled"

export interface ModelSite {
  readonly customerId: string
  readonly siteId: string
  /** Capacities of its batteries, Wh. */
  readonly batteries: Array<number>
  customerDeleted: boolean
  siteDeleted: boolean
}

export interface ModelInstance {
  readonly id: string
  readonly programSlug: string
  /** The smallest capacity that the program takes, Wh; null is no condition. */
  least: number | null
  isOpen: boolean
}

export interface ModelEnrollment {
  readonly id: string
  readonly instance: ModelInstance
  readonly home: ModelSite
  readonly submits: boolean
  /** Whether it names the site, or stands for all sites of the customer. */
  readonly namesSite: boolean
  status: Status
}

/** The response that a request must get: the new status, or an error code. */
export type Expected = { readonly status: Status } | { readonly code: string }

const live: ReadonlySet<Status> = new Set(["candidate", "eligible", "submitted", "approved"])

const verbs = {
  approve: ["submitted", "approved"],
  reject: ["submitted", "rejected"],
  unenroll: ["approved", "unenrolled"]
} as const
export type Verb = keyof typeof verbs

export const judge = (
  { least }: ModelInstance,
  { batteries, siteDeleted }: ModelSite
): "candidate" | "eligible" | "ineligible" => {
  if (least === null) return "eligible"
  if (siteDeleted || batteries.length === 0) return "candidate"
  return batteries.some((capacity) => capacity >= least) ? "eligible" : "ineligible"
}

export class EnrollmentModel {
  readonly homes: Array<ModelSite> = []
  readonly instances: Array<ModelInstance> = []
  readonly enrollments: Array<ModelEnrollment> = []
  /** The events that must have been published, by enrollment. */
  readonly events: Array<readonly [type: string, enrollmentId: string]> = []

  private move(enrollment: ModelEnrollment, status: Status) {
    enrollment.status = status
    if (status === "submitted" || status === "approved" || status === "rejected") {
      this.events.push([`ENROLLMENT_${status.toUpperCase()}`, enrollment.id])
    }
  }

  isLive(instance: ModelInstance, home: ModelSite) {
    return this.enrollments.some((each) => each.instance === instance && each.home === home && live.has(each.status))
  }

  expectEnroll(instance: ModelInstance, home: ModelSite, submits: boolean, namesSite: boolean): Expected {
    if (home.customerDeleted) return { code: "CUSTOMER_NOT_FOUND" }
    if (namesSite && home.siteDeleted) return { code: "SITE_NOT_FOUND" }
    if (!instance.isOpen || this.isLive(instance, home)) return { code: "INVALID_STATE" }
    const judged = judge(instance, home)
    return { status: judged === "eligible" && submits ? "submitted" : judged }
  }

  enrolled(enrollment: Omit<ModelEnrollment, "status">, status: Status) {
    const added: ModelEnrollment = { ...enrollment, status }
    this.enrollments.push(added)
    this.move(added, status)
  }

  submit(enrollment: ModelEnrollment): Expected {
    const { home, instance, status } = enrollment
    if (status !== "candidate" && status !== "eligible") return { code: "INVALID_STATUS" }
    if (!instance.isOpen || judge(instance, home) !== "eligible") return { code: "INVALID_STATE" }
    this.move(enrollment, "submitted")
    return { status: "submitted" }
  }

  decide(enrollment: ModelEnrollment, verb: Verb): Expected {
    const [from, to] = verbs[verb]
    if (enrollment.status !== from) return { code: "INVALID_STATUS" }
    this.move(enrollment, to)
    return { status: to }
  }

  /** Undefined if it is deleted. */
  remove(enrollment: ModelEnrollment): Expected | undefined {
    if (enrollment.status === "approved") return { code: "INVALID_STATE" }
    this.enrollments.splice(this.enrollments.indexOf(enrollment), 1)
    return undefined
  }

  /** Candidates are judged again once there is a device; the number of those that move. */
  sweep(): number {
    const waiting = this.enrollments.filter(
      ({ home, instance, status, submits }) =>
        status === "candidate" &&
        submits &&
        instance.isOpen &&
        !home.siteDeleted &&
        judge(instance, home) !== "candidate"
    )
    for (const enrollment of waiting) {
      const judged = judge(enrollment.instance, enrollment.home)
      this.move(enrollment, judged === "eligible" ? "submitted" : "ineligible")
    }
    return waiting.length
  }

  deleteCustomer(home: ModelSite) {
    home.customerDeleted = true
    this.end((enrollment) => enrollment.home === home)
  }

  deleteSite(home: ModelSite) {
    home.siteDeleted = true
    this.end((enrollment) => enrollment.home === home && enrollment.namesSite)
  }

  private end(concerns: (enrollment: ModelEnrollment) => boolean) {
    for (const enrollment of this.enrollments) {
      if (concerns(enrollment) && live.has(enrollment.status)) enrollment.status = "unenrolled"
    }
  }
}
