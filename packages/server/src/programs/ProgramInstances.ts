import { randomInt } from "node:crypto"
import type { CurrentKey } from "@edp/domain/auth/Authentication"
import {
  type DuplicateName,
  InvalidState,
  InvalidStatus,
  NotFound,
  type ValidationError,
  invalid
} from "@edp/domain/errors/ApiErrors"
import { merging } from "@edp/domain/errors/mergePatch"
import type {
  CreateProgramInstance,
  ProgramInstance,
  ProgramInstanceFilters,
  UpdateProgramInstance,
  EnrollmentPeriod
} from "@edp/domain/programs/ProgramInstance"
import type { PageOf } from "@edp/domain/shared/Page"
import { FreeForm } from "@edp/domain/shared/Text"
import { Clock, Context, Effect, Layer, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Ids } from "../platform/Ids.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { paginate } from "../platform/sql/lists.ts"
import { realChanges } from "../platform/sql/records.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { type InstanceRow, type StoredInstance, toInstance, type StoredPeriod } from "./instanceRow.ts"
import { ProgramInstancesRepository } from "./ProgramInstancesRepository.ts"
import { Programs } from "./Programs.ts"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"

const toUtc = (text: string) => new Date(parseTimestamp(text)!).toISOString()

/** Valid periods in the form in which they are stored: each deadline is after the one before, and no activation before its deadline. */
const checkedPeriods = (
  given: ReadonlyArray<EnrollmentPeriod>
): Effect.Effect<ReadonlyArray<StoredPeriod>, ValidationError> => {
  const details: Record<string, string> = {}
  let last = Number.NEGATIVE_INFINITY
  for (const [index, period] of given.entries()) {
    const deadline = parseTimestamp(period.deadline)!
    const path = `enrollmentPeriods.${index}`
    if (deadline <= last) details[`${path}.deadline`] = "Must be after the deadline of the previous period"
    if (parseTimestamp(period.activatesAt)! < deadline) {
      details[`${path}.activatesAt`] = "Must be at or after the deadline of the period"
    }
    last = deadline
  }
  return Object.keys(details).length > 0
    ? Effect.fail(invalid(details))
    : Effect.succeed(
        given.map(({ activatesAt, deadline }) => ({ deadline: toUtc(deadline), activatesAt: toUtc(activatesAt) }))
      )
}

const mergedFields = merging(FreeForm, "customFields")

type Caller = CurrentKey["Service"]
type Query = Schema.Struct.Type<typeof ProgramInstanceFilters>

const SUFFIX_LENGTH = 6
const SLUG_LENGTH = 63

/** The slug with a random suffix; it stays a slug. */
const withSuffix = (slug: string) => {
  const suffix = randomInt(36 ** SUFFIX_LENGTH)
    .toString(36)
    .padStart(SUFFIX_LENGTH, "0")
  return `${slug.slice(0, SLUG_LENGTH - 1 - SUFFIX_LENGTH)}-${suffix}`
}

const requireTransition = ({ status: before }: InstanceRow, after: ProgramInstance["status"] | undefined) =>
  before === "ARCHIVED" && after !== undefined && after !== before
    ? Effect.fail(new InvalidStatus({ message: "An archived program instance stays archived" }))
    : Effect.void

/** The records of a program instance that later slices store. */
export class DependentsOfInstance extends Context.Service<
  DependentsOfInstance,
  {
    /** Whether the instance has enrollments and dispatches. */
    readonly find: (
      id: string
    ) => Effect.Effect<{ readonly enrollments: boolean; readonly dispatches: boolean }, DatabaseUnavailable>
  }
>()("@edp/server/programs/DependentsOfInstance") {}

/** Programs as workspaces run them. */
export class ProgramInstances extends Context.Service<
  ProgramInstances,
  {
    readonly list: (caller: Caller, query: Query) => Effect.Effect<PageOf<ProgramInstance>, DatabaseUnavailable>
    readonly get: (caller: Caller, id: string) => Effect.Effect<ProgramInstance, NotFound | DatabaseUnavailable>
    readonly create: (
      caller: Caller,
      input: CreateProgramInstance
    ) => Effect.Effect<ProgramInstance, ValidationError | DuplicateName | DatabaseUnavailable>
    readonly update: (
      caller: Caller,
      id: string,
      input: UpdateProgramInstance
    ) => Effect.Effect<ProgramInstance, ValidationError | InvalidStatus | NotFound | DatabaseUnavailable>
    readonly remove: (caller: Caller, id: string) => Effect.Effect<void, NotFound | InvalidState | DatabaseUnavailable>
    /** An instance of the workspace, with its program. */
    readonly require: (workspaceId: string, id: string) => Effect.Effect<InstanceRow, NotFound | DatabaseUnavailable>
    /** The same in a transaction, until the end of which neither the instance nor its program changes. */
    readonly hold: (workspaceId: string, id: string) => Effect.Effect<InstanceRow, NotFound | DatabaseUnavailable>
    /** The instance whose hosted page has this name; undefined if there is none. */
    readonly byPageSlug: (pageSlug: string) => Effect.Effect<InstanceRow | undefined, DatabaseUnavailable>
  }
>()("@edp/server/ProgramInstances") {
  static readonly layer = Layer.effect(
    ProgramInstances,
    Effect.gen(function* () {
      const repository = yield* ProgramInstancesRepository
      const dependents = yield* DependentsOfInstance
      const programs = yield* Programs
      const ids = yield* Ids
      const transaction = transactionsOn(yield* SqlClient.SqlClient)
      const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => new Date(milliseconds))

      const one = <E>(rows: Effect.Effect<ReadonlyArray<InstanceRow>, E>) =>
        Effect.flatMap(rows, ([row]) => (row === undefined ? Effect.fail(new NotFound({})) : Effect.succeed(row)))

      /** The page has the slug as its name, with a suffix if an instance of another workspace has that name. */
      const insert = Effect.fnUntraced(function* (row: Omit<StoredInstance, "pageSlug">) {
        let pageSlug = row.slug
        while ((yield* repository.insert({ ...row, pageSlug })).length === 0) pageSlug = withSuffix(row.slug)
      })

      return {
        list: Effect.fn("ProgramInstances.list")((caller, query) =>
          paginate(
            query,
            10,
            (limit, offset) =>
              Effect.map(repository.list(caller.workspaceId, query, limit, offset), (rows) => rows.map(toInstance)),
            repository.count(caller.workspaceId, query)
          )
        ),
        get: Effect.fn("ProgramInstances.get")((caller, id) =>
          Effect.map(one(repository.get(caller.workspaceId, id)), toInstance)
        ),
        create: Effect.fn("ProgramInstances.create")(function* (caller, input) {
          const { customFields = null, enrollmentPeriods, programSlug, status = "ACTIVE", ...texts } = input
          const periods = yield* checkedPeriods(enrollmentPeriods ?? [])
          const id = yield* ids.next
          const at = yield* now
          return yield* Effect.gen(function* () {
            const program = yield* Effect.catchTag(programs.get(caller, programSlug), "NOT_FOUND", () =>
              Effect.fail(invalid({ programSlug: "Must be a program: see GET /v1/programs" }))
            )
            yield* insert({
              ...texts,
              id,
              workspaceId: caller.workspaceId,
              programId: program.id,
              termsVersion: 1,
              enrollmentPeriods: periods,
              customFields,
              status,
              createdAt: at,
              updatedAt: at
            })
            return toInstance(yield* Effect.orDie(one(repository.get(caller.workspaceId, id))))
          }).pipe(transaction)
        }),
        update: Effect.fn("ProgramInstances.update")((caller, id, input) =>
          Effect.gen(function* () {
            const { customFields, enrollmentPeriods, ...plain } = input
            const periods = enrollmentPeriods && (yield* checkedPeriods(enrollmentPeriods))
            const before = yield* one(repository.lock(caller.workspaceId, id))
            yield* requireTransition(before, input.status)
            const changes = realChanges(before, {
              ...plain,
              ...(periods !== undefined && { enrollmentPeriods: periods }),
              ...(customFields !== undefined && {
                customFields: customFields && (yield* mergedFields(before.customFields, customFields))
              })
            })
            if (changes === undefined) return toInstance(before)
            const terms = changes.programTerms === undefined ? {} : { termsVersion: before.termsVersion + 1 }
            yield* repository.update(id, { ...changes, ...terms }, yield* now)
            return toInstance(yield* one(repository.get(caller.workspaceId, id)))
          }).pipe(transaction)
        ),
        remove: Effect.fn("ProgramInstances.remove")((caller, id) =>
          Effect.gen(function* () {
            yield* one(repository.lock(caller.workspaceId, id))
            const { dispatches, enrollments } = yield* dependents.find(id)
            if (enrollments || dispatches) {
              const records = enrollments ? "enrollments" : "dispatches"
              return yield* new InvalidState({ message: `The program instance has ${records}: archive it instead` })
            }
            yield* repository.remove(id)
          }).pipe(transaction)
        ),
        require: Effect.fn("ProgramInstances.require")((workspaceId, id) => one(repository.get(workspaceId, id))),
        hold: Effect.fn("ProgramInstances.hold")((workspaceId, id) => one(repository.hold(workspaceId, id))),
        byPageSlug: Effect.fn("ProgramInstances.byPageSlug")((pageSlug) =>
          Effect.map(repository.byPageSlug(pageSlug), ([row]) => row)
        )
      }
    })
  )
}
