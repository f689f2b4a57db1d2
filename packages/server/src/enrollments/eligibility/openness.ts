import type { InstanceRow } from "../../programs/instanceRow.ts"

/** The fields of an instance that decide whether it takes enrollments. */
type Openness = Pick<
  InstanceRow,
  "status" | "enrollmentPeriods" | "programActive" | "programStartsAt" | "programEndsAt" | "programName"
>

/** The first period whose deadline has not passed. */
export const currentPeriod = ({ enrollmentPeriods }: Pick<Openness, "enrollmentPeriods">, now: Date) =>
  enrollmentPeriods.find(({ deadline }) => Date.parse(deadline) >= now.getTime())

/** An obstacle to enrollments, and the instant with which it began or ends. */
export type Closure =
  | { readonly closed: "inactive" | "archived" | "program_inactive"; readonly at: null }
  | { readonly closed: "not_begun" | "ended" | "deadline_passed"; readonly at: string }

/** Why an instance takes no enrollments now; undefined if it takes them. */
export const closure = (instance: Openness, now: Date): Closure | undefined => {
  const { enrollmentPeriods, programActive, programEndsAt, programStartsAt, status } = instance
  if (status === "INACTIVE") return { closed: "inactive", at: null }
  if (status === "ARCHIVED") return { closed: "archived", at: null }
  if (!programActive) return { closed: "program_inactive", at: null }
  if (programStartsAt !== null && now < programStartsAt)
    return { closed: "not_begun", at: programStartsAt.toISOString() }
  if (programEndsAt !== null && now >= programEndsAt) return { closed: "ended", at: programEndsAt.toISOString() }
  if (enrollmentPeriods.length === 0 || currentPeriod(instance, now) !== undefined) return undefined
  return { closed: "deadline_passed", at: enrollmentPeriods.at(-1)!.deadline }
}

/** The same in words, for callers of the API. */
export const closedReason = (instance: Openness, now: Date): string | undefined => {
  const found = closure(instance, now)
  if (found === undefined) return undefined
  const program = `The program “${instance.programName}”`
  switch (found.closed) {
    case "inactive":
      return "The program instance is inactive: it takes no enrollments for now"
    case "archived":
      return "The program instance is archived: it takes no enrollments"
    case "program_inactive":
      return `${program} is not active: it takes no enrollments`
    case "not_begun":
      return `${program} takes enrollments from ${found.at} on`
    case "ended":
      return `${program} ended at ${found.at}: it takes no enrollments`
    case "deadline_passed":
      return `The last deadline for enrollments was ${found.at}`
  }
}

/** Time from which an enrollment that is submitted now takes part; null for an instance without periods. */
export const activation = (instance: Openness, now: Date): Date | null => {
  const period = currentPeriod(instance, now)
  return period === undefined ? null : new Date(period.activatesAt)
}
