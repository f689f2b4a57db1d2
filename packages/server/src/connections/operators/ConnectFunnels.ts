import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { FUNNEL_DAYS, FUNNEL_SESSIONS, type FunnelFilters } from "@edp/domain/connections/ConnectFunnel"
import { type ConnectSessionStatus, connectSessionStatuses } from "@edp/domain/connections/ConnectSession"
import { invalid } from "@edp/domain/errors/ApiErrors"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import { Clock, Effect, type Schema } from "effect"
import { firstIdAt } from "../../platform/Ids.ts"
import { Workspaces } from "../../workspaces/Workspaces.ts"
import { ConnectionsRepository, type FunnelRow } from "../ConnectionsRepository.ts"

type Caller = CurrentKey["Service"]
type Query = Schema.Struct.Type<typeof FunnelFilters>

const DAY = 86_400_000

const toManufacturer = (manufacturer: string | null, rows: ReadonlyArray<FunnelRow>) => ({
  manufacturer,
  sessions: rows.find(({ kind }) => kind === "session")?.sessions ?? 0,
  medianConnectSeconds: rows.find(({ kind }) => kind === "session")?.median ?? null,
  steps: rows
    .filter(({ kind }) => kind === "step")
    .map(({ name, sessions, median }) => ({ status: name as ConnectSessionStatus, sessions, medianSeconds: median }))
    .toSorted((a, b) => connectSessionStatuses.indexOf(a.status) - connectSessionStatuses.indexOf(b.status)),
  errors: rows
    .filter(({ kind }) => kind === "error")
    .map(({ name, sessions }) => ({ code: name, sessions }))
    .toSorted((a, b) => b.sessions - a.sessions || a.code.localeCompare(b.code, "en"))
})

/** Reports to operators how far connect sessions get. */
export const ConnectFunnels = Effect.gen(function* () {
  const repository = yield* ConnectionsRepository
  const workspaces = yield* Workspaces
  return {
    get: Effect.fn("ConnectFunnels.get")(function* (caller: Caller, query: Query) {
      const workspaceId = query.workspaceId ?? caller.workspaceId
      const now = yield* Clock.currentTimeMillis
      const to = query.to === undefined ? now + 1 : parseTimestamp(query.to)!
      const from = query.from === undefined ? to - 30 * DAY : parseTimestamp(query.from)!
      if (from > to) return yield* invalid({ from: "Must not be after `to`" })
      if (to - from > FUNNEL_DAYS * DAY)
        return yield* invalid({ from: `Must be at most ${FUNNEL_DAYS} days before \`to\`` })
      if (workspaceId !== caller.workspaceId) yield* workspaces.get(caller, workspaceId)
      const rows = yield* repository.funnel(workspaceId, firstIdAt(from), firstIdAt(to), FUNNEL_SESSIONS)
      const slugs = [...new Set(rows.map(({ manufacturer }) => manufacturer))]
      const manufacturers = slugs
        .map((slug) =>
          toManufacturer(
            slug,
            rows.filter(({ manufacturer }) => manufacturer === slug)
          )
        )
        .toSorted((a, b) => b.sessions - a.sessions)
      return {
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
        sessions: manufacturers.reduce((sum, { sessions }) => sum + sessions, 0),
        manufacturers
      }
    })
  }
})
