import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { Criteria } from "@edp/domain/collections/criteria"
import { criteriaProblem } from "@edp/domain/collections/criteriaProblem"
import {
  type DuplicateName,
  Forbidden,
  InvalidCriteria,
  NotFound,
  type ValidationError,
  invalid
} from "@edp/domain/errors/ApiErrors"
import type { CreateProgram, Program, ProgramFilters, UpdateProgram } from "@edp/domain/programs/Program"
import type { PageOf } from "@edp/domain/shared/Page"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import { Clock, Context, Effect, Layer, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { Ids } from "../platform/Ids.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { paginate } from "../platform/sql/lists.ts"
import { realChanges } from "../platform/sql/records.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { type ProgramRow, toProgram } from "./programRow.ts"
import { ProgramsRepository } from "./ProgramsRepository.ts"

type Caller = CurrentKey["Service"]
type Query = Schema.Struct.Type<typeof ProgramFilters>

const toDate = (text: string | null) => (text === null ? null : new Date(parseTimestamp(text)!))

/** The given fields in the form in which they are stored. */
const toColumns = ({ eligibility, endsAt, startsAt, states, ...plain }: UpdateProgram) => ({
  ...plain,
  ...(states !== undefined && { states: [...new Set(states)] }),
  ...(startsAt !== undefined && { startsAt: toDate(startsAt) }),
  ...(endsAt !== undefined && { endsAt: toDate(endsAt) }),
  ...(eligibility !== undefined && { eligibility: eligibility as Criteria | null })
})

const requireCriteria = ({ eligibility }: UpdateProgram) => {
  const message =
    eligibility === undefined || eligibility === null
      ? undefined
      : criteriaProblem("DEVICE", eligibility, "eligibility")
  return message === undefined ? Effect.void : Effect.fail(new InvalidCriteria({ message }))
}

const requireOrder = ({ endsAt, startsAt }: Pick<ProgramRow, "startsAt" | "endsAt">) =>
  startsAt !== null && endsAt !== null && endsAt <= startsAt
    ? Effect.fail(invalid({ endsAt: "Must be after startsAt" }))
    : Effect.void

/** Energy programs. An organization sees its own and public ones; only the organization that owns a program may change it. */
export class Programs extends Context.Service<
  Programs,
  {
    readonly list: (caller: Caller, query: Query) => Effect.Effect<PageOf<Program>, DatabaseUnavailable>
    readonly get: (caller: Caller, slug: string) => Effect.Effect<Program, NotFound | DatabaseUnavailable>
    readonly create: (
      caller: Caller,
      input: CreateProgram
    ) => Effect.Effect<Program, ValidationError | InvalidCriteria | DuplicateName | DatabaseUnavailable>
    readonly update: (
      caller: Caller,
      slug: string,
      input: UpdateProgram
    ) => Effect.Effect<Program, ValidationError | InvalidCriteria | NotFound | Forbidden | DatabaseUnavailable>
  }
>()("@edp/server/Programs") {
  static readonly layer = Layer.effect(
    Programs,
    Effect.gen(function* () {
      const repository = yield* ProgramsRepository
      const audit = yield* AuditTrail
      const ids = yield* Ids
      const transaction = transactionsOn(yield* SqlClient.SqlClient)
      const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => new Date(milliseconds))

      const one = <E>(rows: Effect.Effect<ReadonlyArray<ProgramRow>, E>) =>
        Effect.flatMap(rows, ([row]) => (row === undefined ? Effect.fail(new NotFound({})) : Effect.succeed(row)))

      return {
        list: Effect.fn("Programs.list")(({ organizationId }, query) =>
          paginate(
            query,
            10,
            (limit, offset) =>
              Effect.map(repository.list(organizationId, query, limit, offset), (rows) => rows.map(toProgram)),
            repository.count(organizationId, query)
          )
        ),
        get: Effect.fn("Programs.get")((caller, slug) =>
          Effect.map(one(repository.get(caller.organizationId, slug)), toProgram)
        ),
        create: Effect.fn("Programs.create")(function* (caller, input) {
          const at = yield* now
          const row: ProgramRow = {
            description: "",
            states: [],
            active: true,
            visibility: "PRIVATE",
            year: null,
            startsAt: null,
            endsAt: null,
            eligibility: null,
            ...toColumns(input),
            id: yield* ids.next,
            slug: input.slug,
            name: input.name,
            organizationId: caller.organizationId,
            createdAt: at,
            updatedAt: at
          }
          yield* requireOrder(row)
          yield* requireCriteria(input)
          const program = toProgram(row)
          yield* Effect.gen(function* () {
            yield* repository.insert(row)
            yield* audit.record({
              action: "program.create",
              resourceId: program.id,
              workspaceId: null,
              after: program
            })
          }).pipe(transaction)
          return program
        }),
        update: Effect.fn("Programs.update")((caller, slug, input) =>
          Effect.gen(function* () {
            yield* requireCriteria(input)
            const before = yield* one(repository.lock(caller.organizationId, slug))
            if (before.organizationId !== caller.organizationId) {
              return yield* new Forbidden({ message: "The program belongs to another organization" })
            }
            const given = toColumns(input)
            yield* requireOrder({ ...before, ...given })
            const changes = realChanges(before, given)
            if (changes === undefined) return toProgram(before)
            const after = toProgram(yield* one(repository.update(before.id, changes, yield* now)))
            yield* audit.record({
              action: "program.update",
              resourceId: before.id,
              workspaceId: null,
              before: toProgram(before),
              after
            })
            return after
          }).pipe(transaction)
        )
      }
    })
  )
}
