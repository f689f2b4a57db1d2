import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { OpenAdrClient, OpenAdrServer } from "@edp/domain/dashboard/OpenAdrServer"
import { Clock, Effect } from "effect"
import { paginate } from "../../platform/sql/lists.ts"
import { type ClientRow, OpenAdrServerRepository } from "./OpenAdrServerRepository.ts"
import { servedEvents } from "./servedEvents.ts"

type Caller = CurrentKey["Service"]

const status = ({ expiresAt, revoked }: ClientRow, now: number) =>
  revoked ? "REVOKED" : expiresAt !== null && expiresAt.getTime() <= now ? "EXPIRED" : "ACTIVE"

const toClient = (row: ClientRow, now: number): OpenAdrClient => ({
  id: row.id,
  name: row.name,
  type: row.type,
  status: status(row, now),
  lastSeenAt: row.lastSeenAt,
  lastReportAt: row.lastReportAt,
  scope:
    row.customerId === null && row.programInstanceId === null && row.enrollmentCount === 0
      ? null
      : {
          customerId: row.customerId,
          programInstanceId: row.programInstanceId,
          enrollmentCount: row.enrollmentCount
        },
  ven:
    row.venId === null || row.venName === null
      ? null
      : {
          id: row.venId,
          venName: row.venName,
          targets: row.targets,
          resourceCount: row.resourceCount,
          resources: row.resources
        }
})

/** The OpenADR server of a workspace as operators see it. */
export const OpenAdrServers = Effect.gen(function* () {
  const repository = yield* OpenAdrServerRepository
  return {
    clients: Effect.fn("OpenAdrServers.clients")(function* (
      { workspaceId }: Caller,
      query: { readonly page?: number; readonly perPage?: number }
    ) {
      const now = yield* Clock.currentTimeMillis
      return yield* paginate(
        query,
        10,
        (limit, offset) =>
          Effect.map(repository.clients(workspaceId, limit, offset), (rows) => rows.map((row) => toClient(row, now))),
        repository.countClients(workspaceId)
      )
    }),
    get: Effect.fn("OpenAdrServers.get")(function* ({ workspaceId }: Caller) {
      const now = yield* Clock.currentTimeMillis
      const found = yield* Effect.all(
        {
          programs: repository.programs(workspaceId),
          events: repository.events(workspaceId, new Date(now)),
          eventCount: repository.countEvents(workspaceId, new Date(now))
        },
        { concurrency: 2 }
      )
      return {
        ...servedEvents(found.programs, found.events, now),
        eventCount: found.eventCount
      } satisfies OpenAdrServer
    })
  }
})
