import type { ConnectedAccount } from "@edp/domain/connections/ConnectedAccount"
import type { ConnectSessionCreated } from "@edp/domain/connections/ConnectSession"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useApi } from "../../api/makeApi.ts"
import { useMessages } from "../../i18n/useMessages.ts"
import { useServiceTexts } from "../../kit/useServiceTexts.ts"
import { accountDisconnected, connectionsChanged, ConnectionsClient } from "../../resources/connections.ts"
import { Button } from "../../kit/Button.tsx"
import { ConfirmDialog } from "../../kit/ConfirmDialog.tsx"
import { Dialog } from "../../kit/Dialog.tsx"
import { Age } from "../../kit/Figure.tsx"
import { Badge, Facts, Notice } from "../../kit/components.tsx"
import { ProblemNotice } from "../../kit/Problem.tsx"
import { useToast } from "../../kit/Toasts.tsx"
import { useAction } from "../../kit/useAction.ts"
import { CustomerLink, DeviceLink, SiteLink } from "../../kit/recordLinks.tsx"
import { accountStates, Credentials } from "./accountComponents.tsx"
import { LinkDialog } from "./LinkDialog.tsx"
import { useManufacturers } from "./manufacturers.tsx"

const Devices = ({ account }: { readonly account: ConnectedAccount }) => {
  const t = useMessages("connections")
  const { intervention } = useServiceTexts()
  if (account.devices.length === 0) return <p className="muted">{t.noDevices}</p>
  const hidden = account.deviceCount - account.devices.length
  return (
    <>
      <ul className="connections-devices">
        {account.devices.map((device) => (
          <li key={device.id}>
            <DeviceLink id={device.id}>{device.name}</DeviceLink>{" "}
            <Badge state={device.isConnected ? "good" : "plain"}>
              {device.isConnected ? t.deviceConnected : t.deviceDisconnected}
            </Badge>
            {device.interventions
              .map((each) => ({ ...each, ...intervention(each) }))
              .map((each) => (
                <Notice key={each.code} state="warn" title={each.title}>
                  {t.actors[each.actor]}
                  <ol>
                    {each.steps.map((step) => (
                      <li key={step}>{step}</li>
                    ))}
                  </ol>
                </Notice>
              ))}
          </li>
        ))}
      </ul>
      {hidden > 0 && <p className="muted">{t.moreDevices({ count: hidden })}</p>}
    </>
  )
}

const Actions = ({ account, onClose }: { readonly account: ConnectedAccount; readonly onClose: () => void }) => {
  const t = useMessages("connections")
  const toast = useToast()
  const call = useApi(ConnectionsClient)
  const [isAsking, setAsking] = useState(false)
  const [created, setCreated] = useState<ConnectSessionCreated>()
  const reconnect = useAction(() =>
    call(({ connections }) => connections.create({ payload: { reconnect: account.id } }), connectionsChanged)
  )
  const { sessionId } = account
  const canDisconnect = account.status !== "disconnected" && sessionId !== null
  return (
    <>
      <div className="actions">
        <Button
          icon="plug"
          busy={reconnect.busy}
          tone={account.status === "failed" ? "main" : "plain"}
          onClick={() => void reconnect.run().then(setCreated)}
        >
          {t.reconnect}
        </Button>
        {canDisconnect && (
          <Button tone="danger" onClick={() => setAsking(true)}>
            {t.disconnect}
          </Button>
        )}
      </div>
      {reconnect.problem && <ProblemNotice problem={reconnect.problem} />}
      <LinkDialog created={created} isReconnect onClose={() => setCreated(undefined)} />
      {canDisconnect && (
        <ConfirmDialog
          open={isAsking}
          onClose={() => setAsking(false)}
          title={t.disconnectTitle}
          name={account.name}
          action={t.disconnectAction}
          act={async () => {
            await call(({ connections }) => connections.remove({ params: { id: sessionId } }), accountDisconnected())
            toast.done(t.disconnected)
            onClose()
          }}
        >
          {t.disconnectLead}
        </ConfirmDialog>
      )}
    </>
  )
}

const Content = ({ account, onClose }: { readonly account: ConnectedAccount; readonly onClose: () => void }) => {
  const t = useMessages("connections")
  const { name } = useManufacturers()
  return (
    <>
      {account.lastError && (
        <Notice state={account.status === "failed" ? "bad" : "warn"} title={t.lastError}>
          {account.lastError.message} <Age time={account.lastError.at} />
        </Notice>
      )}
      <Facts
        items={[
          [
            t.status,
            <Badge key="status" state={accountStates[account.status]}>
              {t.accountStatuses[account.status]}
            </Badge>
          ],
          [t.manufacturer, name(account.manufacturer)],
          [
            t.customer,
            account.customer && <CustomerLink id={account.customer.id}>{account.customer.name}</CustomerLink>
          ],
          [t.site, account.siteId && <SiteLink id={account.siteId}>{account.siteId}</SiteLink>],
          [t.reference, account.referenceId],
          [t.credentials, <Credentials key="credentials" account={account} />],
          [t.connected, <Age key="connected" time={account.connectedAt} />],
          [t.since, account.disconnectedAt && <Age key="since" time={account.disconnectedAt} />],
          [
            t.session,
            account.sessionId && (
              <Link to="/dashboard/connections" search={{ tab: "sessions", session: account.sessionId }}>
                {t.openSession}
              </Link>
            )
          ]
        ]}
      />
      <Actions account={account} onClose={onClose} />
      <h3>{t.devices}</h3>
      <Devices account={account} />
    </>
  )
}

interface AccountDetailsProps {
  /** The account of the address; undefined for none. */
  readonly account: ConnectedAccount | undefined
  readonly onClose: () => void
}

/** An account with its devices, what people have to do for them, and its acts. */
export const AccountDetails = ({ account, onClose }: AccountDetailsProps) => (
  <Dialog open={account !== undefined} onClose={onClose} title={account?.name ?? ""} wide>
    {account && <Content account={account} onClose={onClose} />}
  </Dialog>
)
