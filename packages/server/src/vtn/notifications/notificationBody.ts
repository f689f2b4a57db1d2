import type { ObjectBody } from "../objectBody.ts"

interface Notification {
  readonly objectType: string
  readonly operation: string
  readonly object: ObjectBody
  readonly targets: ReadonlyArray<string> | null
}

/** A notification as it is sent: the object, with the targets that its receiver sees. */
export const notificationBody = ({ object, objectType, operation, targets }: Notification) => ({
  objectType,
  operation,
  object: { ...object, ...(targets !== null && { targets }) },
  ...(targets !== null && { targets })
})
