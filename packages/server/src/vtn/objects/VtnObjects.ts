import type { ReportedResource } from "@edp/domain/openadr/OpenAdrObjects"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Ids } from "../../platform/Ids.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { type OpenAdrClient, hasScope } from "../clients/OpenAdrClients.ts"
import { Callbacks } from "../notifications/Callbacks.ts"
import type { RecordedChange } from "../notifications/recordedChange.ts"
import { Notifications } from "../notifications/Notifications.ts"
import { refusal, type VtnRefusal } from "../problem.ts"
import { type Content, readContent } from "./content.ts"
import { type Kind, kinds, type KindName, type ObjectFilters, type ObjectPage } from "./kinds.ts"
import type { ObjectBody } from "../objectBody.ts"
import { objectLimits } from "./objectLimits.ts"
import { ObjectRow, toObject } from "./objectRow.ts"
import { ObjectsRepository, type Viewer } from "./ObjectsRepository.ts"

type Failure = VtnRefusal | DatabaseUnavailable

/** The kinds of objects that the platform publishes. */
type PublishedKind = "programs" | "events" | "vens" | "resources"

/** The objects of the OpenADR server, as its clients read and write them. */
export class VtnObjects extends Context.Service<
  VtnObjects,
  {
    readonly list: (
      client: OpenAdrClient,
      kind: KindName,
      filters: ObjectFilters,
      page: ObjectPage
    ) => Effect.Effect<ReadonlyArray<ObjectBody>, Failure>
    /** `requested` narrows the targets of a VEN, and what it sees of the object's. */
    readonly get: (
      client: OpenAdrClient,
      kind: KindName,
      id: string,
      requested?: ReadonlyArray<string>
    ) => Effect.Effect<ObjectBody, Failure>
    readonly create: (client: OpenAdrClient, kind: KindName, input: ObjectBody) => Effect.Effect<ObjectBody, Failure>
    readonly update: (
      client: OpenAdrClient,
      kind: KindName,
      id: string,
      input: ObjectBody
    ) => Effect.Effect<ObjectBody, Failure>
    /** Returns the object that was deleted. */
    readonly remove: (client: OpenAdrClient, kind: KindName, id: string) => Effect.Effect<ObjectBody, Failure>
    /**
     * Creates or replaces an object of the platform itself, which clients can't write, or the ven of a client. A ven and a resource are given
     * in the form of business logic. Joins the caller's transaction; returns the id.
     */
    readonly store: (
      workspaceId: string,
      kind: PublishedKind,
      id: string | undefined,
      input: ObjectBody,
      columns?: Content["columns"]
    ) => Effect.Effect<string, Failure>
    /** Deletes an object of the platform itself. Joins the caller's transaction. */
    readonly discard: (workspaceId: string, kind: PublishedKind, id: string) => Effect.Effect<void, Failure>
  }
>()("@edp/server/VtnObjects") {
  static readonly layer = Layer.effect(
    VtnObjects,
    Effect.gen(function* () {
      const repository = yield* ObjectsRepository
      const callbacks = yield* Callbacks
      const notifications = yield* Notifications
      const ids = yield* Ids
      const transaction = transactionsOn(yield* SqlClient.SqlClient)
      const now = Effect.map(Clock.currentTimeMillis, (time) => new Date(time))

      const viewer = ({ clientId, role, workspaceId }: OpenAdrClient, requested?: ReadonlyArray<string>): Viewer => ({
        clientId,
        role,
        workspaceId,
        requested
      })

      const mayWrite = ({ role }: OpenAdrClient, { noun, scope }: Kind) =>
        hasScope(role, scope)
          ? Effect.void
          : Effect.fail(
              refusal(
                403,
                `The scope ${scope} is required: ${role === "VEN" ? "a VEN" : "business logic"} can't write a ${noun}`
              )
            )

      const one = (kind: KindName) =>
        Effect.flatMap(([row]: ReadonlyArray<ObjectRow>) =>
          row === undefined ? Effect.fail(refusal(404, `There is no such ${kinds[kind].noun}`)) : Effect.succeed(row)
        )

      /** Programs and events without a client are published by the platform, and so are resources with a site. */
      const requireClients = (kind: KindName, { clientId, siteId }: ObjectRow) =>
        clientId === null || siteId !== null
          ? Effect.fail(refusal(403, `The ${kinds[kind].noun} is published by the platform: change it there`))
          : Effect.void

      /** Checks what a request refers to, and completes the columns that follow from that. */
      const references = Effect.fnUntraced(function* (client: OpenAdrClient, kind: KindName, content: Content) {
        const { columns } = content
        if (kind === "events") {
          const isThere = yield* repository.holdProgram(client.workspaceId, String(columns.vtn_program_id))
          if (!isThere) return yield* refusal(409, "programID: There is no such program")
        }
        if (kind === "subscriptions" && columns.program_key !== null) {
          const [found] = yield* repository.get("programs", viewer(client), String(columns.program_key))
          if (found === undefined) return yield* refusal(409, "programID: There is no such program")
        }
        if (kind === "reports") {
          const eventId = String(columns.event_key)
          const [found] = yield* repository.get("events", viewer(client), eventId)
          if (found === undefined) return yield* refusal(409, "eventID: There is no such event")
          const names = (content.body.resources as ReadonlyArray<ReportedResource>).map((one) => one.resourceName)
          const sites = yield* repository.sitesNamed(client.workspaceId, client.clientId, names)
          return {
            program_key: yield* repository.eventProgram(eventId),
            reported_sites: sites === null ? null : JSON.stringify(sites)
          }
        }
        if (kind === "resources") {
          const owner = yield* repository.holdVen(client.workspaceId, String(columns.ven_id))
          if (owner === undefined || (client.role === "VEN" && owner !== client.clientId)) {
            return yield* refusal(409, "venID: There is no such ven")
          }
          if (content.clientId !== undefined && content.clientId !== owner) {
            return yield* refusal(400, "clientID: Must be the clientID of the ven")
          }
        }
        return {}
      })

      /** The program that a change belongs to, for subscriptions to one program. */
      const programId = (
        kind: KindName,
        id: string,
        body: ObjectBody
      ): Effect.Effect<string | null, DatabaseUnavailable> => {
        if (kind === "programs") return Effect.succeed(id)
        if (kind === "events") return Effect.succeed(String(body.programID))
        return kind === "reports"
          ? Effect.map(repository.reportProgram(id), (found) => found ?? null)
          : Effect.succeed(null)
      }

      const record = Effect.fnUntraced(function* (
        workspaceId: string,
        name: KindName,
        operation: RecordedChange["operation"],
        row: ObjectRow
      ) {
        const { hasTargets, objectType, privacy } = kinds[name]
        yield* notifications.record({
          workspaceId,
          objectType,
          operation,
          object: toObject(name, { ...row, targets: null }),
          privacy,
          hasTargets,
          targets: row.targets,
          ownerId: row.clientId,
          programId: yield* programId(name, row.id, row.body)
        })
      })

      /** Callbacks are called outside of the transaction that stores them. */
      const checked = (content: Content, id: string | undefined) =>
        content.operations === undefined ? Effect.succeed(undefined) : callbacks.check(content.operations, id)

      /** Refuses another object where there are as many as there may be. Requests at the same time may exceed that by their number. */
      const requireRoom = Effect.fnUntraced(function* (client: OpenAdrClient, kind: KindName, { columns }: Content) {
        const { clientId, workspaceId } = client
        const { reportsPerEvent, resourcesPerVen, subscriptionsPerClient } = objectLimits
        if (kind === "subscriptions" && (yield* repository.hasAllSubscriptions(workspaceId, clientId))) {
          return yield* refusal(
            409,
            `A client has at most ${subscriptionsPerClient} subscriptions: delete others first`
          )
        }
        if (kind === "resources" && (yield* repository.hasAllResources(workspaceId, String(columns.ven_id)))) {
          return yield* refusal(409, `venID: A ven has at most ${resourcesPerVen} resources: delete others first`)
        }
        if (kind === "reports" && (yield* repository.hasAllReports(String(columns.event_key), clientId))) {
          return yield* refusal(
            409,
            `eventID: A client has at most ${reportsPerEvent} reports on an event: replace or delete others, or send several intervals in one`
          )
        }
        return undefined
      })

      const create = Effect.fn("VtnObjects.create")(function* (
        client: OpenAdrClient,
        kind: KindName,
        input: ObjectBody
      ) {
        const { clientId, role, workspaceId } = client
        yield* mayWrite(client, kinds[kind])
        const time = yield* now
        const content = yield* Effect.fromResult(readContent(kind, role, input, time.getTime()))
        yield* requireRoom(client, kind, content)
        const entries = yield* checked(content, undefined)
        const id = yield* ids.next
        return yield* transaction(
          Effect.gen(function* () {
            const columns = { ...content.columns, ...(yield* references(client, kind, content)) }
            const row: ObjectRow = {
              id,
              clientId: content.clientId ?? clientId,
              targets: content.targets ?? null,
              siteId: null,
              body: content.body,
              createdAt: time,
              modifiedAt: time
            }
            yield* repository.insert(kind, {
              ...row,
              workspaceId,
              columns: kind === "subscriptions" ? { ...columns, role } : columns,
              now: time
            })
            yield* record(workspaceId, kind, "CREATE", row)
            if (entries !== undefined) yield* callbacks.store(workspaceId, id, entries)
            return toObject(kind, row)
          })
        )
      })

      const update = Effect.fn("VtnObjects.update")(function* (
        client: OpenAdrClient,
        kind: KindName,
        id: string,
        input: ObjectBody
      ) {
        const { role, workspaceId } = client
        yield* mayWrite(client, kinds[kind])
        yield* one(kind)(repository.get(kind, viewer(client), id))
        const time = yield* now
        const content = yield* Effect.fromResult(readContent(kind, role, input, time.getTime()))
        const entries = yield* checked(content, id)
        return yield* transaction(
          Effect.gen(function* () {
            const before = yield* one(kind)(repository.lock(kind, viewer(client), id))
            yield* requireClients(kind, before)
            const columns = { ...content.columns, ...(yield* references(client, kind, content)) }
            const isMoved = before.body.venID !== content.body.venID || before.body.eventID !== content.body.eventID
            if (isMoved) yield* requireRoom(client, kind, content)
            const row: ObjectRow = {
              id,
              clientId: content.clientId ?? before.clientId,
              targets: content.targets === undefined ? before.targets : content.targets,
              siteId: null,
              body: content.body,
              createdAt: before.createdAt,
              modifiedAt: time
            }
            const isHandedOver = kind === "vens" && row.clientId !== before.clientId
            if (isHandedOver && (yield* repository.hasSites(id))) {
              return yield* refusal(409, "clientID: The ven has resources of sites, which its client alone may see")
            }
            yield* repository.update(kind, { ...row, columns, now: time })
            if (isHandedOver) yield* repository.moveResources(id, row.clientId!)
            yield* record(workspaceId, kind, "UPDATE", row)
            if (entries !== undefined) yield* callbacks.store(workspaceId, id, entries)
            return toObject(kind, row)
          })
        )
      })

      const dependents = Effect.fnUntraced(function* (kind: KindName, id: string) {
        if (kind === "programs" && (yield* repository.hasEvents(id))) {
          return yield* refusal(409, "The program has events: delete them first")
        }
        if (kind === "vens" && (yield* repository.hasResources(id))) {
          const hasSites = yield* repository.hasSites(id)
          const detail = hasSites ? "those of sites go when the client is revoked" : "delete them first"
          return yield* refusal(409, `The ven has resources: ${detail}`)
        }
        return undefined
      })

      const remove = Effect.fn("VtnObjects.remove")(function* (client: OpenAdrClient, kind: KindName, id: string) {
        yield* mayWrite(client, kinds[kind])
        return yield* transaction(
          Effect.gen(function* () {
            const row = yield* one(kind)(repository.lock(kind, viewer(client), id))
            yield* requireClients(kind, row)
            yield* dependents(kind, id)
            yield* record(client.workspaceId, kind, "DELETE", row)
            yield* repository.remove(kind, id)
            return toObject(kind, row)
          })
        )
      })

      const platform = (workspaceId: string): Viewer => ({ workspaceId, role: "BL", clientId: "" })

      const store = Effect.fn("VtnObjects.store")(function* (
        workspaceId: string,
        kind: PublishedKind,
        id: string | undefined,
        input: ObjectBody,
        more: Content["columns"] = {}
      ) {
        const time = yield* now
        const { body, clientId, columns, targets } = yield* Effect.fromResult(
          readContent(kind, "BL", input, time.getTime())
        )
        const before = id === undefined ? undefined : yield* one(kind)(repository.lock(kind, platform(workspaceId), id))
        const row: ObjectRow = {
          id: before?.id ?? (yield* ids.next),
          clientId: clientId ?? null,
          targets: targets ?? null,
          siteId: null,
          body,
          createdAt: before?.createdAt ?? time,
          modifiedAt: time
        }
        const stored = { ...row, columns: { ...columns, ...more }, now: time }
        if (before === undefined) yield* repository.insert(kind, { ...stored, workspaceId })
        else yield* repository.update(kind, stored)
        yield* record(workspaceId, kind, before === undefined ? "CREATE" : "UPDATE", row)
        return row.id
      })

      const discard = Effect.fn("VtnObjects.discard")(function* (workspaceId: string, kind: PublishedKind, id: string) {
        const row = yield* one(kind)(repository.lock(kind, platform(workspaceId), id))
        yield* dependents(kind, id)
        yield* record(workspaceId, kind, "DELETE", row)
        yield* repository.remove(kind, id)
      })

      return {
        store,
        discard,
        list: Effect.fn("VtnObjects.list")(function* (client, kind, filters, page) {
          const isBound = client.role === "VEN" && kinds[kind].privacy === "targets"
          // A VEN that requests no targets sees the objects without targets alone.
          const requested = isBound ? (filters.targets ?? []) : undefined
          const rows = yield* repository.list(kind, viewer(client, requested), filters, page, yield* now)
          return rows.map((row) => toObject(kind, row))
        }),
        get: Effect.fn("VtnObjects.get")((client, kind, id, requested) =>
          Effect.map(one(kind)(repository.get(kind, viewer(client, requested), id)), (row) => toObject(kind, row))
        ),
        create,
        update,
        remove
      }
    })
  )
}
