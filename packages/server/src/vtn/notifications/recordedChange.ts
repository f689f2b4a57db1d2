import type { ObjectBody } from "../objectBody.ts"

/** A change of an object that subscribers may be told. */
export interface RecordedChange {
  readonly workspaceId: string
  readonly objectType: string
  readonly operation: "CREATE" | "UPDATE" | "DELETE"
  readonly object: ObjectBody
  /** The rule on who sees the object: VENs by these targets, all of them where it is null; or its owner. */
  readonly privacy: "targets" | "owner"
  readonly hasTargets: boolean
  readonly targets: ReadonlyArray<string> | null
  readonly ownerId: string | null
  /** The program that it belongs to, or is; null for an object of no program. */
  readonly programId: string | null
}
