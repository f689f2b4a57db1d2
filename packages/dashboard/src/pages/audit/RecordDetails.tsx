import type { AuditLog } from "@edp/domain/audit/AuditLog"
import { formatTime } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { Code } from "../../kit/Copy.tsx"
import { Dialog } from "../../kit/Dialog.tsx"
import { toMillis } from "../../kit/Figure.tsx"
import { Facts } from "../../kit/components.tsx"

const Fields = ({ title, fields }: { readonly title: string; readonly fields: AuditLog["before"] }) =>
  fields !== null && (
    <>
      <h3>{title}</h3>
      <Code text={JSON.stringify(fields, null, 2)} label={title} />
    </>
  )

interface RecordDetailsProps {
  readonly record: AuditLog | undefined
  readonly workspaceName: (id: string) => string
  readonly onClose: () => void
}

/** A record with who acted, and the changed fields before and after. */
export const RecordDetails = ({ record, workspaceName, onClose }: RecordDetailsProps) => {
  const t = useMessages("audit")
  const language = useLanguage()
  return (
    <Dialog
      open={record !== undefined}
      onClose={onClose}
      title={record === undefined ? "" : t.actions[record.action]}
      wide
    >
      {record !== undefined && (
        <>
          <Facts
            items={[
              [t.time, formatTime(language, toMillis(record.createdAt), { dateStyle: "medium", timeStyle: "long" })],
              [t.action, <code key="action">{record.action}</code>],
              [t.resource, t.resources[record.resourceType]],
              [t.resourceId, <code key="resource">{record.resourceId}</code>],
              [t.workspace, record.workspaceId === null ? "–" : workspaceName(record.workspaceId)],
              [t.key, <code key="key">{record.actorId}</code>],
              [t.owner, record.actorOwnerId ?? "–"],
              [t.address, record.address ?? "–"],
              [t.request, <code key="request">{record.requestId}</code>],
              [t.id, <code key="id">{record.id}</code>]
            ]}
          />
          {record.refusal !== null && (
            <p>
              {t.refused({ count: record.refusal.count })}: {record.refusal.reason}
            </p>
          )}
          <Fields title={t.before} fields={record.before} />
          <Fields title={t.after} fields={record.after} />
        </>
      )}
    </Dialog>
  )
}
