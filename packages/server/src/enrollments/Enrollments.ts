import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { InvalidState, InvalidStatus, NotFound, type ValidationError, invalid } from "@edp/domain/errors/ApiErrors"
import type {
  Enrollment,
  EnrollmentFilters,
  EnrollmentTransition,
  SubmitEnrollment
} from "@edp/domain/enrollments/Enrollment"
import type { PageOf } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Customers } from "../customers/Customers.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { paginate } from "../platform/sql/lists.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { ProgramInstances } from "../programs/ProgramInstances.ts"
import { joinedReasons } from "./eligibility/eligibility.ts"
import { EnrollmentRecords, toEnrolled } from "./EnrollmentRecords.ts"
import type { EnrollmentRow } from "./enrollmentRow.ts"
import { EnrollmentsRepository, type Transition } from "./EnrollmentsRepository.ts"
import { termsDetails, toAcceptedTerms } from "./intake/identification.ts"
import { activation, closedReason } from "./eligibility/openness.ts"

/** Enrollments are found by the workspace alone. */
type Caller = Pick<CurrentKey["Service"], "workspaceId">
type Query = Schema.Struct.Type<typeof EnrollmentFilters>
type Reason = typeof EnrollmentTransition.Type
type Status = Enrollment["status"]
type Moved = Effect.Effect<Enrollment, NotFound | InvalidStatus | DatabaseUnavailable>

const requireStatus = ({ status }: EnrollmentRow, verb: string, ...allowed: ReadonlyArray<Status>) =>
  allowed.includes(status)
    ? Effect.void
    : Effect.fail(
        new InvalidStatus({
          message: `Only ${allowed.join(" or ")} enrollments can be ${verb}; this one is ${status}`
        })
      )

/** The participation of customers in program instances, from the record on. */
export class Enrollments extends Context.Service<
  Enrollments,
  {
    readonly list: (
      caller: Caller,
      programInstanceId: string,
      query: Query
    ) => Effect.Effect<PageOf<Enrollment>, NotFound | DatabaseUnavailable>
    readonly get: (caller: Caller, id: string) => Effect.Effect<Enrollment, NotFound | DatabaseUnavailable>
    readonly remove: (caller: Caller, id: string) => Effect.Effect<void, NotFound | InvalidState | DatabaseUnavailable>
    readonly submit: (
      caller: Caller,
      id: string,
      input: SubmitEnrollment
    ) => Effect.Effect<Enrollment, ValidationError | NotFound | InvalidStatus | InvalidState | DatabaseUnavailable>
    readonly approve: (caller: Caller, id: string, input: Reason) => Moved
    readonly reject: (caller: Caller, id: string, input: Reason) => Moved
    readonly unenroll: (caller: Caller, id: string, input: Reason) => Moved
  }
>()("@edp/server/Enrollments") {
  static readonly layer = Layer.effect(
    Enrollments,
    Effect.gen(function* () {
      const repository = yield* EnrollmentsRepository
      const records = yield* EnrollmentRecords
      const instances = yield* ProgramInstances
      const customers = yield* Customers
      const transaction = transactionsOn(yield* SqlClient.SqlClient)
      const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => new Date(milliseconds))

      const required = <E>(found: Effect.Effect<EnrollmentRow | undefined, E>) =>
        Effect.flatMap(found, (row) => (row === undefined ? Effect.fail(new NotFound({})) : Effect.succeed(row)))

      const show = (workspaceId: string, row: EnrollmentRow) =>
        Effect.map(records.show(workspaceId, [row]), ([enrollment]) => enrollment!)

      const move = Effect.fnUntraced(function* (workspaceId: string, transition: Transition, at: Date) {
        const [row] = yield* repository.move([transition], at)
        const enrollment = yield* show(workspaceId, row!)
        yield* records.announce(workspaceId, [enrollment])
        return enrollment
      })

      /** A transition that depends on the status alone. */
      const transition = (
        from: Status,
        to: Status,
        time: "approvedAt" | "rejectedAt" | "unenrolledAt",
        { workspaceId }: Caller,
        id: string,
        { reason }: Reason,
        also: (row: EnrollmentRow) => Effect.Effect<unknown, DatabaseUnavailable> = () => Effect.void
      ) =>
        Effect.gen(function* () {
          const row = yield* required(repository.lock(workspaceId, id))
          yield* requireStatus(row, to, from)
          const at = yield* now
          yield* also(row)
          return yield* move(workspaceId, { id, status: to, statusReason: reason ?? null, [time]: at }, at)
        }).pipe(transaction)

      return {
        list: Effect.fn("Enrollments.list")(function* (
          { workspaceId },
          programInstanceId,
          { page, perPage, ...filters }
        ) {
          yield* instances.require(workspaceId, programInstanceId)
          const paging = { ...(page !== undefined && { page }), ...(perPage !== undefined && { perPage }) }
          const count = repository.count(workspaceId, programInstanceId, filters)
          const rows =
            Object.keys(filters).length === 0
              ? yield* paginate(paging, 10, (limit, offset) => repository.page(programInstanceId, limit, offset), count)
              : yield* Effect.flatMap(count, (matches) =>
                  paginate(
                    paging,
                    10,
                    (limit, offset) => repository.list(workspaceId, programInstanceId, filters, matches, limit, offset),
                    Effect.succeed(matches)
                  )
                )
          return { ...rows, data: yield* records.show(workspaceId, rows.data) }
        }),
        get: Effect.fn("Enrollments.get")(function* ({ workspaceId }, id) {
          return yield* show(workspaceId, yield* required(repository.get(workspaceId, id)))
        }),
        remove: Effect.fn("Enrollments.remove")(({ workspaceId }, id) =>
          Effect.gen(function* () {
            const { status } = yield* required(repository.lock(workspaceId, id))
            if (status === "approved") {
              return yield* new InvalidState({ message: "The enrollment is approved: unenroll it first" })
            }
            yield* repository.remove(id)
          }).pipe(transaction)
        ),
        submit: Effect.fn("Enrollments.submit")(({ workspaceId }, id, { acceptedTerms, reason }) =>
          Effect.gen(function* () {
            const found = yield* required(repository.get(workspaceId, id))
            const instance = yield* instances.hold(workspaceId, found.programInstanceId)
            const row = yield* required(repository.lock(workspaceId, id))
            const at = yield* now
            const details = termsDetails(acceptedTerms, instance.termsVersion, at.getTime())
            if (Object.keys(details).length > 0) return yield* invalid(details)
            yield* requireStatus(row, "submitted", "candidate", "eligible")
            const closed = closedReason(instance, at)
            if (closed !== undefined) return yield* new InvalidState({ message: closed })
            const judged = yield* records.judge(workspaceId, instance, [toEnrolled(row)])
            const { reasons, status } = judged.get(id)!
            if (status !== "eligible") return yield* new InvalidState({ message: joinedReasons(reasons)! })
            return yield* move(
              workspaceId,
              {
                id,
                status: "submitted",
                statusReason: reason ?? null,
                acceptedTerms: toAcceptedTerms(acceptedTerms, at.getTime()),
                activatesAt: activation(instance, at),
                submittedAt: at
              },
              at
            )
          }).pipe(transaction)
        ),
        approve: Effect.fn("Enrollments.approve")((caller, id, input) =>
          // With the approval the operator vouches for what a stranger typed.
          transition("submitted", "approved", "approvedAt", caller, id, input, ({ customerId }) =>
            customers.proveEmail(caller.workspaceId, customerId)
          )
        ),
        reject: Effect.fn("Enrollments.reject")((caller, id, input) =>
          transition("submitted", "rejected", "rejectedAt", caller, id, input)
        ),
        unenroll: Effect.fn("Enrollments.unenroll")((caller, id, input) =>
          transition("approved", "unenrolled", "unenrolledAt", caller, id, input)
        )
      }
    })
  )
}
