import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { DuplicateName, InvalidState, NotFound } from "@edp/domain/errors/ApiErrors"
import type {
  FollowingVen,
  OpenAdrPublication,
  PublishToOpenAdr,
  VenReport
} from "@edp/domain/openadr/OpenAdrPublication"
import type { PageOf } from "@edp/domain/shared/Page"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Dispatches } from "../../dispatches/Dispatches.ts"
import { makeIsolation } from "../../platform/jobs/isolation.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { paginate } from "../../platform/sql/lists.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { ProgramInstances } from "../../programs/ProgramInstances.ts"
import { VtnObjects } from "../objects/VtnObjects.ts"
import type { VtnRefusal } from "../problem.ts"
import { dispatchEvent } from "./dispatchEvent.ts"
import {
  type DueDispatch,
  type PublicationRow,
  PublicationsRepository,
  PUBLISHING,
  type VenReportRow
} from "./PublicationsRepository.ts"

type Caller = CurrentKey["Service"]
type Paging = { readonly page?: number; readonly perPage?: number }

const toPublication = (row: PublicationRow): OpenAdrPublication => ({
  programInstanceId: row.programInstanceId,
  openAdrProgramId: row.openAdrProgramId,
  programName: row.programName,
  targets: row.targets,
  signal: row.signal,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt
})
const toReport = ({ resources, sites, ...row }: VenReportRow): VenReport => {
  const siteIds = new Map(Object.entries(sites ?? {}))
  return {
    ...row,
    source: "VEN",
    resources: resources.map((resource) => ({ ...resource, siteId: siteIds.get(resource.resourceName) ?? null }))
  }
}

/** Program instances as programs of the OpenADR server, and what the VENs that follow them report. */
export class Publications extends Context.Service<
  Publications,
  {
    readonly get: (
      caller: Caller,
      instanceId: string
    ) => Effect.Effect<OpenAdrPublication, NotFound | DatabaseUnavailable>
    readonly publish: (
      caller: Caller,
      instanceId: string,
      input: PublishToOpenAdr
    ) => Effect.Effect<OpenAdrPublication, NotFound | DuplicateName | DatabaseUnavailable>
    readonly unpublish: (
      caller: Caller,
      instanceId: string
    ) => Effect.Effect<void, NotFound | InvalidState | DatabaseUnavailable>
    readonly reports: (caller: Caller, query: Paging) => Effect.Effect<PageOf<VenReport>, DatabaseUnavailable>
    readonly dispatchReports: (
      caller: Caller,
      dispatchId: string,
      query: Paging
    ) => Effect.Effect<PageOf<VenReport>, NotFound | DatabaseUnavailable>
    readonly vens: (caller: Caller, query: Paging) => Effect.Effect<PageOf<FollowingVen>, DatabaseUnavailable>
    /** Brings the events of one publication up to date with its dispatches. Returns how many it has published. */
    readonly publishSome: Effect.Effect<number, DatabaseUnavailable>
  }
>()("@edp/server/vtn/Publications") {
  static readonly layer = Layer.effect(
    Publications,
    Effect.gen(function* () {
      const repository = yield* PublicationsRepository
      const objects = yield* VtnObjects
      const instances = yield* ProgramInstances
      const dispatches = yield* Dispatches
      const isolation = yield* makeIsolation(PUBLISHING)
      const transaction = transactionsOn(yield* SqlClient.SqlClient)
      const now = Effect.map(Clock.currentTimeMillis, (time) => new Date(time))

      const one = Effect.flatMap(([row]: ReadonlyArray<PublicationRow>) =>
        row === undefined ? Effect.fail(new NotFound({})) : Effect.succeed(row)
      )
      /** Objects that the platform writes itself are valid: only a name may be taken. */
      const named = <A>(effect: Effect.Effect<A, VtnRefusal | DatabaseUnavailable>) =>
        Effect.catchTag(effect, "VtnRefusal", (refused) =>
          refused.status === 409 ? Effect.fail(new DuplicateName({})) : Effect.die(refused)
        )
      const written = <A>(effect: Effect.Effect<A, VtnRefusal | DatabaseUnavailable>) =>
        Effect.catchTag(effect, "VtnRefusal", (refused) => Effect.die(refused))

      const publish = Effect.fnUntraced(function* (caller: Caller, instanceId: string, input: PublishToOpenAdr) {
        const { workspaceId } = caller
        const { title } = yield* instances.hold(workspaceId, instanceId)
        const [before] = yield* repository.lock(workspaceId, instanceId)
        const content = {
          programName: input.programName ?? title.slice(0, 128).toWellFormed(),
          targets: input.targets ?? [],
          attributes: [{ type: "PROGRAM_LONG_NAME", values: [title] }]
        }
        const openAdrProgramId = yield* named(objects.store(workspaceId, "programs", before?.openAdrProgramId, content))
        const time = yield* now
        yield* repository.invalidate(instanceId)
        yield* repository.save(
          { programInstanceId: instanceId, workspaceId, openAdrProgramId, signal: input.signal },
          time
        )
        return toPublication(yield* one(repository.get(workspaceId, instanceId)))
      })

      const unpublish = Effect.fnUntraced(function* (caller: Caller, instanceId: string) {
        const { openAdrProgramId } = yield* one(repository.lock(caller.workspaceId, instanceId))
        const events = yield* repository.events(instanceId)
        yield* Effect.forEach(events, (id) => written(objects.discard(caller.workspaceId, "events", id)))
        yield* repository.remove(instanceId)
        yield* Effect.catchTag(objects.discard(caller.workspaceId, "programs", openAdrProgramId), "VtnRefusal", () =>
          Effect.fail(
            new InvalidState({ message: "Clients of OpenADR have added events to the program: delete them first" })
          )
        )
      })

      const publishDispatch = Effect.fnUntraced(function* (publication: PublicationRow, dispatch: DueDispatch) {
        const { openAdrProgramId, programInstanceId, signal, targets, workspaceId } = publication
        if (dispatch.isEnded) {
          if (dispatch.eventId !== null) yield* written(objects.discard(workspaceId, "events", dispatch.eventId))
          return yield* repository.settled(dispatch)
        }
        const content = dispatchEvent(openAdrProgramId, dispatch, signal, targets)
        const eventId = yield* written(objects.store(workspaceId, "events", dispatch.eventId ?? undefined, content))
        return yield* repository.published(dispatch, programInstanceId, eventId)
      })

      const publishDispatches = Effect.fnUntraced(function* (instanceId: string, ids: ReadonlyArray<string>) {
        const [publication] = yield* repository.take(instanceId)
        if (publication === undefined) return 0
        const due = yield* repository.due(instanceId, ids)
        yield* Effect.forEach(due, (dispatch) => publishDispatch(publication, dispatch), { discard: true })
        return due.length
      }, transaction)

      const publishSome = Effect.gen(function* () {
        const [instanceId] = yield* repository.nextInstance
        if (instanceId === undefined) return 0
        const ids = yield* repository.dueIds(instanceId)
        return yield* isolation.runIds(ids, (some) => publishDispatches(instanceId, some))
      })

      return {
        get: Effect.fn("Publications.get")((caller, id) =>
          Effect.map(one(repository.get(caller.workspaceId, id)), toPublication)
        ),
        publish: Effect.fn("Publications.publish")((caller, id, input) => transaction(publish(caller, id, input))),
        unpublish: Effect.fn("Publications.unpublish")((caller, id) => transaction(unpublish(caller, id))),
        reports: Effect.fn("Publications.reports")(({ workspaceId }, query) =>
          paginate(
            query,
            10,
            (limit, offset) => Effect.map(repository.reports(workspaceId, limit, offset), (rows) => rows.map(toReport)),
            repository.countReports(workspaceId)
          )
        ),
        dispatchReports: Effect.fn("Publications.dispatchReports")(function* ({ workspaceId }, dispatchId, query) {
          yield* dispatches.find(workspaceId, dispatchId)
          return yield* paginate(
            query,
            10,
            (limit, offset) =>
              Effect.map(repository.dispatchReports(workspaceId, dispatchId, limit, offset), (rows) =>
                rows.map(toReport)
              ),
            repository.countDispatchReports(workspaceId, dispatchId)
          )
        }),
        vens: Effect.fn("Publications.vens")(({ workspaceId }, query) =>
          paginate(
            query,
            10,
            (limit, offset) => repository.vens(workspaceId, limit, offset),
            repository.countVens(workspaceId)
          )
        ),
        publishSome: Effect.withSpan(publishSome, "Publications.publishSome")
      }
    })
  )
}
