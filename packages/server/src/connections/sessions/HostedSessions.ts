import type { ConnectError } from "@edp/domain/connections/ConnectError"
import type { ConnectSessionStatus } from "@edp/domain/connections/ConnectSession"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { Language } from "@edp/domain/shared/Language"
import { Clock, Context, Effect, Layer } from "effect"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import type { LocatedAddress } from "../../sites/siteRow.ts"
import { ConnectionsRepository, type SessionDevice } from "../ConnectionsRepository.ts"
import { ConnectSessions, sha256 } from "./ConnectSessions.ts"
import { pendingSession } from "./newSession.ts"
import { PAGE } from "../sessionRow.ts"
import { isFinal } from "../sessionStatus.ts"

/** A session to begin, and the page that leads into it. */
export interface HostedSession {
  readonly id: string
  readonly workspaceId: string
  /** The record whose page it is. */
  readonly createdById: string
  /** The token of the session's link. It is not stored. */
  readonly token: string
  readonly referenceId: string
  readonly customerId: string
  /** The home, whose site is found or created when devices are connected there. */
  readonly place: LocatedAddress
  readonly manufacturers: ReadonlyArray<string> | null
  readonly deviceTypes: ReadonlyArray<DeviceType> | null
  readonly language: Language | null
  /** The page to which the visitor goes back. */
  readonly returnUrl: string
}

/** How far a visitor has come. */
export interface HostedState {
  readonly status: ConnectSessionStatus
  /** Whether its link still leads on. */
  readonly isOpen: boolean
  readonly error: ConnectError | null
  readonly devices: ReadonlyArray<SessionDevice>
}

/**
 * Sessions that another hosted page of the platform leads into. Any visitor may have begun one, so it takes no existing customer by an
 * e-mail address, shows nothing that is stored, and hands out no key.
 */
export class HostedSessions extends Context.Service<
  HostedSessions,
  {
    /** Joins the caller's transaction. */
    readonly begin: (session: HostedSession) => Effect.Effect<void, DatabaseUnavailable>
    /** Undefined for one that does not exist any more. */
    readonly find: (id: string) => Effect.Effect<HostedState | undefined, DatabaseUnavailable>
  }
>()("@edp/server/HostedSessions") {
  static readonly layer = Layer.effect(
    HostedSessions,
    Effect.gen(function* () {
      const repository = yield* ConnectionsRepository
      const sessions = yield* ConnectSessions
      const { connectSessionSeconds } = yield* ServerConfig

      return {
        begin: Effect.fn("HostedSessions.begin")(function* ({ returnUrl, token, ...given }) {
          const now = new Date(yield* Clock.currentTimeMillis)
          const session = {
            ...given,
            createdByType: PAGE,
            tokenHash: sha256(token),
            mode: "standard",
            redirectUrl: returnUrl,
            clientName: null,
            tags: null,
            params: null,
            colorScheme: null,
            customerInfo: null,
            madeBy: null,
            siteId: null,
            manufacturer: null,
            reconnectId: null
          } as const
          yield* repository.insert(pendingSession(session, now, connectSessionSeconds))
        }),
        find: Effect.fn("HostedSessions.find")(function* (id) {
          const session = yield* sessions.find(id)
          if (session === undefined || session.removedAt !== null) return undefined
          return {
            status: session.status,
            isOpen: !isFinal(session.status),
            error: session.lastError?.code ?? null,
            devices: yield* repository.devices(session.workspaceId, session.deviceIds)
          }
        })
      }
    })
  )
}
