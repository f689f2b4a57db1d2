import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeIsolation } from "../platform/jobs/isolation.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { ProgramInstances } from "../programs/ProgramInstances.ts"
import { candidateLimits } from "./candidateLimits.ts"
import { joinedReasons } from "./eligibility/eligibility.ts"
import { EnrollmentRecords, toEnrolled } from "./EnrollmentRecords.ts"
import type { EnrollmentRow } from "./enrollmentRow.ts"
import { EnrollmentsRepository, JUDGING, type Transition } from "./EnrollmentsRepository.ts"
import { activation, closedReason } from "./eligibility/openness.ts"

const { judgedTogether, readTogether } = candidateLimits

/** Judges candidates again once a device has arrived at their site. */
export class CandidateSweep extends Context.Service<
  CandidateSweep,
  {
    /**
     * Walks over all candidates that are to be submitted by themselves. Eligible ones are submitted, those who fail for sure
     * become ineligible. Returns the number of those that moved.
     */
    readonly sweep: Effect.Effect<number, DatabaseUnavailable>
    /** 0 while there are such candidates, else Infinity. */
    readonly nextDue: Effect.Effect<number, DatabaseUnavailable>
  }
>()("@edp/server/CandidateSweep") {
  static readonly layer = Layer.effect(
    CandidateSweep,
    Effect.gen(function* () {
      const repository = yield* EnrollmentsRepository
      const records = yield* EnrollmentRecords
      const instances = yield* ProgramInstances
      const transaction = transactionsOn(yield* SqlClient.SqlClient)
      const isolation = yield* makeIsolation(JUDGING)

      /** The transitions of candidates of one instance; none while it takes no enrollments. */
      const judged = Effect.fnUntraced(function* (
        workspaceId: string,
        instanceId: string,
        rows: ReadonlyArray<EnrollmentRow>,
        now: Date
      ) {
        const instance = yield* Effect.orDie(instances.require(workspaceId, instanceId))
        if (closedReason(instance, now) !== undefined) return []
        const results = yield* records.judge(workspaceId, instance, rows.map(toEnrolled))
        return rows.flatMap(({ id, statusReason }): ReadonlyArray<Transition> => {
          const { reasons, status } = results.get(id)!
          const text = joinedReasons(reasons)
          if (status === "candidate") return text === statusReason ? [] : [{ id, status, statusReason: text }]
          if (status === "ineligible") return [{ id, status, statusReason: text }]
          const activatesAt = activation(instance, now)
          return [{ id, status: "submitted", statusReason: null, activatesAt, submittedAt: now }]
        })
      })

      const judgeSome = Effect.fn("CandidateSweep.judge")(function* (ids: ReadonlyArray<string>) {
        const now = new Date(yield* Clock.currentTimeMillis)
        const rows = yield* repository.claim(ids)
        const transitions = yield* Effect.forEach(
          Map.groupBy(rows, ({ programInstanceId }) => programInstanceId),
          ([instanceId, own]) => judged(own[0]!.workspaceId, instanceId, own, now)
        )
        const all = transitions.flat()
        if (all.length === 0) return 0
        const moved = yield* repository.move(all, now)
        for (const [workspaceId, own] of Map.groupBy(moved, (row) => row.workspaceId)) {
          yield* records.announce(workspaceId, yield* records.show(workspaceId, own))
        }
        return moved.filter(({ status }) => status !== "candidate").length
      }, transaction)

      return {
        nextDue: repository.whileWaiting,
        sweep: Effect.gen(function* () {
          let moved = 0
          for (let last: string | null = ""; last !== null;) {
            const walk: Effect.Success<ReturnType<typeof repository.waiting>> = yield* repository.waiting(
              last,
              readTogether
            )
            for (let start = 0; start < walk.ids.length; start += judgedTogether) {
              moved += yield* isolation.runIds(walk.ids.slice(start, start + judgedTogether), judgeSome)
            }
            last = walk.last
          }
          return moved
        })
      }
    })
  )
}
