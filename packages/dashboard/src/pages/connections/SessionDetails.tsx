import type { ConnectSessionDetail } from "@edp/domain/connections/ConnectSession"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { formatTime } from "../../i18n/format.ts"
import { useLanguage, useMessages } from "../../i18n/useMessages.ts"
import { connectionsChanged, ConnectionsClient, connectSessionQuery } from "../../resources/connections.ts"
import { Button } from "../../kit/Button.tsx"
import { ConfirmDialog } from "../../kit/ConfirmDialog.tsx"
import { Dialog } from "../../kit/Dialog.tsx"
import { Age, toMillis } from "../../kit/Figure.tsx"
import { Loaded } from "../../kit/Loaded.tsx"
import { Facts, Notice } from "../../kit/components.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { CustomerLink, DeviceLink, SiteLink } from "../../kit/recordLinks.tsx"
import { useManufacturers } from "./manufacturers.tsx"
import { SessionBadge } from "./SessionBadge.tsx"

const final = ["SUCCESS", "EXPIRED", "DUPLICATE_CONNECTION"]

const Steps = ({ transitions }: Pick<ConnectSessionDetail, "transitions">) => {
  const t = useMessages("connections")
  const language = useLanguage()
  return (
    <ol className="connections-steps">
      {transitions.map(({ status, at }, index) => (
        <li key={index}>
          <span className="muted">
            {formatTime(language, toMillis(at), { dateStyle: "medium", timeStyle: "long" })}
          </span>{" "}
          {t.statuses[status]}
        </li>
      ))}
    </ol>
  )
}

const EndSession = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  const t = useMessages("connections")
  const toast = useToast()
  const call = useApi(ConnectionsClient)
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <div className="actions">
        <Button onClick={() => setAsking(true)}>{t.end}</Button>
      </div>
      <ConfirmDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={t.endTitle}
        action={t.end}
        act={async () => {
          await call(({ connections }) => connections.remove({ params: { id } }), connectionsChanged)
          toast.done(t.ended)
          onClose()
        }}
      >
        {t.endLead}
      </ConfirmDialog>
    </>
  )
}

const Content = ({ session, onClose }: { readonly session: ConnectSessionDetail; readonly onClose: () => void }) => {
  const t = useMessages("connections")
  const { name } = useManufacturers()
  const { customerId, siteId } = session
  return (
    <>
      {session.lastError && session.status !== "SUCCESS" && (
        <Notice state="bad" title={t.errors[session.lastError.code]}>
          {session.lastError.message} <Age time={session.lastError.at} />
        </Notice>
      )}
      <Facts
        items={[
          [t.status, <SessionBadge key="status" status={session.status} />],
          [t.manufacturer, session.manufacturer === null ? t.notSelected : name(session.manufacturer)],
          [t.customer, customerId && <CustomerLink id={customerId}>{customerId}</CustomerLink>],
          [t.site, siteId && <SiteLink id={siteId}>{siteId}</SiteLink>],
          [t.mode, t.modes[session.mode]],
          [t.tags, session.tags?.join(", ")],
          [t.redirectUrl, session.redirectUrl],
          [
            t.consent,
            session.consent && (
              <>
                {t.consentText({ version: session.consent.version, language: session.consent.language })}{" "}
                <Age time={session.consent.at} />
              </>
            )
          ],
          [t.created, <Age key="created" time={session.createdAt} />],
          [t.expiresAt, <Age key="expires" time={session.expiresAt} />],
          [t.disconnectedAt, session.disconnectedAt && <Age key="end" time={session.disconnectedAt} />]
        ]}
      />
      {!final.includes(session.status) && <EndSession id={session.id} onClose={onClose} />}
      <h3>{t.steps}</h3>
      <Steps transitions={session.transitions} />
      {session.deviceIds.length > 0 && (
        <>
          <h3>{t.devices}</h3>
          <ul>
            {session.deviceIds.map((id) => (
              <li key={id}>
                <DeviceLink id={id}>{id}</DeviceLink>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

interface SessionDetailsProps {
  /** The session of the address; undefined for none. */
  readonly id: string | undefined
  readonly onClose: () => void
}

/** A connect session with its steps and its outcome. */
export const SessionDetails = ({ id, onClose }: SessionDetailsProps) => {
  const t = useMessages("connections")
  return (
    <Dialog open={id !== undefined} onClose={onClose} title={t.session} wide>
      {id !== undefined && (
        <Loaded query={connectSessionQuery(id)}>{(session) => <Content session={session} onClose={onClose} />}</Loaded>
      )}
    </Dialog>
  )
}
