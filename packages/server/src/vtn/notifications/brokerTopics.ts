import type { RecordedChange } from "./recordedChange.ts"

/** The first level of all topics. */
const ROOT = "openadr"

/** The view of a workspace's objects that a topic has: that of business logic, or that of a VEN's client. */
export interface BrokerView {
  readonly workspaceId: string
  /** Null for business logic. */
  readonly clientId: string | null
}

/** Topics of the changes of objects, as OpenADR lists them. */
export interface OperationTopics {
  readonly CREATE?: string
  readonly UPDATE: string
  readonly DELETE: string
  readonly ALL: string
}

export const viewTopic = ({ clientId, workspaceId }: BrokerView): string =>
  `${ROOT}/${workspaceId}/${clientId === null ? "bl" : `clients/${clientId}`}`

const plural = (objectType: string) => `${objectType.toLowerCase()}s`

/** The level below the kind of an object by which its topics can be narrowed: a program or a ven. */
const narrowing = ({ object, objectType, programId }: RecordedChange): string | null => {
  if (objectType === "PROGRAM" || objectType === "EVENT") return programId
  if (objectType === "VEN") return String(object.id)
  return objectType === "RESOURCE" ? String(object.venID) : null
}

/** The topic of a change, below that of the view. */
export const changeTopic = (change: RecordedChange): string => {
  const level = narrowing(change)
  const kind = plural(change.objectType)
  return `${kind}${level === null ? "" : `/${level}`}/${change.operation.toLowerCase()}`
}

const isNarrowed = { programs: true, events: true, reports: false, subscriptions: false, vens: true, resources: true }
export type NotifiedKind = keyof typeof isNarrowed

/**
 * The topics of the changes of a kind of objects in a view: of all, or of those of one program or ven. A topic for one object has none of its
 * creation.
 */
export const operationTopics = (
  view: BrokerView,
  kind: NotifiedKind,
  id?: string,
  isOneObject = false
): OperationTopics => {
  const base = `${viewTopic(view)}/${kind}${isNarrowed[kind] ? `/${id ?? "+"}` : ""}`
  return {
    ...(!isOneObject && { CREATE: `${base}/create` }),
    UPDATE: `${base}/update`,
    DELETE: `${base}/delete`,
    ALL: `${base}/+`
  }
}
