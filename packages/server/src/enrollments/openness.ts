import type { InstanceRow } from "../programs/instanceRow.ts"

/** The fields of an instance that decide whether it takes enrollments. */
type Openness = Pick<
  InstanceRow,
  "status" | "enrollmentPeriods" | "programActive" | "programStartsAt" | "programEndsAt" | "programName"
>

/** The first period whose deadline has not passed. */
const currentPeriod = ({ enrollmentPeriods }: Openness, now: Date) =>
  enrollmentPeriods.find(({ deadline }) => Date.parse(deadline) >= now.getTime())

/** Why an instance takes no enrollments now; undefined if it takes them. */
export const closedReason = (instance: Openness, now: Date): string | undefined => {
  const { enrollmentPeriods, programActive, programEndsAt, programName, programStartsAt, status } = instance
  if (status === "INACTIVE") return "The program instance is inactive: it takes no enrollments for now"
  if (status === "ARCHIVED") return "The program instance is archived: it takes no enrollments"
  const program = `The program “${programName}”`
  if (!programActive) return `${program} is not active: it takes no enrollments`
  if (programStartsAt !== null && now < programStartsAt) {
    return `${program} takes enrollments from ${programStartsAt.toISOString()} on`
  }
  if (programEndsAt !== null && now >= programEndsAt) {
    return `${program} ended at ${programEndsAt.toISOString()}: it takes no enrollments`
  }
  if (enrollmentPeriods.length === 0 || currentPeriod(instance, now) !== undefined) return undefined
  return `The last deadline for enrollments was ${enrollmentPeriods.at(-1)!.deadline}`
}

/** Time from which an enrollment that is submitted now takes part; null for an instance without periods. */
export const activation = (instance: Openness, now: Date): Date | null => {
  const period = currentPeriod(instance, now)
  return period === undefined ? null : new Date(period.activatesAt)
}
