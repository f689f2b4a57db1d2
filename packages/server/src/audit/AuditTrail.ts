import { isDeepStrictEqual } from "node:util"
import type { WriteAction } from "@edp/domain/audit/AuditLog"
import { CurrentKey } from "@edp/domain/auth/Authentication"
import { maskKeys } from "@edp/domain/auth/keyFormat"
import { Context, Effect, Layer, Option } from "effect"
import { Ids } from "../platform/Ids.ts"
import { CurrentRequest } from "../platform/http/RequestInfo.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { InTransaction } from "../platform/sql/transaction.ts"
import { AuditLogsRepository } from "./AuditLogsRepository.ts"
import type { AuditedChange } from "./auditRow.ts"

/** A resource as the API shows it. */
export type Shown = Readonly<Record<string, unknown>>

/** Fields that the record has itself, or that every write changes. */
const ignoredFields = new Set(["id", "organizationId", "workspaceId", "createdAt", "updatedAt", "lastUsedAt"])

/** Fields with such names are masked, at any depth. */
const secret = /^key$|hash|secret|passw|token|credential|authorization|private/i

const LONGEST = 2000

const masked = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(masked)
  return typeof value === "object" && value !== null ? maskFields(value as Shown) : value
}

const maskFields = (record: Shown): Shown =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      secret.test(name) && value !== null && value !== undefined ? "***" : masked(value)
    ])
  )

const bounded = (value: unknown) => {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "null")
  return text.length <= LONGEST ? value : `${text.slice(0, LONGEST).toWellFormed()}… (${text.length} characters)`
}

/** Masked after the comparison, so that a replaced secret counts as a change. */
const toMaskedText = (record: Shown | undefined, names: ReadonlyArray<string>) => {
  if (record === undefined) return null
  const shown = maskFields(
    Object.fromEntries(names.filter((name) => name in record).map((name) => [name, record[name]]))
  )
  return maskKeys(
    JSON.stringify(Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, bounded(value)])))
  )
}

/** The fields that differ, as JSON: all fields of a created or deleted resource; undefined when nothing changed. */
export const changedFields = (before: Shown | undefined, after: Shown | undefined): AuditedChange | undefined => {
  const names = [...new Set(Object.keys({ ...before, ...after }))].filter(
    (name) => !ignoredFields.has(name) && (!before || !after || !isDeepStrictEqual(before[name], after[name]))
  )
  if (before !== undefined && after !== undefined && names.length === 0) return undefined
  return { before: toMaskedText(before, names), after: toMaskedText(after, names) }
}

export interface AuditedWrite {
  readonly action: WriteAction
  readonly resourceId: string
  /** The workspace of the resource; null for one that several workspaces share. */
  readonly workspaceId: string | null
  /** The resource before the write, as the API shows it; absent where it was created. */
  readonly before?: object | undefined
  /** The resource after the write; absent where it was deleted. */
  readonly after?: object | undefined
}

type Actor = CurrentKey["Service"]

/** Records the writes of MANAGEMENT keys. */
export class AuditTrail extends Context.Service<
  AuditTrail,
  {
    /**
     * Call it in the transaction of the write, so that neither exists without the other. Actor and address come from the
     * current request. Writes of other keys, and writes that change nothing, are not recorded.
     */
    readonly record: (written: AuditedWrite) => Effect.Effect<void, DatabaseUnavailable>
    /** Records that the archived readings of a deleted workspace are gone, with the actor and the request of the deletion. */
    readonly recordErased: (workspaceId: string) => Effect.Effect<void, DatabaseUnavailable>
    /** A record that may be inserted in each transaction of a request: it exists once if one of them commits. */
    readonly prepare: (actor: Actor, written: AuditedWrite) => Effect.Effect<Effect.Effect<void, DatabaseUnavailable>>
  }
>()("@edp/server/AuditTrail") {
  static readonly layer = Layer.effect(
    AuditTrail,
    Effect.gen(function* () {
      const repository = yield* AuditLogsRepository
      const ids = yield* Ids

      const prepare = Effect.fnUntraced(function* (actor: Actor, written: AuditedWrite) {
        const changes = changedFields(written.before as never, written.after as never)
        if (changes === undefined) return Effect.void
        const { address, id: requestId } = yield* CurrentRequest
        const { action, resourceId, workspaceId } = written
        const id = yield* ids.next
        return Effect.asVoid(
          repository.insert({
            id,
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
        )
      })

      return {
        prepare,
        recordErased: (workspaceId) => Effect.flatMap(ids.next, (id) => repository.insertErased(id, workspaceId)),
        record: (written) =>
          Effect.contextWith((context: Context.Context<never>) => {
            if (!Context.get(context, InTransaction))
              return Effect.die(new Error(`${written.action} was recorded outside a transaction`))
            const actor = Context.getOption(context, CurrentKey)
            return Option.isSome(actor) && actor.value.type === "MANAGEMENT"
              ? Effect.flatten(prepare(actor.value, written))
              : Effect.void
          })
      }
    })
  )
}
