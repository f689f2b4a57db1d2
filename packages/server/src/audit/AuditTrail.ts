import type { WriteAction } from "@edp/domain/audit/AuditLog"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { maskKeys } from "@edp/domain/auth/keyFormat"
import { Context, Effect, Layer, Option } from "effect"
import { CurrentRequest } from "../platform/http/RequestInfo.ts"
import { Ids } from "../platform/Ids.ts"
import { InTransaction } from "../platform/sql/transaction.ts"
import { AuditLogsRepository } from "./AuditLogsRepository.ts"
import { changedFields } from "./changedFields.ts"

export interface Written {
  readonly action: WriteAction
  readonly resourceId: string
  /** The workspace of the resource; null for one that several workspaces share. */
  readonly workspaceId: string | null
  /** The resource as the API shows it; absent where there was none. */
  readonly before?: object | undefined
  /** The resource since; absent where there is none. */
  readonly after?: object | undefined
}

/** Keeps what MANAGEMENT keys do. */
export class AuditTrail extends Context.Service<
  AuditTrail,
  {
    /**
     * For the transaction of a write: neither exists without the other. Who did it, and from where, is known from the
     * request in hand; what other keys write, or nobody, is not recorded, nor is what changed nothing.
     */
    readonly record: (written: Written) => Effect.Effect<void>
  }
>()("@edp/server/AuditTrail") {
  static readonly layer = Layer.effect(
    AuditTrail,
    Effect.gen(function* () {
      const repository = yield* AuditLogsRepository
      const ids = yield* Ids

      const insert = Effect.fnUntraced(function* (actor: CurrentKey["Service"], written: Written) {
        const changes = changedFields(written.before as never, written.after as never)
        if (changes === undefined) return
        const { address, id: requestId } = yield* CurrentRequest
        const { action, resourceId, workspaceId } = written
        yield* repository.insert({
          id: yield* ids.next,
          organizationId: actor.organizationId,
          workspaceId,
          action,
          resourceId,
          actorId: actor.id,
          actorType: actor.type,
          actorOwnerId: actor.ownerId,
          address: address === "" ? null : address,
          requestId: maskKeys(requestId),
          ...changes
        })
      })

      return {
        record: (written) =>
          Effect.contextWith((context: Context.Context<never>) => {
            if (!Context.get(context, InTransaction))
              return Effect.die(new Error(`${written.action} is not in a transaction`))
            const actor = Context.getOption(context, CurrentKey)
            return Option.isSome(actor) && actor.value.type === "MANAGEMENT"
              ? insert(actor.value, written)
              : Effect.void
          })
      }
    })
  )
}
